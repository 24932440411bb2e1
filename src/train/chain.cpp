#include <fmt/format.h>

#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/core/sha256.hpp>
#include <farfield/numerics/philox.hpp>
#include <farfield/numerics/sum.hpp>
#include <farfield/train/synthetic.hpp>
#include <map>

#include "train/draw.hpp"
#include "train/streams.hpp"

namespace farfield::train {

namespace {

constexpr std::size_t most_states = std::size_t{1} << 20;
/// Steps before a row begins, after which a chain with only positive probabilities no longer depends on its start.
constexpr std::size_t burn_in = 256;

std::size_t power(std::size_t base, std::size_t exponent) {
    std::size_t result = 1;
    for (; exponent > 0 && result <= most_states; --exponent) result *= base;
    return result;
}

void check(const Chain& chain) {
    const std::size_t states = power(chain.symbols, chain.order);
    if (chain.symbols == 0 || states > most_states)
        throw core::PreconditionError("Chain", "symbols^order", std::to_string(states), "1 to 2^20 states");
    if (chain.probabilities.size() != states * chain.symbols) {
        throw core::PreconditionError("Chain", "probabilities", std::to_string(chain.probabilities.size()),
                                      std::to_string(states * chain.symbols) + " numbers");
    }
}

/// One step of a distribution over states.
std::vector<double> stepped(const Chain& chain, const std::vector<double>& states) {
    std::vector<double> next(states.size(), 0);
    for (std::size_t s = 0; s < states.size(); ++s) {
        for (std::size_t x = 0; x < chain.symbols; ++x)
            next[(s * chain.symbols + x) % states.size()] += states[s] * chain.probabilities[s * chain.symbols + x];
    }
    return next;
}

std::vector<double> stationary(const Chain& chain) {
    const std::size_t count = power(chain.symbols, chain.order);
    std::vector<double> states(count, 1.0 / static_cast<double>(count));
    for (int step = 0; step < 100000; ++step) {
        const std::vector<double> next = stepped(chain, states);
        // Half of the old distribution is kept, so that a periodic chain converges too.
        double change = 0;
        for (std::size_t s = 0; s < count; ++s) {
            change += std::abs(next[s] - states[s]);
            states[s] = (states[s] + next[s]) / 2;
        }
        if (change < 1e-13) break;
    }
    return states;
}

/// The distribution of `length` successive tokens from that of length + 1: the sum over the first token.
std::vector<double> without_first(const std::vector<double>& words, std::size_t symbols) {
    std::vector<double> shorter(words.size() / symbols, 0);
    for (std::size_t w = 0; w < words.size(); ++w) shorter[w % shorter.size()] += words[w];
    return shorter;
}

/// P(words of context + 1 tokens) in the stationary state, context <= order.
std::vector<double> words_of(const Chain& chain, const std::vector<double>& states, std::size_t context) {
    std::vector<double> words(states.size() * chain.symbols);
    for (std::size_t w = 0; w < words.size(); ++w) words[w] = states[w / chain.symbols] * chain.probabilities[w];
    for (std::size_t length = chain.order; length > context; --length) words = without_first(words, chain.symbols);
    return words;
}

class MarkovChain : public Source {
public:
    explicit MarkovChain(Chain chain) : chain_(std::move(chain)) {
        const std::vector<double> states = stationary(chain_);
        for (std::size_t context = 0; context <= chain_.order; ++context)
            words_.push_back(words_of(chain_, states, context));
        const auto* bytes = reinterpret_cast<const char*>(chain_.probabilities.data());
        digest_ = core::sha256({bytes, chain_.probabilities.size() * sizeof(double)});
    }

    std::size_t vocabulary() const override { return chain_.symbols; }
    std::string identity() const override {
        return fmt::format("chain {} {} {}", chain_.symbols, chain_.order, digest_);
    }

    Row sample(std::uint64_t seed, std::uint32_t step, std::uint32_t row, std::size_t length) const override {
        return draw(numerics::Random(seed, data_stream, step, row), length);
    }

    Row held_out(std::size_t index, std::size_t, std::size_t length) const override {
        return draw(numerics::Random(0, held_out_stream, 0, static_cast<std::uint32_t>(index)), length);
    }

    std::optional<double> optimal_nll(std::span<const Token> context, Token next) const override {
        const std::size_t used = std::min(context.size(), chain_.order);
        std::size_t word = 0;
        for (const Token token : context.last(used)) word = word * chain_.symbols + static_cast<std::size_t>(token);
        const std::vector<double>& words = words_[used];
        double all = 0;
        for (std::size_t x = 0; x < chain_.symbols; ++x) all += words[word * chain_.symbols + x];
        return -std::log(words[word * chain_.symbols + static_cast<std::size_t>(next)] / all);
    }

private:
    Row draw(numerics::Random random, std::size_t length) const {
        const std::size_t states = chain_.probabilities.size() / chain_.symbols;
        std::size_t state = random.below(states);
        Row row{{}, std::vector<float>(length, 1)};
        row.tokens.reserve(length + 1);
        for (std::size_t t = 0; t < burn_in + length + 1; ++t) {
            const std::span<const double> all = chain_.probabilities;
            const Token next = draw_from(all.subspan(state * chain_.symbols, chain_.symbols), random);
            if (t >= burn_in) row.tokens.push_back(next);
            state = (state * chain_.symbols + static_cast<std::size_t>(next)) % states;
        }
        return row;
    }

    Chain chain_;
    std::vector<std::vector<double>> words_;  ///< by length of context: P of every word of context + 1 tokens
    std::string digest_;
};

}  // namespace

bool has_few_states(std::size_t symbols, std::size_t order) {
    return power(symbols, order) <= most_states;
}

Chain draw_chain(std::size_t symbols, std::size_t order, double alpha, std::uint64_t seed) {
    Chain chain{symbols, order, {}};
    if (symbols == 0 || !has_few_states(symbols, order))
        throw core::PreconditionError("draw_chain", "symbols and order",
                                      std::to_string(symbols) + " and " + std::to_string(order), "1 to 2^20 states");
    const std::size_t states = power(symbols, order);
    for (std::size_t s = 0; s < states; ++s) {
        numerics::Random random(seed, chain_stream, 0, static_cast<std::uint32_t>(s));
        for (const double p : draw_dirichlet(symbols, alpha, random)) chain.probabilities.push_back(p);
    }
    return chain;
}

std::shared_ptr<const Source> make_chain(Chain chain) {
    check(chain);
    return std::make_shared<MarkovChain>(std::move(chain));
}

double chain_nll(const Chain& chain, std::size_t context) {
    check(chain);
    const std::vector<double> words = words_of(chain, stationary(chain), std::min(context, chain.order));
    numerics::Accumulator sum;
    for (std::size_t begin = 0; begin < words.size(); begin += chain.symbols) {
        double all = 0;
        for (std::size_t x = 0; x < chain.symbols; ++x) all += words[begin + x];
        for (std::size_t x = 0; x < chain.symbols; ++x) {
            if (words[begin + x] > 0) sum.add(-words[begin + x] * std::log(words[begin + x] / all));
        }
    }
    return sum.total();
}

}  // namespace farfield::train
