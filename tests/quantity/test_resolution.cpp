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

TEST_CASE("a curve that ends before N + 1 or does not start at 0 is refused") {
    CHECK_THAT(refusal(resolution_kind(), "of = 's'\nN = 4", curve("n", 4)), Contains("s[N+1]") && Contains("2:5"));
    const Known late = {{"s", compute(curve_kind(), "formula = 'n'\ndistances = { from = 1, to = 9 }")}};
    CHECK_THAT(refusal(resolution_kind(), "of = 's'\nN = 4", late), Contains("0, 1, 2"));
    CHECK_THAT(refusal(resolution_kind(), "of = 't'\nN = 4", curve("n", 4)), Contains("unknown quantity 't'"));
    CHECK_THAT(refusal(resolution_kind(), "of = 's'", curve("n", 4)), Contains("'N'"));
}

}  // namespace
}  // namespace farfield::quantity
