#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/train/synthetic.hpp>

using namespace farfield;
using namespace farfield::train;

namespace {

bool near(double a, double b, double bound = 1e-12) {
    return std::abs(a - b) <= bound;
}

double entropy(double p) {
    return -p * std::log(p) - (1 - p) * std::log(1 - p);
}

/// Mean and standard error of the best predictor's loss on the last token of held-out rows.
struct Measured {
    double mean = 0;
    double error = 0;
};

Measured measure(const Source& source, std::size_t context, std::size_t rows) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const Row row = source.held_out(i, rows, 40);
        const std::span<const Token> tokens = row.tokens;
        const double nll = *source.optimal_nll(tokens.subspan(40 - context, context), row.tokens[40]);
        sum += nll;
        squares += nll * nll;
    }
    const auto n = static_cast<double>(rows);
    return {sum / n, std::sqrt(std::max(0.0, squares / n - sum * sum / n / n) / n)};
}

}  // namespace

TEST_CASE("the urn's best loss is that of the posterior predictive") {
    // With nothing seen every symbol is as likely: ln symbols.
    CHECK(near(urn_nll(32, 0.5, 0), std::log(32.0)));
    // Two symbols, uniform prior: Laplace's rule of succession gives 2/3 to the symbol seen once, which comes again
    // with probability 2/3; after two tokens 3/4 (both alike, probability 2/3) or 1/2.
    CHECK(near(urn_nll(2, 1, 1), entropy(2.0 / 3)));
    CHECK(near(urn_nll(2, 1, 2), 2.0 / 3 * entropy(0.75) + 1.0 / 3 * std::log(2.0)));
    CHECK(urn_nll(1, 1, 5) == 0);
    CHECK_THROWS_AS(urn_nll(2, 0, 1), core::PreconditionError);
}

TEST_CASE("every further token of the urn helps, down to the mean entropy of its distributions") {
    for (std::size_t t = 0; t < 200; ++t) CHECK(urn_nll(8, 1, t + 1) < urn_nll(8, 1, t));
    // Mean entropy of a symmetric Dirichlet: digamma(V alpha + 1) - digamma(alpha + 1); V = 2, alpha = 1: 1/2.
    CHECK(near(urn_nll(2, 1, 100000), 0.5, 1e-4));
}

TEST_CASE("the urn's rows have the loss that the closed form says, at every context") {
    const auto source = make_urn(4, 0.5);
    for (const std::size_t context : {0, 1, 5, 40}) {
        const Measured found = measure(*source, context, 4000);
        CHECK(std::abs(found.mean - urn_nll(4, 0.5, context)) <= 5 * found.error + 1e-12);
    }
}

TEST_CASE("a chain's best loss is its conditional entropy") {
    // P(1|0) = 0.1, P(1|1) = 0.6: 1 has the stationary probability 0.1/(0.1 + 0.4) = 0.2.
    const Chain chain{2, 1, {0.9, 0.1, 0.4, 0.6}};
    CHECK(near(chain_nll(chain, 0), entropy(0.2)));
    CHECK(near(chain_nll(chain, 1), 0.8 * entropy(0.1) + 0.2 * entropy(0.6)));
    CHECK(chain_nll(chain, 9) == chain_nll(chain, 1));
    // Order 2 that in truth flips the token before the last: nothing is known from one token, all from two.
    const Chain flip{2, 2, {1, 0, 1, 0, 0, 1, 0, 1}};
    CHECK(near(chain_nll(flip, 2), 0));
    CHECK_THROWS_AS(chain_nll({2, 2, {1, 0}}, 1), core::PreconditionError);
}

TEST_CASE("a chain's rows have the loss that its entropies say, at every context") {
    const Chain chain = draw_chain(3, 2, 0.7, 11);
    const auto source = make_chain(chain);
    for (const std::size_t context : {0, 1, 2, 7}) {
        const Measured found = measure(*source, context, 4000);
        CHECK(std::abs(found.mean - chain_nll(chain, context)) <= 5 * found.error + 1e-12);
    }
}

TEST_CASE("copy and parity are decided by who sees everything and scored where they are") {
    for (const auto& source : {make_copy(5), make_parity()}) {
        CHECK_FALSE(source->is_divisible());
        for (std::uint32_t i = 0; i < 50; ++i) {
            const Row row = source->sample(1, i, 0, 21);
            REQUIRE(row.tokens.size() == 22);
            REQUIRE(row.weights.size() == 21);
            const std::span<const Token> tokens = row.tokens;
            std::size_t scored = 0;
            for (std::size_t t = 0; t < 21; ++t) {
                if (row.weights[t] == 0) continue;
                ++scored;
                CHECK(source->optimal_nll(tokens.first(t + 1), row.tokens[t + 1]) == 0.0);
            }
            CHECK(scored == (source->vocabulary() == 4 ? 1U : 10U));
        }
    }
}

TEST_CASE("parity trains on every number of bits and is tested on the longest") {
    const auto source = make_parity();
    std::vector<int> seen(20, 0);
    for (std::uint32_t i = 0; i < 2000; ++i) {
        const Row row = source->sample(0, 0, i, 20);
        for (std::size_t t = 0; t < 20; ++t) seen[t] += row.weights[t] > 0;
    }
    CHECK(seen[0] == 0);
    for (std::size_t bits = 1; bits < 20; ++bits) CHECK(seen[bits] > 50);  // 105 each are expected
    const Row row = source->held_out(3, 8, 20);
    CHECK(row.weights[19] == 1);
    Token parity = 0;
    for (std::size_t i = 0; i < 19; ++i) parity ^= row.tokens[i];
    CHECK(row.tokens[20] == parity);
    CHECK_THROWS_AS(source->sample(0, 0, 0, 1), core::UserError);
}

TEST_CASE("a row is a function of seed, step and row") {
    const auto source = make_urn(8, 1);
    CHECK(source->sample(1, 2, 3, 30).tokens == source->sample(1, 2, 3, 30).tokens);
    CHECK(source->sample(1, 2, 3, 30).tokens != source->sample(1, 2, 4, 30).tokens);
    CHECK(source->sample(1, 2, 3, 30).tokens != source->sample(1, 3, 3, 30).tokens);
    CHECK(source->sample(1, 2, 3, 30).tokens != source->sample(2, 2, 3, 30).tokens);
    CHECK(source->held_out(1, 5, 30).tokens != source->sample(0, 0, 1, 30).tokens);
}
