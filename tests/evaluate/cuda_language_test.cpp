// The device's operators in low precision against the processor's emulation, number by number.
#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <farfield/evaluate/cuda/language.cuh>
#include <farfield/numerics/format.hpp>
#include <farfield/numerics/multiprecision.hpp>

#include "evaluate/low_precision_arithmetic.hpp"
#include "evaluate/t5_bucket.hpp"
#include "support/trials.hpp"

using namespace farfield;
using numerics::Multiprecision;

namespace {

using Emulation = evaluate::LowPrecisionArithmetic;

bool same_bits(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// Every number of a format, infinities and a NaN among them.
std::vector<double> numbers_of(const numerics::Format& format) {
    std::vector<double> numbers;
    for (std::uint32_t bits = 0; bits < std::uint32_t{1} << width_in_bits(format); ++bits)
        numbers.push_back(numerics::decode(format, bits));
    return numbers;
}

const numerics::Format& format(const char* name) {
    return *numerics::find_format(name);
}

/// Calls check(format, arithmetic of the device) for all four.
template <class Check>
void for_each_format(Check check) {
    check(format("fp16"), device::formats::fp16{});
    check(format("bf16"), device::formats::bf16{});
    check(format("e4m3"), device::formats::e4m3{});
    check(format("e5m2"), device::formats::e5m2{});
}

struct Counted {
    std::size_t failures = 0;
    std::string first;

    void expect(double found, double wanted, const std::string& where) {
        if (same_bits(found, wanted)) return;
        if (failures++ == 0) first = where + " is " + std::to_string(wanted) + ", not " + std::to_string(found);
    }
};

std::string text(double x) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%a", x);
    return buffer;
}

#define UNARY(name)                                                                                  \
    {                                                                                                \
#name, [](double x) { return Device::name(x); }, [&](double x) { return emulation.name(x); } \
    }
#define BINARY(name)                                                                                                 \
    {                                                                                                                \
#name, [](double x, double y) { return Device::name(x, y); }, [&](double x,                                  \
                                                                          double y) { return emulation.name(x, y); } \
    }

struct Unary {
    const char* name;
    std::function<double(double)> device;
    std::function<double(double)> emulated;
};
struct Binary {
    const char* name;
    std::function<double(double, double)> device;
    std::function<double(double, double)> emulated;
};

template <class Device>
std::vector<Unary> unary_operators(const Emulation& emulation) {
    return {
        UNARY(negate),   UNARY(absolute), UNARY(square_root),   UNARY(floor), UNARY(ceiling), UNARY(round), UNARY(sign),
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) UNARY(name),
#include <farfield/numerics/functions.def>
        UNARY(softplus), UNARY(sigmoid),  UNARY(sine_integral),
#define FORMAT(name, alias, exponent_bits, mantissa_bits, overflow, source) UNARY(to_##name),
#include <farfield/numerics/formats.def>
    };
}

template <class Device>
std::vector<Binary> binary_operators(const Emulation& emulation) {
    return {BINARY(add),        BINARY(subtract), BINARY(multiply), BINARY(divide), BINARY(modulo),  BINARY(power),
            BINARY(arctangent), BINARY(minimum),  BINARY(maximum),  BINARY(sum),    BINARY(product), BINARY(binomial)};
}

// Pairs whose power or angle lies where rounding turns, or next to it: whole and half powers, and tiny ratios, which
// the angle falls short of by a third of their cube. (2^-34 over 2^100 is half of bfloat16's smallest number.)
std::vector<std::pair<double, double>> hard_pairs(const numerics::Format& format) {
    std::vector<std::pair<double, double>> pairs;
    const int bits = format.mantissa_bits;
    for (int mantissa = 1; mantissa < 1 << std::min(bits + 1, 11); mantissa += 2) {
        for (const int exponent : {-40, -34, -9, -3, 0, 1, 4, 30, 100}) {
            const double x = numerics::round_to(format, std::ldexp(mantissa, exponent));
            if (x == 0 || !std::isfinite(x)) continue;
            for (const double power : {2.0, 3.0, -1.0, 4.0, 0.5, 1.5, -2.0, 0.25}) {
                pairs.emplace_back(x, power);
                pairs.emplace_back(-x, power);
            }
            for (const double other : {0x1p100, 0x1p60, 3 * 0x1p50, 0x1p14, -0x1p14, 5 * 0x1p10, 1.0})
                pairs.emplace_back(x, numerics::round_to(format, other));
        }
    }
    return pairs;
}

}  // namespace

TEST_CASE("every function of one number gives the emulation's bits for every number of every format") {
    for_each_format([](const numerics::Format& format, auto arithmetic) {
        using Device = decltype(arithmetic);
        const Emulation emulation{&format};
        const std::vector<double> numbers = numbers_of(format);
        for (const Unary& each : unary_operators<Device>(emulation)) {
            Counted counted;
            for (const double x : numbers)
                counted.expect(each.device(x), each.emulated(x), std::string(each.name) + " of " + text(x));
            INFO(format.name << ": " << counted.first);
            CHECK(counted.failures == 0);
        }
    });
}

