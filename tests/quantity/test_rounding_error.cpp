#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

core::Result rounding_error(const std::string& toml) {
    return compute(rounding_error_kind(), toml);
}

double number(const core::Result& result, const std::string& field) {
    const core::Cell* cell = result.find(field);
    INFO(field);
    REQUIRE(cell);
    REQUIRE(cell->number);
    return *cell->number;
}

TEST_CASE("bounds are no larger than FPTaylor's and no smaller than errors found") {
    // FPBench's formulas; bounds of FPTaylor for doubles, as its authors printed them. The inputs of carbonGas are
    // numbers of the format there, all others are real.
    struct Row {
        const char* name;
        const char* formula;
        const char* over;
        const char* inputs;
        double fptaylor;
    };
    static const std::string t = "(3*x*x + 2*y - x)/(x*x + 1)";
    static const std::string jet = "x + ((2*x*" + t + "*(" + t + " - 3) + x*x*(4*" + t + " - 6))*(x*x + 1) + 3*x*x*" +
                                   t + " + x*x*x + x + 3*((3*x*x - 2*y - x)/(x*x + 1)))";
    const Row row = GENERATE_REF(
        Row{"doppler1", "-(331.4 + 0.6*T)*v/((331.4 + 0.6*T + u)*(331.4 + 0.6*T + u))",
            "u = [-100, 100], v = [20, 20000], T = [-30, 50]", "real", 1.217604e-13},
        Row{"rigidBody1", "-(x*y) - 2*y*z - x - z", "x = [-15, 15], y = [-15, 15], z = [-15, 15]", "real",
            2.948753e-13},
        Row{"turbine1", "3 + 2/(r*r) - 0.125*(3 - 2*v)*(w*w*r*r)/(1 - v) - 4.5",
            "v = [-4.5, -0.3], w = [0.4, 0.9], r = [3.8, 7.8]", "real", 1.669516e-14},
        Row{"verhulst", "4.0*x/(1 + x/1.11)", "x = [0.1, 0.3]", "real", 2.470696e-16},
        Row{"carbonGas", "(3.5e7 + 0.401*(1000/v)*(1000/v))*(v - 1000*42.7e-6) - 1.3806503e-23*1000*300",
            "v = [0.1, 0.5]", "format", 4.962322e-9},
        Row{"sine", "x - x*x*x/6.0 + x*x*x*x*x/120 - x*x*x*x*x*x*x/5040", "x = [-1.57079632679, 1.57079632679]", "real",
            4.430439e-16},
        Row{"sqroot", "1.0 + 0.5*x - 0.125*x*x + 0.0625*x*x*x - 0.0390625*x*x*x*x", "x = [0, 1]", "real", 5.016453e-16},
        Row{"jetEngine", jet.c_str(), "x = [-5, 5], y = [-20, 5]", "real", 1.028348e-11});
    INFO(row.name);
    const core::Result result = rounding_error(std::string("formula = '") + row.formula + "'\nover = { " + row.over +
                                               " }\ninputs = '" + row.inputs + "'");
    const double bound = number(result, "absolute");
    CHECK(bound <= 1.01 * row.fptaylor);
    CHECK(number(result, "found") <= bound);
    CHECK(number(result, "found") >= 0.2 * bound);
    const core::Cell& cell = *result.find("absolute");
    REQUIRE(cell.enclosure);
    CHECK(cell.enclosure->hi == bound);
    CHECK(cell.enclosure->lo <= number(result, "found"));
    CHECK(cell.rigour == core::Rigour::rigorous);
}

