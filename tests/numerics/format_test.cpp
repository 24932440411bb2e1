#include "farfield/numerics/format.hpp"
#include "farfield/numerics/interval.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>
#include "farfield/core/error.hpp"
#include "support/trials.hpp"

using namespace farfield::numerics;

namespace {

#if defined(__aarch64__)
using NativeHalf = __fp16;
#else
using NativeHalf = _Float16;
#endif

const Format& format(std::string_view name) {
    const Format* found = find_format(name);
    REQUIRE(found != nullptr);
    return *found;
}

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

// The definition of the formats written a second time, with ldexp: nonnegative finite numbers in order.
std::vector<double> nonnegative_numbers(const Format& row) {
    const int bias = (1 << (row.exponent_bits - 1)) - 1;
    const int fields = (1 << row.exponent_bits) - (row.overflow == OverflowRule::infinite ? 1 : 0);
    const int fractions = 1 << row.mantissa_bits;
    std::vector<double> numbers;
    for (int field = 0; field < fields; ++field) {
        for (int fraction = 0; fraction < fractions; ++fraction) {
            const int hidden = field == 0 ? 0 : fractions;
            numbers.push_back(std::ldexp(hidden + fraction, std::max(field, 1) - bias - row.mantissa_bits));
        }
    }
    if (row.overflow == OverflowRule::not_a_number) numbers.pop_back();
    return numbers;
}

// Nearest by comparison with the exact midpoint (a double, since formats have at most 24 bits), ties to the even rank.
double nearest(const Format& row, const std::vector<double>& numbers, double value) {
    const double magnitude = std::fabs(value);
    const auto above = std::upper_bound(numbers.begin(), numbers.end(), magnitude);
    const std::size_t low = static_cast<std::size_t>(above - numbers.begin()) - 1;
    const double beyond = row.overflow == OverflowRule::infinite ? infinity : not_a_number;
    const double step = numbers[numbers.size() - 1] - numbers[numbers.size() - 2];
    const double high = above == numbers.end() ? numbers.back() + step : *above;
    const double middle = numbers[low] + (high - numbers[low]) / 2;
    const bool up = magnitude > middle || (magnitude == middle && low % 2 == 1);
    const double chosen = !up ? numbers[low] : (above == numbers.end() ? beyond : high);
    return std::copysign(chosen, value);
}

bool same(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

std::vector<double> probes(const std::vector<double>& numbers) {
    std::vector<double> values{0.0, infinity, 1e300, 5e-324, std::numeric_limits<double>::max()};
    for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
        const double middle = numbers[i] + (numbers[i + 1] - numbers[i]) / 2;
        for (const double value : {numbers[i], middle, numbers[i + 1]}) {
            values.push_back(std::nextafter(value, -infinity));
            values.push_back(value);
            values.push_back(std::nextafter(value, infinity));
        }
    }
    const double last_step = numbers.back() - numbers[numbers.size() - 2];
    values.push_back(numbers.back() + last_step / 2);
    values.push_back(std::nextafter(numbers.back() + last_step / 2, 0));
    values.push_back(std::nextafter(numbers.back() + last_step / 2, infinity));
    return values;
}

}  // namespace

TEST_CASE("formats have the published limits") {
    // IEEE 754-2019 table 3.5; OCP OFP8 table 2; bfloat16 is the upper half of binary32.
    struct Row {
        std::string name;
        double largest, normal, subnormal;
    };
    const std::vector<Row> rows{
        {"fp32", 3.4028234663852886e38, 0x1p-126, 0x1p-149},
        {"fp16", 65504, 0x1p-14, 0x1p-24},
        {"bf16", 3.3895313892515355e38, 0x1p-126, 0x1p-133},
        {"e4m3", 448, 0x1p-6, 0x1p-9},
        {"e5m2", 57344, 0x1p-14, 0x1p-16},
    };
    REQUIRE(formats().size() == rows.size());
    for (const Row& row : rows) {
        INFO(row.name);
        CHECK(largest_finite(format(row.name)) == row.largest);
        CHECK(smallest_normal(format(row.name)) == row.normal);
        CHECK(smallest_subnormal(format(row.name)) == row.subnormal);
    }
    CHECK(find_format("float") == find_format("fp32"));
    for (const char* name : {"half", "float16"}) CHECK(find_format(name) == find_format("fp16"));
    CHECK(find_format("bfloat16") == find_format("bf16"));
    CHECK(find_format("float8_e4m3fn") == find_format("e4m3"));
    CHECK(find_format("fp16")->names() == std::vector<std::string>{"fp16", "half", "float16"});
    for (const char* name : {"fp17", "", "half|float16", "hal"}) CHECK(find_format(name) == nullptr);
}

