#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/numerics/philox.hpp>
#include <set>

using namespace farfield;
using numerics::philox;
using numerics::Random;

TEST_CASE("Philox 4x32-10 gives the published answers") {
    using Four = std::array<std::uint32_t, 4>;
    // kat_vectors of Random123 1.09: zeros, ones, and the digits of pi.
    CHECK(philox({0, 0, 0, 0}, {0, 0}) == Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    const std::uint32_t ones = 0xffffffff;
    CHECK(philox({ones, ones, ones, ones}, {ones, ones}) == Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
          Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("streams of another seed, purpose, step or row have nothing in common") {
    std::set<std::uint64_t> seen;
    for (std::uint64_t seed : {0ULL, 1ULL, 1ULL << 40})
        for (std::uint32_t stream : {0U, 1U})
            for (std::uint32_t step : {0U, 1U})
                for (std::uint32_t row : {0U, 1U}) {
                    Random random(seed, stream, step, row);
                    for (int i = 0; i < 10; ++i) seen.insert(random.bits());
                }
    CHECK(seen.size() == 3 * 2 * 2 * 2 * 10);
}

TEST_CASE("a stream hands out the halves of its blocks in order, each number once") {
    // The layout on which the digits of every training depend: counter (block, row, step, stream), key the seed.
    const std::uint64_t seed = 0x123456789abcdef0;
    Random random(seed, 7, 5, 3);
    Random again(seed, 7, 5, 3);
    Random small(seed, 7, 5, 3);
    for (std::uint32_t block = 0; block < 5; ++block) {
        const auto words = philox({block, 3, 5, 7}, {0x9abcdef0, 0x12345678});
        for (const std::size_t half : {std::size_t{0}, std::size_t{2}}) {
            const std::uint64_t wanted = std::uint64_t{words[half]} << 32 | words[half + 1];
            CHECK(random.bits() == wanted);
            CHECK(again.uniform() == std::ldexp(static_cast<double>(wanted >> 11), -53));
            // The high half of the product, which 128 bits hold whole.
            const std::uint64_t counts[] = {1, 6, 0xffffffff, 0x100000001, 0xfedcba9876543210, ~std::uint64_t{0}};
            const std::uint64_t count = counts[2 * block + half / 2 < 6 ? 2 * block + half / 2 : 5];
            CHECK(small.below(count) ==
                  static_cast<std::uint64_t>(static_cast<unsigned __int128>(wanted) * count >> 64));
        }
    }
}

TEST_CASE("a number below a count is the high half of the product of count and bits") {
    Random bits(3, 1);
    Random small(3, 1);
    Random counts(4, 1);
    for (int i = 0; i < 2000; ++i) {
        const std::uint64_t count = (counts.bits() | std::uint64_t{1} << 63) >> i % 64;
        CHECK(small.below(count) ==
              static_cast<std::uint64_t>(static_cast<unsigned __int128>(bits.bits()) * count >> 64));
    }
}

TEST_CASE("gamma variables have the variance and the tails of their distribution") {
    Random random(11, 0);
    const int count = 40000;
    for (const double shape : {0.3, 1.0, 4.0, 50.0}) {
        double square = 0;
        int above = 0;
        for (int i = 0; i < count; ++i) {
            const double x = random.gamma(shape);
            square += (x - shape) * (x - shape);
            above += x > 1 ? 1 : 0;
            CHECK(x > 0);
        }
        INFO(shape);
        // The variance is the shape and the fourth central moment 3 shape^2 + 6 shape.
        CHECK(std::abs(square / count - shape) <= 5 * std::sqrt((2 * shape * shape + 6 * shape) / count));
        // Above 1 lies exp(-1) of shape 1, and exp(-1) (1 + 1 + 1/2 + 1/6) of shape 4.
        const double share = shape == 1 ? std::exp(-1) : std::exp(-1) * 8 / 3;
        const double error = 5 * std::sqrt(share * (1 - share) / count);
        if (shape == 1 || shape == 4) CHECK(std::abs(static_cast<double>(above) / count - share) <= error);
    }
    Random other(11, 1);
    int within = 0;
    double together = 0;
    for (int i = 0; i < count; ++i) {
        const double a = other.normal();
        const double b = other.normal();
        within += std::abs(a) < 1 ? 1 : 0;
        together += a * b;
    }
    // erf(1/sqrt(2)) of normal numbers lie within 1, and two in a row have nothing to do with each other.
    const double share = std::erf(std::sqrt(0.5));
    CHECK(std::abs(static_cast<double>(within) / count - share) <= 5 * std::sqrt(share * (1 - share) / count));
    CHECK(std::abs(together / count) <= 5 / std::sqrt(count));
}

TEST_CASE("a normal number is made of two uniform ones, as Box and Muller do") {
    // The initial weights of every training depend on it.
    Random normals(9, 4);
    Random uniforms(9, 4);
    for (int i = 0; i < 100; ++i) {
        const double first = uniforms.uniform();
        const double second = uniforms.uniform();
        const double pi = 3.14159265358979323846;
        CHECK(normals.normal() ==
              Approx(std::sqrt(-2 * std::log(1 - first)) * std::cos(2 * pi * second)).epsilon(1e-14));
    }
}

TEST_CASE("moments are those of the distributions, within five standard errors") {
    Random random(7, 0);
    const int count = 40000;
    double uniform = 0, normal = 0, square = 0, small = 0, one = 0, large = 0;
    for (int i = 0; i < count; ++i) {
        uniform += random.uniform();
        const double z = random.normal();
        normal += z;
        square += z * z;
        small += random.gamma(0.3);
        one += random.gamma(1);
        large += random.gamma(4);
    }
    // Means 1/2, 0, 1 and the shape; variances 1/12, 1, 2 and the shape.
    const auto near = [&](double sum, double mean, double variance) {
        return std::abs(sum / count - mean) <= 5 * std::sqrt(variance / count);
    };
    CHECK(near(uniform, 0.5, 1.0 / 12));
    CHECK(near(normal, 0, 1));
    CHECK(near(square, 1, 2));
    CHECK(near(small, 0.3, 0.3));
    CHECK(near(one, 1, 1));
    CHECK(near(large, 4, 4));
}

TEST_CASE("numbers below a count reach every one of them and nothing else") {
    Random random(3, 1);
    std::array<int, 6> counts{};
    for (int i = 0; i < 6000; ++i) ++counts.at(random.below(6));
    for (const int count : counts) CHECK(std::abs(count - 1000) < 5 * 29);  // sqrt(6000 * 1/6 * 5/6) = 28.9
    CHECK(random.below(1) == 0);
    CHECK_THROWS_AS(random.below(0), core::PreconditionError);
    CHECK_THROWS_AS(random.gamma(0), core::PreconditionError);
}