TEST_CASE("relative errors and units in the last place of a product are known") {
    // One rounding errs by half a unit of the result, which is at most 2^-53 of it.
    const core::Result result = rounding_error("formula = 'x*y'\nover = { x = [1, 2], y = [1, 2] }");
    CHECK(number(result, "absolute") == 0x1p-52);
    CHECK(number(result, "relative") >= 0x1p-53 * 0.999);
    CHECK(number(result, "relative") <= 0x1p-53 * 1.02);
    CHECK(number(result, "ulps") >= 0.5);
    // Errors of half of these sizes at least are found at a point.
    for (const char* name : {"relative", "ulps"}) CHECK(result.find(name)->enclosure->lo >= 0.4 * number(result, name));
    CHECK(number(result, "ulps") <= 1);  // a box around 2 has results with units of both sizes
}

TEST_CASE("the difference of two formulas counts, over a grid as over reals") {
    // Up to 100 the formulas are 1e-5*100^2 = 0.1 apart, and half a unit of bf16 from 32 to 64 is 0.125.
    const std::string over = GENERATE("[1, 100]", "{ from = 1, to = 100, step = 1 }");
    const core::Result result =
        rounding_error("computed = 'bf16(1 + x/3)'\nexact = '1 + x/3 + 1e-5*x^2'\nover = { x = " + over + " }");
    CHECK(number(result, "absolute") == Approx(0.225).epsilon(1e-12));
    CHECK(number(result, "absolute") >= number(result, "found"));
    // At 100: bf16(34.333...) is 34.25, and 34.433... is meant.
    CHECK(number(result, "found") >= 0.1833);
}

TEST_CASE("relative errors need a formula that stays away from zero") {
    const core::Result result = rounding_error("formula = 'x*y'\nover = { x = [-1, 2], y = [1, 2] }");
    CHECK(number(result, "absolute") == 0x1p-52);
    CHECK_FALSE(result.find("relative")->number);
    CHECK_FALSE(result.find("ulps")->number);
}

TEST_CASE("a formula with rounding operators is compared with its exact formula") {
    const std::string over = "over = { p = [1, 2], t = [1, 1.5] }\n";
    // Both factors err by 2^-24, relatively by 2^-24 at most, and the product by half a unit of at most 4.
    const core::Result same = rounding_error("computed = 'fp32(fp32(p)*fp32(t))'\nexact = 'p*t'\n" + over);
    CHECK(number(same, "absolute") <= 2 * 0x1p-24 + 1.5 * 0x1p-24 + 0x1p-23 + 0x1p-44);
    CHECK(number(same, "absolute") >= 0x1p-23);
    CHECK_FALSE(same.find("ulps")->number);
    // A loop stands for itself without its roundings: products of at most 2, 4 and 6 err by 2^-24, 2^-23 and 2^-22.
    const core::Result loop =
        rounding_error("computed = 'sum(i, 1, 3, fp32(i*p))'\nexact = 'sum(i, 1, 3, i*p)'\nover = { p = [1, 2] }\n");
    CHECK(number(loop, "absolute") <= 7 * 0x1p-24 * 1.01);
    CHECK(number(loop, "absolute") >= 0x1p-24);
    // Another formula: what they differ by counts.
    const core::Result other = rounding_error("computed = 'fp32(p*t)'\nexact = 'p*t + 0.25'\n" + over);
    CHECK(number(other, "absolute") == Approx(0.25 + 0x1p-23).epsilon(1e-9));
    CHECK(number(other, "found") <= number(other, "absolute"));
    CHECK(number(other, "found") >= 0.25);
    // 'exact' is 0.75 at least where 'computed' is 1.
    const core::Result less = rounding_error("computed = 'fp32(p*t)'\nexact = 'p*t - 0.25'\n" + over);
    CHECK(number(less, "relative") >= 0.25 / 0.75);
}

TEST_CASE("the exact formula may also have rounding operators") {
    const core::Result same = rounding_error("computed = 'fp16(x)'\nexact = 'fp16(x)'\nover = { x = [1, 2] }");
    CHECK(number(same, "found") == 0);
    CHECK(same.find("absolute")->enclosure->lo == 0);
    // 3/2 + 2^-8 is 3/2 in bf16, and itself in fp16.
    const core::Result other = rounding_error(
        "computed = 'bf16(x)'\nexact = 'fp16(x)'\nover = { x = { from = 1.50390625, to = 2, step = 0.49609375 } }");
    CHECK(number(other, "found") == 0x1p-8);
    CHECK(number(other, "absolute") >= 0x1p-8);
}

