// Processes whose best possible loss is known at every length of context.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <farfield/train/source.hpp>

namespace farfield::train {

/// Each row draws the probabilities of `symbols` symbols from a symmetric Dirichlet distribution of concentration
/// `alpha`, then its tokens from them. The best prediction after t tokens, of which c were x, is the posterior
/// predictive p(x) = (alpha + c)/(alpha symbols + t): every further token improves the prediction, at any distance.
std::shared_ptr<const Source> make_urn(std::size_t symbols, double alpha);

/// The expected negative log-probability of that prediction after t tokens:
///     -symbols sum_{c=0}^{t} P(c) p ln p,   p = (alpha + c)/(alpha symbols + t),
/// with P(c) beta-binomial: how often one symbol is among t. Natural logarithm; alpha > 0, symbols > 0.
double urn_nll(std::size_t symbols, double alpha, std::size_t context);

/// A Markov chain: the next token depends on the last `order` ones. Row s of `probabilities` is the distribution after
/// state s, the number whose digits in base `symbols` are those tokens, the latest last. [symbols^order, symbols]
struct Chain {
    std::size_t symbols = 2;
    std::size_t order = 1;
    std::vector<double> probabilities;
};

/// Whether a chain has at most 2^20 states.
bool has_few_states(std::size_t symbols, std::size_t order);

/// A chain whose rows are drawn from a symmetric Dirichlet distribution of concentration `alpha`.
/// Throws core::PreconditionError over 2^20 states.
Chain draw_chain(std::size_t symbols, std::size_t order, double alpha, std::uint64_t seed);
std::shared_ptr<const Source> make_chain(Chain chain);

/// H(X_{c+1} | X_1..X_c) of the chain in its stationary state, in nats: what a predictor of context c can reach. The
/// entropy rate from c = order on. The stationary distribution is found by iteration to 1e-13 in the sum of changes.
double chain_nll(const Chain& chain, std::size_t context);

/// A row of m = length/2 random symbols, a mark, and the same symbols again; only the second half is scored. The best
/// loss is 0 with at least m + 1 tokens of context and ln symbols with fewer.
std::shared_ptr<const Source> make_copy(std::size_t symbols);

/// A row of random bits, a mark and their parity, which alone is scored; then padding. In training there are 1 to
/// length - 1 bits, each number equally often; held out, length - 1. The best loss is 0 if every bit is visible, and ln
/// 2 if at least one is not.
std::shared_ptr<const Source> make_parity();

}  // namespace farfield::train
