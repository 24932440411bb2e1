#include "evaluate/weights.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/numerics/processors.hpp>
#include <limits>
#include <random>
#include <vector>

#include <farfield/numerics/multiprecision.hpp>

#include "evaluate/agreement.hpp"
#include "evaluate/kernel/kernel.hpp"

using namespace farfield;
using namespace farfield::evaluate;
using numerics::Multiprecision;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A row whose level changes by hundreds from stretch to stretch, a tenth of it without any weight.
std::vector<double> row_of(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<double> row;
    for (std::size_t i = 0; i < count; ++i) {
        const double level = -40.0 * static_cast<double>(i / 700 % 9);
        row.push_back(random() % 10 == 0 ? -infinity : level + std::uniform_real_distribution<double>(-9, 9)(random));
    }
    return row;
}

Multiprecision number(double value) {
    return Multiprecision(value, 60);
}

// The sums with the shift that was chosen, term by term in 60 digits.
struct Exact {
    Multiprecision total = number(0);
    Multiprecision squares = number(0);
    Multiprecision falls = number(0);
};

Exact exact_sums(const std::vector<double>& row, double scale, double next, double shift) {
    Exact sums;
    const auto weight = [&](double scaled) { return numerics::exp(number(scaled) - number(shift)); };
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Multiprecision here = weight(scale * row[i]);
        const Multiprecision after = weight(i + 1 < row.size() ? scale * row[i + 1] : next);
        sums.total = sums.total + here;
        sums.squares = sums.squares + here * here;
        sums.falls = sums.falls + here * (here - after);
    }
    return sums;
}

bool is_near(double found, const Multiprecision& exact, const Multiprecision& size, double bound) {
    const Multiprecision error = numerics::abs(number(found) - exact);
    return error <= number(bound) * size;
}

}  // namespace

TEST_CASE("the ends of a row are its least and greatest number, wherever they are, on every kernel") {
    for (const Kernel<double>* kernel : kernels<double>()) {
        INFO(kernel->name);
        for (const std::size_t lanes : {lane_multiple, 3 * lane_multiple}) {
            std::vector<double> x(lanes);
            for (std::size_t at = 0; at < lanes; ++at) {
                for (std::size_t i = 0; i < lanes; ++i) x[i] = std::sin(static_cast<double>(i));
                x[at] = -2;
                x[(at + 7) % lanes] = 3;
                const Ends found = kernel->weights.ends(x.data(), lanes);
                CHECK((found.least == -2 && found.most == 3));
            }
        }
    }
}

TEST_CASE("weights are within 2 ulp of the exponential on every kernel") {
    std::vector<double> x{0, -0.0, -1e-300, -1e-9, -0.3465, -0.3466, -1, -700, -707.99, -708.5, -745, -1e6, -infinity};
    std::mt19937_64 random(8);
    while (x.size() < 4096) x.push_back(-std::exp(std::uniform_real_distribution<double>(-20, 6.5)(random)));
    for (const Kernel<double>* kernel : kernels<double>()) {
        std::vector<double> found(x.size());
        kernel->weights.share_out(found.data(), nullptr, x.data(), {}, x.size());
        double worst = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            worst = std::fmax(worst, tests::ulps<double>(found[i], numerics::exp(number(x[i]))));
        }
        INFO(kernel->name);
        CHECK(worst <= 2);
    }
}

TEST_CASE("parts of a whole and what they add up to are the products and sums one by one, on every kernel") {
    std::vector<double> x(512 + lane_multiple);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = -static_cast<double>(i % 37) / 5 - 3;
    for (const Kernel<double>* kernel : kernels<double>()) {
        std::vector<double> parts(512);
        std::vector<double> sums(512);
        const double last = kernel->weights.share_out(parts.data(), sums.data(), x.data(), {-3, 0.25, 7}, 512);
        double running = 7;
        double squares = 0;
        double falls = 0;
        bool near = true;
        for (std::size_t i = 0; i < 512; ++i) {
            const double weight = std::exp(x[i] + 3);
            running += weight * 0.25;
            squares += weight * weight;
            falls += weight * (weight - std::exp(x[i + 1] + 3));
            near = near && std::fabs(parts[i] - weight * 0.25) <= 1e-15 && std::fabs(sums[i] - running) <= 1e-12;
        }
        const WeightSums found = kernel->weights.sums(x.data(), 1, -3, -20, 512);
        INFO(kernel->name);
        CHECK(near);
        CHECK(last == sums.back());
        CHECK(std::fabs(found.total - (running - 7) * 4) <= 1e-11);
        CHECK(std::fabs(found.squares - squares) <= 1e-11);
        CHECK(std::fabs(found.falls - falls) <= 1e-11);
        for (const std::size_t offset : {0u, 1u, 3u, 7u}) {
            std::vector<double> copied(600, -1);
            kernel->weights.stream(parts.data(), copied.data() + offset, 500);
            kernel->weights.fence();
            CHECK(std::equal(parts.begin(), parts.begin() + 500, copied.begin() + static_cast<std::ptrdiff_t>(offset)));
            CHECK(copied[offset + 500] == -1);
        }
    }
}