TEST_CASE("every corner of the box is a point at which errors are searched") {
    // The formulas differ by 1/4 at one corner alone, which points drawn between do not meet.
    for (int corner = 0; corner < 8; ++corner) {
        const std::string x = corner % 2 == 0 ? "1" : "2", y = corner / 2 % 2 == 0 ? "-1" : "3";
        const std::string n = corner / 4 == 0 ? "0" : "1000";
        INFO("x = " << x << ", y = " << y << ", n = " << n);
        const core::Result result =
            rounding_error("computed = 'fp32(x*y)'\nexact = 'x*y + if(x == " + x + " and y == " + y + " and n == " + n +
                           ", 0.25, 0)'\nboxes = 1\n"
                           "over = { x = [1, 2], y = [-1, 3], n = { from = 0, to = 1000 } }");
        CHECK(number(result, "found") >= 0.25);
        CHECK(number(result, "found_x") == std::stod(x));
        CHECK(number(result, "found_y") == std::stod(y));
        CHECK(number(result, "found_n") == std::stod(n));
    }
}

TEST_CASE("grids are boxes of their values") {
    const core::Result result =
        rounding_error("formula = 'n*x'\nover = { n = { from = 1, to = 1023 }, x = [0.5, 1] }\nformat = 'fp32'");
    CHECK(number(result, "absolute") == 0x1p-15);  // half a unit below 1024
    // Of 2049 and the like, which fp16 rounds, nothing is said: the bound is about numbers of the format.
    const core::Result odd =
        rounding_error("formula = 'n*1'\nover = { n = { from = 2049, to = 2051 } }\nformat = 'fp16'");
    CHECK(number(odd, "found") <= number(odd, "absolute"));
    const double n = number(result, "found_n");
    CHECK(n == std::floor(n));
}

TEST_CASE("a missing bound is reported with its place") {
    const core::Result overflow =
        rounding_error("formula = 'x*x'\nover = { x = [1, 300] }\nformat = 'fp16'\nboxes = 200");
    CHECK_FALSE(overflow.find("absolute")->number);
    const core::Result pole = rounding_error("formula = '1/x'\nover = { x = [-1, 1] }\nboxes = 200");
    CHECK_FALSE(pole.find("absolute")->number);
    bool says = false;
    for (const auto& [key, text] : pole.notes)
        says = says || (key == "not decided" && text.find("value at x") != std::string::npos);
    CHECK(says);
    // Rounded parts that are nowhere rounded themselves, and have no value at 0.
    const core::Result hidden =
        rounding_error("computed = 'fp16(x) + 0*tanh(1/x)'\nexact = 'x'\nover = { x = [-1, 1] }\nboxes = 200");
    CHECK_FALSE(hidden.find("absolute")->number);
}

TEST_CASE("meaningless declarations are refused") {
    const auto refused = [](const std::string& toml) { return refusal(rounding_error_kind(), toml); };
    const std::string over = "over = { x = [1, 2] }\n";
    CHECK(refused("formula = 'x'\nformat = 'fp23'\n" + over).find("unknown format 'fp23'") != std::string::npos);
    CHECK(refused("computed = 'fp16(x)'\n" + over).find("'computed' without 'exact'") != std::string::npos);
    CHECK(refused("formula = 'x'\nexact = 'x'\n" + over).find("'exact' without 'computed'") != std::string::npos);
    CHECK(refused("computed = 'fp16(x)'\nexact = 'x'\nformat = 'fp16'\n" + over).find("'format' beside 'computed'") !=
          std::string::npos);
    CHECK(refused("formula = 'sum(i, 0, x, i)'\n" + over).find("bounds are not numbers") != std::string::npos);
    CHECK(refused("formula = '3'\n" + over).find("the variable 'x' is unused") != std::string::npos);
    CHECK(refused("formula = 'x + 1'\nover = { x = [1, 1] }").find("'x' has one value") != std::string::npos);
    CHECK(refused("formula = 'x + y'\nover = { x = [1, 1], y = [1, 2] }").empty());
    CHECK(refused("formula = 'x'").find("over") != std::string::npos);
    CHECK(refused("formula = 'x'\ninputs = 'reals'\n" + over).find("format") != std::string::npos);
}

