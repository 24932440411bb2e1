// fp32(x), fp16(x), bf16(x), e4m3(x), e5m2(x) in every number system.
#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <farfield/evaluate/enclose.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/evaluate/reference.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/numerics/format.hpp>

#include "evaluate/closed.hpp"
#include "support/trials.hpp"

namespace farfield::evaluate {
namespace {

struct Row {
    const char* texts[5];
};
// Expected values are numpy's and ml_dtypes'.
const Row rows[] = {
#include "references/numerics/formats.inc"
};
const char* const of_rows[] = {"fp16", "bf16", "e4m3", "e5m2"};

formula::Program compiled(const std::string& text) {
    return formula::compile(formula::parse(text), {{}, {"x"}, {}});
}

std::vector<double> values_of(const std::string& text, const std::vector<double>& x, const std::string& system) {
    Inputs inputs;
    inputs.points = x.size();
    inputs.varying.emplace_back(std::span<const double>(x));
    return evaluate(compiled(text), inputs, read_number_system(system));
}

bool is_same(double a, double b) {
    return std::isnan(a) ? std::isnan(b) : std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

TEST_CASE("rounding operators agree with numpy and ml_dtypes in doubles, floats and multiprecision") {
    std::vector<double> x;
    for (const Row& row : rows) x.push_back(std::strtod(row.texts[0], nullptr));
    for (int format = 0; format < 4; ++format) {
        const std::string formula = std::string(of_rows[format]) + "(x)";
        for (const char* system : {"double", "float", "mp30"}) {
            INFO(formula << " in " << system);
            const std::vector<double> found = values_of(formula, x, system);
            for (std::size_t i = 0; i < x.size(); ++i) {
                INFO(rows[i].texts[0]);
                const double expected = std::strtod(rows[i].texts[format + 1], nullptr);
                REQUIRE(is_same(found[i], expected));
                REQUIRE(is_same(reference(formula::parse(formula), {{{"x", x[i]}}, {}}), expected));
            }
        }
    }
}

TEST_CASE("a double is rounded to fp32 as the processor does") {
    std::mt19937_64 random(7);
    std::vector<double> x;
    for (int i = 0; i < tests::trials(20000); ++i) {
        const double value = std::bit_cast<double>(random());
        if (!std::isnan(value)) x.push_back(value);
        x.push_back(std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 300) - 200));
    }
    const std::vector<double> found = values_of("fp32(x)", x, "double");
    for (std::size_t i = 0; i < x.size(); ++i)
        REQUIRE(is_same(found[i], static_cast<double>(static_cast<float>(x[i]))));
}

TEST_CASE("multiprecision rounds once") {
    // 1 + 2^-11 is halfway between 1 and 1 + 2^-10 in fp16; 2^-80 more is above, which no double tells.
    const std::string above = "1 + 2^(-11) + 0*x + 2^(-80)";
    CHECK(values_of("fp16(" + above + ")", {0}, "mp50")[0] == 1 + 0x1p-10);
    CHECK(values_of("fp16(" + above + ")", {0}, "double")[0] == 1);
    CHECK(values_of("e4m3(464 + 0*x + 2^(-90))", {0}, "mp50")[0] != values_of("e4m3(464 + 0*x)", {0}, "mp50")[0]);
    CHECK(values_of("bf16(0*x - 2^(-134) - 2^(-300))", {0}, "mp80")[0] == -0x1p-133);
}

TEST_CASE("an enclosure of a rounded value holds what its ends round to, and nothing beside") {
    const auto enclosed = [](const std::string& text, double lo, double hi, Enclosing how) {
        EnclosedInputs inputs;
        inputs.varying.push_back({{lo, hi}});
        return enclose(compiled(text), inputs, how).front();
    };
    for (const Enclosing how : {Enclosing::fast, Enclosing::rigorous}) {
        CHECK(enclosed("fp16(x)", 1, 1 + 0x1p-11, how) == core::Enclosure{1, 1});
        CHECK(enclosed("fp16(x)", 1, 1 + 0x1p-10, how) == core::Enclosure{1, 1 + 0x1p-10});
        CHECK(enclosed("e4m3(x)", -464, 20.5, how) == core::Enclosure{-448, 20});
        CHECK(std::isinf(enclosed("e4m3(x)", 0, 465, how).lo));
        CHECK(std::isinf(enclosed("e5m2(x)", 0, 61440, how).hi));
        // 0.1 is the decimal, between two doubles that round alike.
        CHECK(enclosed("bf16(0.1 + 0*x)", 0, 0, how) == core::Enclosure::exactly(0.10009765625));
    }
}

TEST_CASE("rounded rationals are exact") {
    const auto exact = [](const std::string& text) { return exact_value(formula::parse(text)); };
    CHECK(exact("fp16(0.1)") == numerics::Rational(1638, 16384));  // 0x1.998p-4
    CHECK(exact("bf16(1/3)") == numerics::Rational(171, 512));
    CHECK(exact("e4m3(-1/3)") == numerics::Rational(-11, 32));
    CHECK(exact("fp32(1 + 2^(-24))") == numerics::Rational(1));
    CHECK(exact("fp32(1 + 2^(-24) + 2^(-200))") == 1 + numerics::Rational(1, 1 << 23));
    CHECK(exact("bf16(cos(1))") == numerics::Rational(138, 256));  // cos(1) = 0.5403, in steps of 2^-8
    CHECK_FALSE(exact("e4m3(465)"));
    CHECK_FALSE(exact("fp16(65520)"));
    CHECK(exact("e4m3(464)") == numerics::Rational(448));
}

TEST_CASE("in a low-precision system the rounded value is rounded to that too") {
    // 1 + 2^-9 in bf16 is 1; in e4m3 arithmetic fp16 of 17 is 16, as 17 is when it is read.
    CHECK(values_of("bf16(x)", {1 + 0x1p-9}, "fp16")[0] == 1);
    CHECK(values_of("fp16(x)", {17}, "e4m3")[0] == 16);
    CHECK(values_of("e4m3(x)", {17}, "bf16")[0] == 16);
}

}  // namespace
}  // namespace farfield::evaluate
