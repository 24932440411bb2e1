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
