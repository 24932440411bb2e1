#include "farfield/numerics/rounding.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace farfield::numerics;

namespace {

const Format& format(std::string_view name) {
    return *find_format(name);
}

}  // namespace

TEST_CASE("a number just off a midpoint is rounded once, where a double between would round it twice") {
    // 1 + 2^-11 is a tie of fp16 and goes to even, 1; anything above goes to 1 + 2^-10.
    const Multiprecision tie(1 + 0x1p-11, 50);
    const Multiprecision nudge(0x1p-80, 50);
    CHECK(round_to(format("fp16"), tie) == 1);
    CHECK(round_to(format("fp16"), tie + nudge) == 1 + 0x1p-10);
    CHECK(round_to(format("fp16"), (tie + nudge).to_double()) == 1);
    CHECK(round_to(format("fp16"), tie - nudge) == 1);
    const Multiprecision upper_tie(1 + 3 * 0x1p-11, 50);
    CHECK(round_to(format("fp16"), upper_tie) == 1 + 0x1p-9);
    CHECK(round_to(format("fp16"), upper_tie - nudge) == 1 + 0x1p-10);
}

TEST_CASE("overflow and underflow depend on the exact value") {
    const Multiprecision nudge(0x1p-80, 60);
    CHECK(round_to(format("e4m3"), Multiprecision(464, 60)) == 448);
    CHECK(std::isnan(round_to(format("e4m3"), Multiprecision(464, 60) + nudge)));
    CHECK(round_to(format("fp16"), Multiprecision(65520, 60) - nudge) == 65504);
    CHECK(std::isinf(round_to(format("fp16"), Multiprecision(65520, 60))));
    CHECK(round_to(format("fp16"), Multiprecision::from_text("1e5000", 60)) == std::numeric_limits<double>::infinity());
    CHECK(round_to(format("fp16"), Multiprecision::from_text("-1e-5000", 60)) == 0);
    CHECK(std::signbit(round_to(format("fp16"), Multiprecision::from_text("-1e-5000", 60))));
    const Multiprecision half_of_smallest(0x1p-25, 60);
    CHECK(round_to(format("fp16"), half_of_smallest) == 0);
    CHECK(round_to(format("fp16"), half_of_smallest + nudge) == 0x1p-24);
    CHECK(std::isnan(round_to(format("fp16"), Multiprecision(std::nan(""), 60))));
}

TEST_CASE("a double rounds alike with and without the detour through multiprecision") {
    std::mt19937_64 random(11);
    for (const Format& row : formats()) {
        for (int i = 0; i < 20000; ++i) {
            const double value =
                std::ldexp(std::uniform_real_distribution<double>(-2, 2)(random), static_cast<int>(random() % 60) - 30);
            const double expected = round_to(row, value);
            const double found = round_to(row, Multiprecision(value, 20));
            REQUIRE(std::bit_cast<std::uint64_t>(found) == std::bit_cast<std::uint64_t>(expected));
        }
    }
}

TEST_CASE("an enclosure is rounded only if both ends agree") {
    CHECK(round_to(format("fp16"), Interval{1.0001, 1.0002}) == 1.0);
    CHECK_FALSE(round_to(format("fp16"), Interval{1.0004, 1.0006}).has_value());
    CHECK_FALSE(round_to(format("fp16"), undefined_interval()).has_value());
    const std::optional<double> beyond = round_to(format("e4m3"), Interval{500, 600});
    REQUIRE(beyond.has_value());
    CHECK(std::isnan(*beyond));
    CHECK_FALSE(round_to(format("e4m3"), Interval{460, 470}).has_value());
}
