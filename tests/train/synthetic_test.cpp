#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/train/synthetic.hpp>
#include <functional>
#include <map>
#include <numeric>

#include "train/draw.hpp"

using namespace farfield;
using namespace farfield::train;
using Catch::Contains;

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

TEST_CASE("the urn's rows have the loss of the closed form, at every context") {
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

TEST_CASE("a chain's rows have the loss of its entropies, at every context") {
    const Chain chain = draw_chain(3, 2, 0.7, 11);
    const auto source = make_chain(chain);
    for (const std::size_t context : {0, 1, 2, 7}) {
        const Measured found = measure(*source, context, 4000);
        CHECK(std::abs(found.mean - chain_nll(chain, context)) <= 5 * found.error + 1e-12);
    }
}

TEST_CASE("copy and parity are determined by all previous tokens, and scored where they occur") {
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

TEST_CASE("parity is trained on every number of bits and tested on the longest") {
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

TEST_CASE("rows are those that another program draws from the documentation") {
    struct Known {
        std::string process;
        bool is_held_out;
        std::uint64_t seed;
        std::uint32_t step;
        std::uint32_t row;
        std::vector<Token> tokens;
        std::vector<float> scored;
    };
    const std::vector<Known> known = {
#include "references/train/rows.inc"
    };
    const std::map<std::string, std::shared_ptr<const Source>> processes = {
        {"urn 7 0.7", make_urn(7, 0.7)},
        {"urn 3 2", make_urn(3, 2)},
        {"chain 5 2 0.5 3", make_chain(draw_chain(5, 2, 0.5, 3))},
        {"chain 3 1 1.5 0", make_chain(draw_chain(3, 1, 1.5, 0))},
        {"copy 6", make_copy(6)},
        {"parity", make_parity()},
    };
    for (const Known& each : known) {
        INFO(each.process << (each.is_held_out ? ", held out" : "") << ", row " << each.row);
        const Source& source = *processes.at(each.process);
        const Row row = each.is_held_out ? source.held_out(each.row, 8, each.scored.size())
                                         : source.sample(each.seed, each.step, each.row, each.scored.size());
        CHECK(row.tokens == each.tokens);
        CHECK(row.weights == each.scored);
    }
}

TEST_CASE("a row is a function of seed, step and row") {
    const auto source = make_urn(8, 1);
    CHECK(source->sample(1, 2, 3, 30).tokens == source->sample(1, 2, 3, 30).tokens);
    CHECK(source->sample(1, 2, 3, 30).tokens != source->sample(1, 2, 4, 30).tokens);
    CHECK(source->sample(1, 2, 3, 30).tokens != source->sample(1, 3, 3, 30).tokens);
    CHECK(source->sample(1, 2, 3, 30).tokens != source->sample(2, 2, 3, 30).tokens);
    CHECK(source->held_out(1, 5, 30).tokens != source->sample(0, 0, 1, 30).tokens);
}

TEST_CASE("every row of a drawn chain is a distribution, with all mass on one symbol where concentrations underflow") {
    const auto rows = [](const Chain& chain) {
        std::vector<std::vector<double>> all;
        for (auto at = chain.probabilities.begin(); at != chain.probabilities.end(); at += 5)
            all.emplace_back(at, at + 5);
        return all;
    };
    const std::vector<std::vector<double>> usual = rows(draw_chain(5, 2, 1, 3));
    CHECK(usual.size() == 25);
    for (const std::vector<double>& row : usual) {
        CHECK(near(std::accumulate(row.begin(), row.end(), 0.0), 1, 5 * 0x1p-53));
        CHECK(*std::min_element(row.begin(), row.end()) > 0);
    }
    for (const std::vector<double>& row : rows(draw_chain(5, 1, 1e-9, 3))) {
        CHECK(std::accumulate(row.begin(), row.end(), 0.0) == 1);
        CHECK(*std::max_element(row.begin(), row.end()) == 1);
    }
}

TEST_CASE("a symbol without probability is never drawn, and the others with their frequencies") {
    numerics::Random random(1, 2, 3, 4);
    std::vector<int> seen(5, 0);
    const std::vector<double> probabilities = {0, 0.25, 0, 0.75, 0};
    for (int i = 0; i < 10000; ++i) ++seen[static_cast<std::size_t>(draw_from(probabilities, random))];
    CHECK(seen[1] + seen[3] == 10000);
    CHECK(std::abs(seen[1] - 2500) < 5 * 44);  // sqrt(10000/4*3/4) = 43.3
    // What adds up to less than 1 leaves the rest to the last symbol that has any.
    for (int i = 0; i < 100; ++i) CHECK(draw_from(std::vector<double>{0.001, 0, 0.001, 0}, random) != 3);
}

TEST_CASE("a chain that goes round in a circle has every state equally often, and no entropy") {
    const Chain circle{3, 1, {0, 1, 0, 0, 0, 1, 1, 0, 0}};
    CHECK(near(chain_nll(circle, 0), std::log(3.0)));
    CHECK(near(chain_nll(circle, 1), 0));
    const Row row = make_chain(circle)->sample(0, 0, 0, 12);
    for (std::size_t t = 0; t < 12; ++t) CHECK(row.tokens[t + 1] == (row.tokens[t] + 1) % 3);
}

TEST_CASE("a chain has up to 2^20 states") {
    CHECK_THROWS_WITH(make_chain({2, 20, {}}), Contains(std::to_string(std::size_t{1} << 21) + " numbers"));
    CHECK_THROWS_WITH(make_chain({2, 21, {}}), Contains("1 to 2^20 states"));
    CHECK_THROWS_WITH(make_chain({0, 1, {}}), Contains("1 to 2^20 states"));
    CHECK_THROWS_WITH(draw_chain(2, 21, 1, 0), Contains("1 to 2^20 states"));
    CHECK_THROWS_WITH(draw_chain(0, 2, 1, 0), Contains("1 to 2^20 states"));
    CHECK(draw_chain(2, 20, 1, 0).probabilities.size() == std::size_t{1} << 21);
    CHECK(draw_chain(1, 1000, 1, 0).probabilities == std::vector<double>{1});
}

TEST_CASE("processes describe themselves by their symbols and parameters, or by the digest of their probabilities") {
    const Chain chain = draw_chain(2, 1, 1, 0);
    Chain other = chain;
    std::swap(other.probabilities[0], other.probabilities[1]);
    std::vector<std::string> identities;
    for (const auto& source : {make_urn(4, 1), make_urn(5, 1), make_urn(4, 2), make_copy(4), make_copy(5),
                               make_parity(), make_chain(chain), make_chain(other)})
        identities.push_back(source->identity());
    std::sort(identities.begin(), identities.end());
    CHECK(std::unique(identities.begin(), identities.end()) == identities.end());
    CHECK(make_chain(chain)->identity() == make_chain(draw_chain(2, 1, 1, 0))->identity());
}

TEST_CASE("every row of a process has the requested tokens, all within its vocabulary") {
    for (const auto& source : {make_urn(4, 1), make_chain(draw_chain(3, 2, 1, 0)), make_copy(5), make_parity()}) {
        INFO(source->identity());
        for (const std::size_t length : {2, 3, 40}) {
            for (const Row& row : {source->sample(1, 2, 3, length), source->held_out(1, 2, length)}) {
                CHECK(row.tokens.size() == length + 1);
                CHECK(row.weights.size() == length);
                for (const Token token : row.tokens)
                    CHECK((token >= 0 && static_cast<std::size_t>(token) < source->vocabulary()));
            }
        }
        for (const Part part : {Part::training, Part::held_out}) {
            CHECK(source->rows(part, 1) == (source->is_divisible() ? Source::unlimited : 0));
            CHECK(source->rows(part, 2) == Source::unlimited);
            CHECK(source->longest_row(part) == Source::unlimited);
        }
        CHECK(source->shortest_row() == (source->is_divisible() ? 1 : 2));
        if (source->is_divisible()) continue;
        CHECK_THROWS_WITH(source->sample(0, 0, 0, 1), Contains("at least 2 tokens"));
        CHECK_THROWS_WITH(source->held_out(0, 1, 1), Contains("at least 2 tokens"));
    }
    CHECK(make_urn(4, 1)->vocabulary() == 4);
    CHECK(make_chain(draw_chain(3, 2, 1, 0))->vocabulary() == 3);
    CHECK(make_copy(5)->vocabulary() == 6);
    CHECK(make_parity()->vocabulary() == 4);
}

TEST_CASE("a copied symbol is known once the mark is passed, and nothing is known before it and after the copy") {
    const auto source = make_copy(5);
    const Row row = source->sample(3, 1, 4, 21);  // 10 symbols, the mark, the same 10, and a mark that fills the row
    const std::span<const Token> tokens = row.tokens;
    CHECK(row.tokens[10] == 5);
    const auto nll = [&](std::size_t begin, std::size_t end, Token next) {
        return *source->optimal_nll(tokens.subspan(begin, end - begin), next);
    };
    for (std::size_t t = 0; t < 21; ++t) CHECK(row.weights[t] == (t >= 10 && t < 20 ? 1 : 0));
    for (std::size_t end = 11; end < 21; ++end) {
        CHECK(nll(0, end, row.tokens[end]) == 0);
        CHECK(nll(0, end, (row.tokens[end] + 1) % 5) == INFINITY);
    }
    CHECK(nll(0, 5, row.tokens[5]) == std::log(5.0));
    CHECK(nll(0, 21, 5) == std::log(5.0));
}

TEST_CASE("the parity follows the mark and is known only there") {
    const auto parity = make_parity();
    CHECK(parity->optimal_nll(std::vector<Token>{1, 0, 1, 1, 2}, 1) == 0.0);
    CHECK(parity->optimal_nll(std::vector<Token>{1, 0, 1, 1, 2}, 0) == INFINITY);
    CHECK(parity->optimal_nll(std::vector<Token>{1, 0, 1}, 0) == std::log(2.0));
    CHECK(parity->optimal_nll(std::vector<Token>{}, 0) == std::log(2.0));
}

TEST_CASE("the best loss of one more token adds up to the entropy of all tokens, and every distribution to 1") {
    // Exactly, by the chain rule: over all words of three tokens of an urn and of a chain in its stationary state.
    const auto check = [](const Source& source, std::size_t symbols, const std::function<double(std::size_t)>& nll) {
        double entropy = 0, mass = 0;
        for (Token a = 0; a < static_cast<Token>(symbols); ++a)
            for (Token b = 0; b < static_cast<Token>(symbols); ++b)
                for (Token c = 0; c < static_cast<Token>(symbols); ++c) {
                    const double all = *source.optimal_nll({}, a) + *source.optimal_nll(std::vector{a}, b) +
                                       *source.optimal_nll(std::vector{a, b}, c);
                    mass += std::exp(-all);
                    entropy += std::exp(-all) * all;
                }
        CHECK(near(mass, 1));
        CHECK(near(entropy, nll(0) + nll(1) + nll(2)));
    };
    check(*make_urn(3, 0.7), 3, [](std::size_t context) { return urn_nll(3, 0.7, context); });
    for (const std::size_t order : {1, 2}) {
        const Chain chain = draw_chain(3, order, 0.7, 5);
        check(*make_chain(chain), 3, [&](std::size_t context) { return chain_nll(chain, context); });
    }
}
