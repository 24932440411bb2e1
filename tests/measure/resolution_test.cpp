#include <catch2/catch.hpp>
#include <cmath>

#include "measure/measure_support.hpp"

using namespace measure_support;

namespace {

/// R of s[n] = -m n with sums over n = 0..N: p_i = (1 - r) r^i/(1 - r^(N+1)) with r = e^-m, and
/// R = (1 - r) sum p_i^2 = (1 - r)^3 (1 - r^(2N+2)) / ((1 - r^2) (1 - r^(N+1))^2).
double geometric(double m, int N) {
    const double r = std::exp(-m);
    const double all = 1 - std::pow(r, N + 1);
    return std::pow(1 - r, 3) * (1 - std::pow(r, 2 * N + 2)) / ((1 - r * r) * all * all);
}

}  // namespace

TEST_CASE("a model of zeros has the resolution of its bias alone, by Eq. (4)") {
    // Logits are the bias: -n in head 1, -n/2 in head 2 of each layer. Sums run over n = 0..L-2.
    const auto subject = subject_of(training_of(scheme_of("bias = '-n/h'"), train::make_urn(8, 1)), 2, true);
    const auto result = measured("attention-resolution", "length = 20\ncontexts = 2\n", subject);
    CHECK(std::abs(value(result, "R[layer=1,head=1]") - geometric(1, 18)) < 1e-6);
    CHECK(std::abs(value(result, "R[layer=2,head=2]") - geometric(0.5, 18)) < 1e-6);
    CHECK(std::abs(value(result, "R") - (geometric(1, 18) + geometric(0.5, 18)) / 2) < 1e-6);
    CHECK(std::abs(value(result, "R[layer=2]") - value(result, "R")) < 1e-9);
    const auto& s = result.series->find("s")->values;
    for (std::size_t n = 0; n < 20; ++n) CHECK(std::abs(s[n] + 0.75 * static_cast<double>(n)) < 1e-5);
}

TEST_CASE("keys that a mask hides have no share in the resolution") {
    // A window of 3 over equal logits: p = 1/3 for n < 3, and only the step from n = 2 to 3 counts: R = 1/3^2 = 1/9.
    auto training = training_of(scheme_of("mask = 'n < 3'"), train::make_urn(8, 1));
    const auto result = measured("attention-resolution", "length = 12\ncontexts = 1\n", subject_of(training, 1, true));
    CHECK(std::abs(value(result, "R") - 1.0 / 9) < 1e-6);
}

TEST_CASE("s is the mean over the visible pairs of a distance, and minus infinity where there is none") {
    // A query attends to itself and to keys from 2 on. Of 8 positions, the pair (7, 2) alone has the distance 5.
    const auto scheme = scheme_of("mask = 'k >= 2 or n == 0'\nbias = '-n'");
    const auto result = measured("attention-resolution", "length = 8\ncontexts = 1\n",
                                 subject_of(training_of(scheme, train::make_urn(8, 1)), 1, true));
    const auto& s = result.series->find("s")->values;
    for (std::size_t n = 0; n <= 5; ++n) CHECK(std::abs(s[n] + static_cast<double>(n)) < 1e-5);
    for (const std::size_t n : {6, 7}) CHECK(s[n] == -INFINITY);
    // The sums over n = 0..6 have no share of n = 6: with p_i of the six distances, R = sum p_i (p_i - p_{i+1}).
    double total = 0, sum = 0;
    for (int n = 0; n <= 5; ++n) total += std::exp(-n);
    for (int n = 0; n <= 5; ++n) sum += std::exp(-n) * (std::exp(-n) - (n < 5 ? std::exp(-n - 1) : 0));
    CHECK(std::abs(value(result, "R") - sum / (total * total)) < 1e-6);
}