// A device's functions may be off by a few units of 2^-53 where the host's are not: no value may lie so near to where
// rounding turns that this mattered.
TEST_CASE("no function of one number comes within 2^-40 of where rounding turns") {
    struct Function {
        const char* name;
        double (*value)(double);
    };
    const Function functions[] = {
        {"exp", std::exp},
        {"expm1", std::expm1},
        {"log", std::log},
        {"log1p", std::log1p},
        {"sin", std::sin},
        {"cos", std::cos},
        {"tan", std::tan},
        {"tanh", std::tanh},
        {"erf", std::erf},
        {"log2", [](double x) { return std::exp2(std::rint(std::log2(x))) == x ? 0 : std::log2(x); }},
        {"softplus", evaluate::StandardArithmetic<double>::softplus},
        {"sigmoid", evaluate::StandardArithmetic<double>::sigmoid},
        {"Si", evaluate::sine_integral}};
    for_each_format([&](const numerics::Format& format, auto) {
        for (const Function& function : functions) {
            std::size_t near = 0;
            for (const double x : numbers_of(format)) {
                const double value = function.value(x);
                if (std::isnan(value) || std::isinf(value) || value == 0) continue;
                const double low = numerics::round_to(format, value - std::fabs(value) * 0x1p-40);
                const double high = numerics::round_to(format, value + std::fabs(value) * 0x1p-40);
                if (!same_bits(low, high)) ++near;
            }
            INFO(format.name << " " << function.name);
            CHECK(near == 0);
        }
    });
}

TEST_CASE("every function of two numbers gives the emulation's bits for every pair of 8 bits, and where it is hard") {
    for_each_format([](const numerics::Format& format, auto arithmetic) {
        using Device = decltype(arithmetic);
        const Emulation emulation{&format};
        const std::vector<double> numbers = numbers_of(format);
        std::vector<std::pair<double, double>> pairs = hard_pairs(format);
        if (width_in_bits(format) == 8) {
            for (std::size_t i = 0; i < numbers.size(); i += farfield::tests::every)
                for (const double y : numbers) pairs.emplace_back(numbers[i], y);
        } else {
            std::mt19937_64 random(20261121);
            for (int i = 0; i < farfield::tests::trials(100000); ++i) {
                const double x = numbers[random() % numbers.size()];
                pairs.emplace_back(x, numbers[random() % numbers.size()]);
            }
        }
        for (const Binary& each : binary_operators<Device>(emulation)) {
            Counted counted;
            for (const auto& [x, y] : pairs)
                counted.expect(each.device(x, y), each.emulated(x, y),
                               std::string(each.name) + " of " + text(x) + ", " + text(y));
            INFO(format.name << ": " << counted.first);
            CHECK(counted.failures == 0);
        }
    });
}

TEST_CASE("hard pairs do need the digits beyond a double's") {
    std::size_t undecided = 0;
    for (const auto& [x, y] : hard_pairs(format("bf16"))) {
        if (!device::formats::bf16::is_decided(std::pow(x, y))) ++undecided;
        if (!device::formats::bf16::is_decided(std::atan2(x, y))) ++undecided;
    }
    CHECK(undecided > 30);
}

TEST_CASE("logarithms, exponentials and angles of twice a double's digits are within 2^-90 of exact") {
    const auto error = [](const numerics::DoubleDouble& found, const Multiprecision& exact) {
        const Multiprecision sum = Multiprecision(found.hi, 60) + Multiprecision(found.lo, 60);
        return numerics::abs((sum - exact) / exact).to_double();
    };
    const auto wide = [](double x) { return Multiprecision(x, 60); };
    std::mt19937_64 random(7);
    const auto between = [&](double low, double high) {
        return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
    };
    double worst_log = 0, worst_exp = 0, worst_angle = 0;
    for (int i = 0; i < 2000; ++i) {
        const double a = std::ldexp(between(1, 2), static_cast<int>(random() % 200) - 100);
        const double b = i % 4 == 0 ? a * (1 + between(1e-9, 1e-3)) : between(0.1, 100);
        worst_log = std::max(worst_log, error(device::wide_log_of_ratio(a, b), log(wide(a) / wide(b))));
        const double x = between(-600, 600);
        worst_exp = std::max(worst_exp, error(device::wide_exp({x, x * 0x1p-60}), exp(wide(x) + wide(x * 0x1p-60))));
        const double u = i % 2 == 0 ? between(-1, 1) : a;
        worst_angle = std::max(worst_angle, error(device::wide_atan2(u, b), atan2(wide(u), wide(b))));
    }
    CHECK(worst_log < 0x1p-90);
    CHECK(worst_exp < 0x1p-90);
    CHECK(worst_angle < 0x1p-90);
}

TEST_CASE("T5's bucket on a device is the processor's, at whole distances and where buckets begin") {
    std::size_t failures = 0;
    for (const double buckets : {2.0, 3.0, 8.0, 31.0, 32.0, 64.0, 1000.0}) {
        for (const double largest : {2.5, 16.0001, 20.0, 64.0, 128.0, 1024.0, 1e6, HUGE_VAL, 0.5}) {
            std::vector<double> distances = {-5, -0.0, 0.5, std::nan(""), HUGE_VAL, 1e300, 15.999999999999998};
            for (int n = 0; n < 3000; ++n) distances.push_back(n);
            const double near = std::floor(buckets / 2);
            for (double j = 0; j <= buckets - near; ++j) {
                const double begin = near * std::pow(largest / near, j / (buckets - near));
                for (const double n : {std::nextafter(begin, 0), begin, std::nextafter(begin, HUGE_VAL)})
                    distances.push_back(n);
            }
            for (const double n : distances) {
                const double found = device::t5_bucket(n, buckets, largest);
                if (!same_bits(found, evaluate::t5_bucket(n, buckets, largest))) ++failures;
            }
        }
    }
    CHECK(failures == 0);
    for (const double buckets : {1.0, 2.5, 65537.0, std::nan("")})
        CHECK(std::isnan(device::t5_bucket(3, buckets, 128)));
}
