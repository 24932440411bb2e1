#include <catch2/catch.hpp>
#include <random>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/attention_resolution.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

Known curve(const std::string& formula, int to) {
    return {
        {"s", compute(curve_kind(), "formula = '" + formula + "'\ndistances = { to = " + std::to_string(to) + " }")}};
}

TEST_CASE("equal scores have resolution 0") {
    check_field(compute(resolution_kind(), "of = 's'\nN = 100", curve("3", 101)), "R", 0, 1e-15);
}

TEST_CASE("equal scores that end have resolution 1/(N+1)^2") {
    check_field(compute(resolution_kind(), "of = 's'\nN = 9\nafter = '-inf'", curve("3", 9)), "R", 0.01, 1e-16);
}

TEST_CASE("halving weights give the closed form of a geometric row") {
    // e^s = 2^-i: the numerator is the sum of 4^-i / 2, the denominator the square of the sum of 2^-i.
    const int N = 20;
    const double numerator = 0.5 * (1 - std::pow(4.0, -N - 1)) / (1 - 0.25);
    const double denominator = std::pow(2 * (1 - std::pow(2.0, -N - 1)), 2);
    const core::Result result = compute(resolution_kind(), "of = 's'\nN = 20", curve("-n*log(2)", N + 1));
    check_field(result, "R", numerator / denominator, 1e-14);
    check_field(result, "sum_squares", 2 * numerator / denominator, 1e-14);
    check_field(result, "largest", 1 / std::sqrt(denominator), 1e-14);
}

TEST_CASE("a scale is that of the scores") {
    const core::Result scaled =
        compute(resolution_kind(), "of = 's'\nN = 20\nscale = '1/sqrt(64)'", curve("-8*n*log(2)", 21));
    const core::Result plain = compute(resolution_kind(), "of = 's'\nN = 20", curve("-n*log(2)", 21));
    CHECK_FALSE(!(std::abs(*scaled.find("R")->number - *plain.find("R")->number) <= 1e-15));
}

TEST_CASE("a rising row may have more resolution than the paper prefers: N = 3, s[4] = 0") {
    // By hand: scores 0, 0, 0, 0 and then 0 give 0; raising s[3] alone to log 2 gives weights 1 1 1 2, next 1:
    // (1*0 + 1*0 + 1*(1 - 2) + 2*(2 - 1))/25 = 1/25, above 0 although s[2] < s[3].
    check_field(compute(resolution_kind(), "of = 's'\nN = 3\nafter = 0", curve("n == 3 ? log(2) : 0", 3)), "R", 0.04,
                1e-15);
}

TEST_CASE("the numerator may end earlier") {
    // Weights 1, 1/2, 1/4 (N = 2), terms i = 0, 1 alone: (1/2 + 1/8)/(7/4)^2.
    check_field(compute(resolution_kind(), "of = 's'\nN = 2\nlast = 1", curve("-n*log(2)", 2)), "R", 0.625 / 3.0625,
                1e-15);
}

TEST_CASE("scores of any size do not overflow") {
    check_field(compute(resolution_kind(), "of = 's'\nN = 3", curve("1e5 - 1e5*n", 4)), "R", 1, 1e-9);
}

TEST_CASE("R is at most the sum of squares, that at most the largest share, that at most 1") {
    std::mt19937_64 random(20231);
    std::normal_distribution<double> normal(0, 3);
    for (int trial = 0; trial < 1000; ++trial) {
        std::vector<double> scores(2 + trial % 50);
        for (double& score : scores) score = normal(random);
        const std::size_t N = scores.size() - 2;
        const Resolution found = resolution({.scores = evaluate::Array(scores), .enclosures = {}, .N = N, .last = N});
        REQUIRE_FALSE(!(*found.value.number <= *found.sum_squares.number));
        REQUIRE_FALSE(!(*found.sum_squares.number <= *found.largest.number * (1 + 1e-15)));
        REQUIRE_FALSE(!(*found.largest.number <= 1));
    }
}

TEST_CASE("sums over any row are those of the definition, and their enclosures hold them") {
    // R = sum over i <= last of p_i (p_i - p_{i+1}), p_i = e^(scale s_i) over the sum to N; long double has 11 more
    // bits.
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal(0, 2);
    for (const double scale : {1.0, 0.125, -1.0, -0.5}) {
        for (int trial = 0; trial < 60; ++trial) {
            const std::size_t N = 1 + trial % 9, last = trial % 3 == 0 ? N : random() % (N + 1);
            std::vector<double> scores(N + 2);
            for (double& score : scores) score = normal(random);
            // The score after the row may be the largest of all, or the least.
            if (trial % 4 == 0) scores[N + 1] = trial % 8 == 0 ? 9 : -9;
            const std::optional<double> after = trial % 5 == 0 ? std::optional(scores[N + 1]) : std::nullopt;
            std::vector<core::Enclosure> enclosures;
            for (const double score : scores)
                enclosures.push_back({std::nextafter(score, -100), std::nextafter(score, 100)});
            std::vector<long double> weights;
            for (const double score : scores) weights.push_back(std::exp(static_cast<long double>(scale) * score));
            long double total = 0, squares = 0, falls = 0, largest = 0;
            for (std::size_t i = 0; i <= N; ++i) {
                total += weights[i];
                squares += weights[i] * weights[i];
                largest = std::max(largest, weights[i]);
                if (i <= last) falls += weights[i] * (weights[i] - weights[i + 1]);
            }
            std::vector<double> given = scores;
            if (after) given.pop_back();
            const auto check = [&](const Resolution& found, bool is_enclosed) {
                const auto close = [&](const core::Cell& cell, long double expected) {
                    CHECK(std::abs(*cell.number - static_cast<double>(expected)) <=
                          1e-14 * std::max(1.0, std::abs(static_cast<double>(expected))));
                    REQUIRE(cell.enclosure.has_value() == is_enclosed);
                    if (!is_enclosed) return;
                    CHECK(cell.enclosure->lo <= static_cast<double>(expected));
                    CHECK(cell.enclosure->hi >= static_cast<double>(expected));
                    CHECK(cell.enclosure->width() <= 1e-12 * std::max(1.0, std::abs(static_cast<double>(expected))));
                };
                close(found.value, falls / total / total);
                close(found.sum_squares, squares / total / total);
                close(found.largest, largest / total);
            };
            ResolutionInput input{.scores = evaluate::Array(given), .enclosures = {}, .N = N, .last = last};
            input.scale = scale;
            if (scale != 1) input.scale_enclosure = core::Enclosure::exactly(scale);  // 1 unless stated
            input.after = after;
            check(resolution(input), false);
            input.enclosures = enclosures;
            check(resolution(input), true);
        }
    }
}

TEST_CASE("a curve that ends before N + 1 or does not start at 0 is refused") {
    CHECK_THAT(refusal(resolution_kind(), "of = 's'\nN = 4", curve("n", 4)), Contains("s[N+1]") && Contains("2:5"));
    const Known late = {{"s", compute(curve_kind(), "formula = 'n'\ndistances = { from = 1, to = 9 }")}};
    CHECK_THAT(refusal(resolution_kind(), "of = 's'\nN = 4", late), Contains("0, 1, 2"));
    CHECK_THAT(refusal(resolution_kind(), "of = 't'\nN = 4", curve("n", 4)), Contains("unknown quantity 't'"));
    CHECK_THAT(refusal(resolution_kind(), "of = 's'", curve("n", 4)), Contains("'N'"));
}

}  // namespace
}  // namespace farfield::quantity