TEST_CASE("sums over a row are those of 60 digits, whatever its length and scale") {
    // Arguments are rounded to 2^-53 of up to 400.
    const double bound = (44 + 2 * 400) * 0x1p-53;
    for (const std::size_t count : {1u, 15u, 511u, 512u, 513u, 20000u}) {
        const std::vector<double> row = row_of(count, count);
        for (const double scale : {1.0, -0.125}) {
            std::vector<double> scaled = row;
            if (scale < 0) {
                for (double& x : scaled) x = std::isinf(x) ? infinity : x;
            }
            for (const double next : {-infinity, -3.0, 20.0}) {
                const RowSums found = sum_row(scaled, scale, next);
                const Exact exact = exact_sums(scaled, scale, next, found.shift);
                INFO(count << " numbers, scale " << scale << ", next " << next);
                CHECK(is_near(found.total, exact.total, exact.total, bound));
                CHECK(is_near(found.squares, exact.squares, exact.squares, 2 * bound));
                CHECK(is_near(found.falls, exact.falls, exact.squares + exact.total, 2 * bound));
            }
        }
    }
}

TEST_CASE("a softmax adds up to one, is the quotient of 60 digits, and has its running sums") {
    const std::vector<double> row = row_of(50001, 3);
    std::vector<double> shares(row.size());
    std::vector<double> sums(row.size());
    const RowSums whole = softmax_row(row, shares, sums);
    Multiprecision running = number(0);
    bool near = true;
    const Multiprecision total = exact_sums(row, 1, -infinity, whole.shift).total;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Multiprecision exact = numerics::exp(number(row[i]) - number(whole.shift)) / total;
        running = running + exact;
        // Shares below the least normal number may be lost.
        near = near && is_near(shares[i], exact, exact + number(1e-300), 1500 * 0x1p-53);
        near = near && is_near(sums[i], running, running + number(1e-300), 1500 * 0x1p-53);
    }
    CHECK(near);
    CHECK(std::fabs(sums.back() - 1) <= 1e-13);
    std::vector<double> again(row.size());
    running_sums(shares, again);
    for (std::size_t i = 0; i < row.size(); i += 7) CHECK(std::fabs(again[i] - sums[i]) <= 1e-13 * sums[i]);
}

TEST_CASE("results larger than the caches, from any address, are the quotients one by one") {
    const std::size_t count = (std::size_t{1} << 21) + GENERATE(std::size_t{1}, std::size_t{77});
    std::vector<double> row(count);
    for (std::size_t i = 0; i < count; ++i) row[i] = -3 * std::log1p(static_cast<double>(i));
    std::vector<double> shares(count + 1);
    std::vector<double> sums(count + 1);
    const double total = softmax_row(row, std::span(shares).last(count), std::span(sums).first(count)).total;
    double running = 0;
    bool near = true;
    for (std::size_t i = 0; i < count; ++i) {
        const double wanted = std::exp(row[i]) / total;
        running += wanted;
        // Plain running sums of so many terms.
        near = near && std::fabs(shares[i + 1] - wanted) <= 1e-13 * wanted && std::fabs(sums[i] - running) <= 1e-10;
    }
    CHECK(near);
}

TEST_CASE("rows without a finite logit have no value, and the digits do not depend on the processors") {
    CHECK(std::isnan(sum_row(std::vector<double>{1, infinity}, 1, -infinity).total));
    CHECK(std::isnan(sum_row(std::vector<double>{1, std::nan(""), 2}, 1, -infinity).total));
    CHECK(sum_row(std::vector<double>(3, -infinity), 1, -infinity).total == 0);
    const std::vector<double> row = row_of(300000, 4);
    const std::size_t usual = numerics::processors();
    numerics::set_processors(1);
    const RowSums alone = sum_row(row, 1, -infinity);
    for (const std::size_t threads : {2, 5}) {
        numerics::set_processors(threads);
        const RowSums found = sum_row(row, 1, -infinity);
        CHECK(found.total == alone.total);
        CHECK(found.squares == alone.squares);
        CHECK(found.falls == alone.falls);
    }
    numerics::set_processors(usual);
}