TEST_CASE("a variable of which no value is a number of the format is refused") {
    struct Row {
        const char* over;
        const char* format;
        bool has_number;
    };
    const Row rows[] = {
        {"{ from = 0.1, to = 0.3, step = 0.1 }", "fp16", false},
        {"{ from = 0.1, to = 0.3, step = 0.1 }", "fp64", false},
        {"{ from = 0.1, to = 0.5, step = 0.1 }", "fp16", true},
        {"{ from = 2049, to = 2053, step = 2 }", "fp16", false},
        {"{ from = 2049, to = 2051 }", "fp16", true},
        {"{ from = 0.1, to = 1e6, step = 1 }", "fp16", true},
        {"{ from = 65505, to = 65535 }", "fp16", false},
        {"[0.1, 0.10001]", "fp16", false},
        {"[0.99999, 1.00001]", "fp16", true},
        {"[1, 1.0001]", "fp16", true},
        {"[0.9999, 1]", "fp16", true},
        {"[-1.0001, -1]", "fp16", true},
        {"[-1.0001, -1.00001]", "fp16", false},
        {"[1e-9, 2e-9]", "fp16", false},
        {"[70000, 80000]", "fp16", false},
        {"[500, 600]", "e4m3", false},
        {"[0.1, 0.10000000000000000001]", "fp64", false},
        {"[0.1, 0.3]", "fp64", true},
    };
    for (const Row& row : rows) {
        INFO(row.over << " " << row.format);
        const std::string toml = "formula = 'x + 1'\nboxes = 10\nover = { x = " + std::string(row.over) +
                                 " }\nformat = '" + row.format + "'\n";
        const std::string told = refusal(rounding_error_kind(), toml);
        const std::string problem = "no value of 'x' is a number of " + std::string(row.format) +
                                    "; expected other values, or inputs = \"real\"";
        CHECK((told.find(problem) == std::string::npos) == row.has_number);
        CHECK(told.empty() == row.has_number);
        CHECK(refusal(rounding_error_kind(), toml + "inputs = 'real'").empty());
    }
}

TEST_CASE("the point with the largest error is approached from both sides") {
    // The formulas differ by a bump of 1/4, a thousandth wide, which points drawn anywhere meet at its side alone.
    for (const char* top : {"0.13", "0.271", "0.314159", "0.5772", "0.618", "0.7071", "0.9"}) {
        INFO(top);
        const core::Result result =
            rounding_error(std::string("computed = 'fp32(x)'\nexact = 'x + 0.25*exp(-1e6*(x - ") + top +
                           ")^2)'\nover = { x = [0, 1] }\nboxes = 1000");
        CHECK(number(result, "found") >= 0.25 * (1 - 1e-3));
        CHECK(number(result, "found") <= 0.25 + 0x1p-25);
    }
}

TEST_CASE("the point with the largest error is a number of the format within the box") {
    // 1e8 overflows fp16, whose largest number is 65504.
    for (const char* formula : {"if(x < 9, e^2, e^2)", "min(x, 3)*0.7", "if(x < 9, 0.7, 0.7)*0.3"}) {
        INFO(formula);
        const core::Result result = rounding_error(std::string("formula = '") + formula +
                                                   "'\nformat = 'fp16'\nover = { x = [-1e8, 1e8] }\nboxes = 100");
        CHECK(std::abs(number(result, "found_x")) <= 65504);
    }
}

}  // namespace
}  // namespace farfield::quantity