TEST_CASE("every encoding of the 8 and 16 bit formats survives decoding and encoding") {
    for (const std::string name : {"fp16", "bf16", "e4m3", "e5m2"}) {
        const Format& row = format(name);
        const std::vector<double> numbers = nonnegative_numbers(row);
        const std::uint32_t count = std::uint32_t{1} << width_in_bits(row);
        for (std::uint32_t bits = 0; bits < count; ++bits) {
            const double value = decode(row, bits);
            const std::uint32_t rank = bits & (count / 2 - 1);
            INFO(name << " " << bits);
            if (rank < numbers.size()) {
                const double expected = bits == rank ? numbers[rank] : -numbers[rank];
                REQUIRE(same(value, expected));
                REQUIRE(encode(row, value) == bits);
                REQUIRE(same(round_to(row, value), value));
            } else if (row.overflow == OverflowRule::infinite && rank == numbers.size()) {
                REQUIRE(same(value, bits == rank ? infinity : -infinity));
                REQUIRE(encode(row, value) == bits);
            } else {
                REQUIRE(std::isnan(value));
                REQUIRE(std::isnan(decode(row, encode(row, value))));
            }
        }
    }
}

TEST_CASE("rounding agrees with the definition at every number, midpoint and neighbour of both") {
    for (const std::string name : {"fp16", "bf16", "e4m3", "e5m2"}) {
        const Format& row = format(name);
        const std::vector<double> numbers = nonnegative_numbers(row);
        for (const double value : probes(numbers)) {
            INFO(name << " " << value);
            REQUIRE(same(round_to(row, value), nearest(row, numbers, value)));
            REQUIRE(same(round_to(row, -value), nearest(row, numbers, -value)));
        }
        REQUIRE(std::isnan(round_to(row, not_a_number)));
        REQUIRE(std::isnan(decode(row, encode(row, not_a_number))));
    }
}

TEST_CASE("rounding agrees with the compiler's float and _Float16 on random doubles") {
    std::mt19937_64 random(20240611);
    for (int i = 0; i < farfield::tests::trials(1000000); ++i) {
        const double anything = std::bit_cast<double>(random());
        const double near_float =
            std::ldexp(std::uniform_real_distribution<double>(-2, 2)(random), static_cast<int>(random() % 300) - 155);
        for (const double value : {anything, near_float, std::ldexp(near_float, 120)}) {
            REQUIRE(same(round_to(format("fp32"), value), static_cast<double>(static_cast<float>(value))));
        }
#ifdef __FLT16_MANT_DIG__
        const double near_half =
            std::ldexp(std::uniform_real_distribution<double>(-2, 2)(random), static_cast<int>(random() % 44) - 27);
        REQUIRE(same(round_to(format("fp16"), near_half), static_cast<double>(static_cast<NativeHalf>(near_half))));
#endif
    }
}

TEST_CASE("every float encodes to its own bits") {
    std::mt19937 random(7);
    for (int i = 0; i < 200000; ++i) {
        const std::uint32_t bits = random();
        const float value = std::bit_cast<float>(bits);
        if (std::isnan(value)) continue;
        REQUIRE(encode(format("fp32"), value) == bits);
        REQUIRE(decode(format("fp32"), bits) == value);
    }
}

TEST_CASE("e4m3 rounds 464 to 448 and anything above to NaN") {
    const Format& row = format("e4m3");
    CHECK(round_to(row, 464) == 448);
    CHECK(round_to(row, -464) == -448);
    CHECK(std::isnan(round_to(row, std::nextafter(464.0, 1000))));
    CHECK(std::isnan(round_to(row, infinity)));
    CHECK(encode(row, infinity) == 0x7f);
    CHECK(std::isnan(next_above(row, 448)));
}

TEST_CASE("next_above walks through every number of a format, and next_below walks back") {
    for (const std::string name : {"fp16", "bf16", "e4m3", "e5m2"}) {
        const Format& row = format(name);
        const std::vector<double> numbers = nonnegative_numbers(row);
        for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
            INFO(name << " " << numbers[i]);
            REQUIRE(next_above(row, numbers[i]) == numbers[i + 1]);
            REQUIRE(next_above(row, std::nextafter(numbers[i], infinity)) == numbers[i + 1]);
            REQUIRE(next_above(row, std::nextafter(numbers[i + 1], -infinity)) == numbers[i + 1]);
            REQUIRE(next_above(row, -numbers[i + 1]) == -numbers[i]);
            REQUIRE(next_above(row, -std::nextafter(numbers[i + 1], -infinity)) == -numbers[i]);
            REQUIRE(next_below(row, numbers[i + 1]) == numbers[i]);
        }
        REQUIRE(next_above(row, -infinity) == -largest_finite(row));
        REQUIRE(std::isnan(next_above(row, not_a_number)));
    }
    CHECK(next_above(format("fp16"), 65504) == infinity);
}

TEST_CASE("round_all rounds each element as round_to does") {
    std::vector<double> values{1.0 / 3, -1e9, 0.0, 5e-324};
    round_all(format("bf16"), values);
    CHECK(values == std::vector<double>{0.333984375, -998244352.0, 0.0, 0.0});
}

TEST_CASE("decoding refuses bits above the format's width") {
    CHECK_THROWS_AS(decode(format("e4m3"), 256), farfield::core::PreconditionError);
}
