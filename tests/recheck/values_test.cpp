// Values of the second implementation: infinities by their limits, exact values, ends of ranges, number formats.
#include "recheck/expression.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <vector>

using namespace farfield::recheck;

namespace {

Value of(const std::string& formula) {
    return evaluate(parse(formula), {}, 160);
}

Value on(const std::string& formula, const std::string& lo, const std::string& hi) {
    return evaluate(parse(formula), {{"x", {lo, hi}}});
}

}  // namespace

TEST_CASE("operations on infinities have the limits of their operands' sequences, or no value") {
    struct Row {
        const char* formula;
        const char* value;  // "none": neither real nor infinite
    };
    // IEEE 754, 6.1 and 7.2, and the limits of the functions.
    const std::vector<Row> rows = {
        {"inf + 1", "inf"},
        {"1 - inf", "-inf"},
        {"-inf - inf", "-inf"},
        {"inf - inf", "none"},
        {"-inf + inf", "none"},
        {"inf + inf", "inf"},
        {"2*inf", "inf"},
        {"inf*(-2)", "-inf"},
        {"inf*(-inf)", "-inf"},
        {"(-inf)*(-inf)", "inf"},
        {"0*inf", "none"},
        {"inf*0", "none"},
        {"1/inf", "0"},
        {"-7/(-inf)", "0"},
        {"0/inf", "0"},
        {"inf/2", "inf"},
        {"inf/(-2)", "-inf"},
        {"-inf/2", "-inf"},
        {"inf/inf", "none"},
        {"inf/0", "none"},
        {"abs(-inf)", "inf"},
        {"sign(-inf)", "-1"},
        {"sign(inf)", "1"},
        {"min(inf, 3)", "3"},
        {"min(3, inf)", "3"},
        {"max(inf, 3)", "inf"},
        {"max(3, -inf)", "3"},
        {"min(-inf, 3)", "-inf"},
        {"min(inf, -inf)", "-inf"},
        {"max(-inf, inf)", "inf"},
        {"max(-inf, -inf)", "-inf"},
        {"exp(inf)", "inf"},
        {"exp(-inf)", "0"},
        {"expm1(-inf)", "-1"},
        {"tanh(inf)", "1"},
        {"tanh(-inf)", "-1"},
        {"erf(inf)", "1"},
        {"erf(-inf)", "-1"},
        {"sigmoid(inf)", "1"},
        {"sigmoid(-inf)", "0"},
        {"softplus(-inf)", "0"},
        {"inf + sqrt(-1)", "none"},
        {"inf*sqrt(-1)", "none"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.formula);
        const Value value = of(row.formula);
        const std::string wanted = row.value;
        CHECK(value.infinite() == (wanted == "inf" ? 1 : wanted == "-inf" ? -1 : 0));
        const bool is_real = wanted.find_first_of("fn") == std::string::npos;
        CHECK(value.is_defined() == (is_real ? Truth::yes : Truth::no));
        if (is_real) CHECK(value.text() == wanted);
    }
    for (const char* formula : {"log(inf)", "sqrt(inf)", "log2(-inf)", "floor(inf)", "sin(inf)", "tan(-inf)"})
        CHECK(of(formula).is_defined() == Truth::no);
    for (const char* formula : {"sqrt(x)/inf", "min(sqrt(x), inf)", "max(-inf, sqrt(x))"})
        CHECK(on(formula, "-1", "1").is_defined() == Truth::maybe);
    CHECK(on("inf/x", "1", "2").infinite() == 1);
    CHECK(on("x/inf", "-1", "2").text() == "0");
    CHECK(on("x*inf", "-2", "-1").infinite() == -1);
    CHECK(on("x*inf", "-1", "1").infinite() == 0);
}

TEST_CASE("values that are rational for a reason are exact") {
    struct Row {
        const char* formula;
        const char* value;
    };
    const std::vector<Row> rows = {{"sqrt(0)", "0"},
                                   {"sqrt(9/4)", "3/2"},
                                   {"sin(0)", "0"},
                                   {"cos(0)", "1"},
                                   {"tan(0)", "0"},
                                   {"tanh(0)", "0"},
                                   {"erf(0)", "0"},
                                   {"Si(0)", "0"},
                                   {"sigmoid(0)", "1/2"},
                                   {"exp(0)", "1"},
                                   {"expm1(0)", "0"},
                                   {"log(1)", "0"},
                                   {"log1p(0)", "0"},
                                   {"log2(8)", "3"},
                                   {"log2(1/1024)", "-10"},
                                   {"atan2(0, 3)", "0"},
                                   {"0^0", "1"},
                                   {"(-2)^-3", "-1/8"},
                                   {"binomial(5, 2)", "10"},
                                   {"binomial(5, 0)", "1"},
                                   {"binomial(0, 0)", "1"},
                                   {"binomial(5, 6)", "0"},
                                   {"binomial(5, -1)", "0"},
                                   {"binomial(200, 197)", "1313400"},
                                   {"7 % 3", "1"},
                                   {"-7 % 3", "2"},
                                   {"7 % -3", "-2"},
                                   {"floor(-1/2)", "-1"},
                                   {"ceil(-1/2)", "0"},
                                   {"sign(-3)", "-1"},
                                   {"abs(-1/3)", "1/3"},
                                   {"t5_bucket(-3, 8, 16)", "0"}};
    for (const Row& row : rows) {
        CAPTURE(row.formula);
        CHECK(of(row.formula).is_exact());
        CHECK(of(row.formula).text() == row.value);
    }
    for (const auto& [formula, value] : std::vector<std::pair<std::string, std::string>>{{"0*exp(x)", "0"},
                                                                                         {"0/exp(x)", "0"},
                                                                                         {"exp(x)^0", "1"},
                                                                                         {"sign(exp(x))", "1"},
                                                                                         {"sign(-exp(x))", "-1"},
                                                                                         {"floor(exp(x))", "4"},
                                                                                         {"ceil(exp(x))", "5"},
                                                                                         {"round(exp(x))", "4"}}) {
        CAPTURE(formula);
        // exp(1.4) = 4.055, exp(1.5) = 4.48
        CHECK(on(formula, "1.4", "1.5").text() == value);
    }
    CHECK_FALSE(of("log2(3)").is_exact());
    CHECK_FALSE(of("log2(3/4)").is_exact());
    CHECK_FALSE(of("sqrt(2)").is_exact());
    // A value that may be missing is no value that is known.
    CHECK_FALSE(on("0*sqrt(x)", "-1", "1").is_exact());
    CHECK_FALSE(on("sqrt(x)^0", "-1", "1").is_exact());
    CHECK_FALSE(on("0/x", "-1", "1").is_exact());
    CHECK(on("floor(1.5 + 0.1*sqrt(x))", "-1", "1").is_defined() == Truth::maybe);
}

TEST_CASE("the range of a formula with one occurrence of its variable is exact up to rounding") {
    struct Row {
        const char* formula;
        const char* lo;
        const char* hi;
        double least;
        double most;
    };
    const double unbounded = HUGE_VAL;
    const std::vector<Row> rows = {
        {"x + 1", "-1", "2", 0, 3},
        {"2 - x", "-1", "2", 0, 3},
        {"x*(-3)", "-1", "2", -6, 3},
        {"6/x", "2", "3", 2, 3},
        {"6/x", "-3", "-2", -3, -2},
        {"6/x", "-1", "1", -unbounded, unbounded},
        {"x^2", "-1", "2", 0, 4},
        {"x^2", "-3", "-2", 4, 9},
        {"x^3", "-1", "2", -1, 8},
        {"x^-1", "-2", "-1", -1, -0.5},
        {"x^-2", "1", "2", 0.25, 1},
        {"x^-2", "-2", "-1", 0.25, 1},
        {"x^0.5", "0", "4", 0, 2},
        {"x^-0.5", "4", "16", 0.25, 0.5},
        {"2^x", "-1", "3", 0.5, 8},
        {"0.5^x", "-1", "3", 0.125, 2},
        {"0^x", "0", "1", 0, 1},  // 0^0 is 1
        {"0^x", "0.5", "1", 0, 0},
        {"x % 3", "4", "5", 1, 2},
        {"x % 3", "2", "4", 0, 3},
        {"x % (-3)", "1", "2", -2, -1},
        {"abs(x)", "-3", "2", 0, 3},
        {"abs(x)", "-3", "-2", 2, 3},
        {"min(x, 1)", "0", "2", 0, 1},
        {"max(x, 1)", "0", "2", 1, 2},
        {"clamp(x, 0, 1)", "-1", "0.5", 0, 0.5},
        {"clamp(x, 0, 1)", "0.5", "3", 0.5, 1},
        {"floor(x)", "0.5", "2.5", 0, 2},
        {"ceil(x)", "0.5", "2.5", 1, 3},
        {"round(x)", "0.4", "2.6", 0, 3},
        {"sign(x)", "-1", "1", -1, 1},
        {"sign(x)", "0", "1", 0, 1},
        {"sqrt(x)", "4", "9", 2, 3},
        {"log2(x)", "2", "8", 1, 3},
        {"cos(x)", "-1", "1", 0.54030230586813977, 1},
        {"tanh(x)", "-1e9", "1e9", -1, 1},
        {"sigmoid(x)", "-1e9", "1e9", 0, 1},
        {"erf(x)", "-1e9", "1e9", -1, 1},
        {"if(x < 5, x, 7)", "1", "2", 1, 2},
        {"if(x < 5, x, 7)", "6", "8", 7, 7},
        {"if(x < 5, 1, 7)", "4", "8", 1, 7},
        {"t5_bucket(x, 32, 128)", "3", "3.5", 3, 3},
        {"t5_bucket(x, 32, 128)", "14.5", "200", 14, 31},
        {"argmin(i, 0, 9, abs(i - x))", "2.2", "2.4", 2, 2},
        {"argmin(i, 0, 9, abs(i - x))", "2.2", "2.8", 2, 3},
        {"sum(i, 1, 3, i*x)", "-1", "2", -6, 12},
        {"prod(i, 1, 3, x)", "2", "3", 8, 27},
    };
    for (const Row& row : rows) {
        CAPTURE(row.formula, row.lo, row.hi);
        const Value value = on(row.formula, row.lo, row.hi);
        CHECK(value.lower() == Approx(row.least).epsilon(1e-15).margin(1e-30));
        CHECK(value.upper() == Approx(row.most).epsilon(1e-15).margin(1e-30));
        CHECK(value.lower() <= row.least);
        CHECK(value.upper() >= row.most);
    }
}

TEST_CASE("functions with bounds have them where nothing is known of the argument") {
    // The largest value of Si is Si(pi) = 1.8519370519824662.
    for (const auto& [formula, bound] : std::vector<std::pair<std::string, double>>{
             {"Si(1/x)", 1.85194}, {"sin(1/x)", 1}, {"cos(1/x)", 1}, {"tanh(1/x)", 1}, {"erf(1/x)", 1}}) {
        CAPTURE(formula);
        const Value value = on(formula, "-1", "1");
        CHECK(value.is_defined() == Truth::maybe);
        CHECK(value.lower() >= -bound - 1e-4);
        CHECK(value.upper() <= bound + 1e-4);
        CHECK(value.lower() <= -bound + 1e-4);
        CHECK(value.upper() >= bound - 1e-4);
    }
    // Far out too, where the last bits are rounded outward.
    for (const char* formula : {"erf(x)", "tanh(x)", "2*sigmoid(x) - 1", "sin(x)"}) {
        CHECK(on(formula, "30", "31").upper() <= 1);
        CHECK(on(formula, "-31", "-30").lower() >= -1);
    }
    CHECK(on("sigmoid(1/x)", "-1", "1").lower() >= 0);
    CHECK(on("sigmoid(1/x)", "-1", "1").upper() <= 1);
    CHECK(on("atan2(x, x)", "-1", "1").upper() <= 3.1415926535897936);
    CHECK(on("exp(1/x)", "-1", "1").lower() == 0);
    CHECK(on("expm1(1/x)", "-1", "1").lower() == -1);
    // A period within 2^200000, which has more bits than are computed.
    CHECK(on("cos(2^x)", "200000", "200001").lower() == -1);
    CHECK(on("cos(2^x)", "200000", "200001").upper() == 1);
}

TEST_CASE("the sine integral far out is pi/2 but for the reciprocal of its argument") {
    for (const char* x : {"1e12", "1.2e12", "1e20"}) {  // 2^40 is 1.1e12
        CAPTURE(x);
        const Value value = on("abs(Si(x) - pi/2)*x", x, x);
        CHECK(value.upper() <= 1.0001);
        CHECK(on("Si(x) + Si(-x)", x, x).lower() >= -2.1 / std::stod(x) - 1e-30);
        CHECK(on("Si(x) + Si(-x)", x, x).upper() <= 2.1 / std::stod(x) + 1e-30);
    }
    CHECK(on("Si(x)", "1e13", "1e14").lower() > 1.5707963267);
    CHECK(on("Si(x)", "1e13", "1e14").upper() < 1.5707963269);
    CHECK(on("Si(x)", "-1e14", "-1e13").upper() < -1.5707963267);
}

TEST_CASE("softplus is its argument plus a rest that vanishes, however large the argument") {
    // log(1 + exp(x)) - x = log(1 + exp(-x)), which is below exp(-x).
    for (const char* x : {"100", "1e6", "1e300"}) {
        CAPTURE(x);
        CHECK(decide(parse("abs(softplus(x) - x) <= 1e-30*x"), {{"x", {x, x}}}) == Truth::yes);
        CHECK(decide(parse("softplus(-x) >= 0 and softplus(-x) <= 1e-30"), {{"x", {x, x}}}) == Truth::yes);
    }
}

TEST_CASE("number formats round to the nearest, ties to even, between their smallest and largest numbers") {
    struct Row {
        const char* format;
        const char* largest;   // finite
        const char* overflow;  // the least number that does not round to it
        const char* least;     // above 0
        const char* unit;      // from 1 to the next
    };
    // IEEE 754-2019, table 3.5; bfloat16; OCP 8-bit floating point, tables 1 and 2.
    const std::vector<Row> rows = {
        {"fp32", "(2 - 2^-23)*2^127", "(2 - 2^-24)*2^127", "2^-149", "2^-23"},
        {"fp16", "65504", "65520", "2^-24", "2^-10"},
        {"bf16", "(2 - 2^-7)*2^127", "(2 - 2^-8)*2^127", "2^-133", "2^-7"},
        {"e5m2", "57344", "61440", "2^-16", "2^-2"},
        {"e4m3", "448", "464.0001", "2^-9", "2^-3"},
    };
    for (const Row& row : rows) {
        const auto same = [&](const std::string& number, const std::string& rounded) {
            CAPTURE(row.format, number, rounded);
            CHECK(decide(parse(std::string(row.format) + "(" + number + ") == " + rounded), {}) == Truth::yes);
            CHECK(decide(parse(std::string(row.format) + "(-(" + number + ")) == -(" + rounded + ")"), {}) ==
                  Truth::yes);
        };
        const std::string largest = row.largest, least = row.least, unit = row.unit;
        same(largest, largest);
        same("(" + largest + " + " + row.overflow + ")/2", largest);
        same(least, least);
        same(least + "/2", "0");  // a tie
        same(least + "*0.51", least);
        same(least + "*1.5", "2*" + least);  // a tie
        same(least + "*1.49", least);
        same("1 + " + unit, "1 + " + unit);
        same("1 + " + unit + "/2", "1");  // a tie
        same("1 + " + unit + "*0.51", "1 + " + unit);
        same("1 + " + unit + "*1.5", "1 + 2*" + unit);  // a tie
        same("1 - " + unit + "/2", "1 - " + unit + "/2");
        same("0", "0");
        const Value beyond = of(std::string(row.format) + "(" + row.overflow + ")");
        CHECK(beyond.is_defined() != Truth::yes);
        CHECK(beyond.infinite() == 0);  // docs/formula.md: proofs have no value where rounding overflows
    }
}

TEST_CASE("functions accept the arguments that docs/formula.md states, and no others") {
    struct Row {
        const char* name;
        std::size_t least;
        std::size_t most;
    };
    constexpr std::size_t any = 9;  // as many as are tried
    const std::vector<Row> rows = {
        {"if", 3, 3},       {"abs", 1, 1},     {"sqrt", 1, 1},    {"exp", 1, 1},       {"expm1", 1, 1},
        {"log", 1, 1},      {"log1p", 1, 1},   {"log2", 1, 1},    {"sin", 1, 1},       {"cos", 1, 1},
        {"tan", 1, 1},      {"tanh", 1, 1},    {"atan2", 2, 2},   {"floor", 1, 1},     {"ceil", 1, 1},
        {"round", 1, 1},    {"sign", 1, 1},    {"min", 2, any},   {"max", 2, any},     {"clamp", 3, 3},
        {"softplus", 1, 1}, {"sigmoid", 1, 1}, {"erf", 1, 1},     {"t5_bucket", 3, 3}, {"fp32", 1, 1},
        {"fp16", 1, 1},     {"bf16", 1, 1},    {"e4m3", 1, 1},    {"e5m2", 1, 1},      {"sum", 4, 4},
        {"prod", 4, 4},     {"all", 4, 4},     {"exists", 4, 4},  {"Si", 1, 1},        {"binomial", 2, 2},
        {"argmin", 4, 4},   {"argmax", 4, 4},  {"integral", 4, 4}};
    for (const Row& row : rows) {
        const std::string name = row.name;
        const bool is_condition = name == "all" || name == "exists";
        const auto call = [&](std::size_t count) {
            std::string text = name + "(";
            for (std::size_t i = 0; i < count; ++i) {
                const bool takes_condition = (is_condition && i == 3) || (name == "if" && i == 0);
                text += (i > 0 ? ", " : "") + std::string(row.least == 4 && i == 0 ? "i"
                                                          : takes_condition        ? "1 < 2"
                                                                                   : "1");
            }
            return text + ")";
        };
        CAPTURE(name);
        for (std::size_t count = 1; count <= row.most + 1; ++count) {
            if (count < row.least || (count > row.most && row.most < any))
                CHECK_THROWS_AS(parse(call(count)), std::runtime_error);
            else
                CHECK(parse(call(count)).is_condition() == is_condition);
        }
    }
}

TEST_CASE("numbers, names and conditions of a text") {
    for (const auto& [text, value] : std::vector<std::pair<std::string, std::string>>{{"1e+2", "100"},
                                                                                      {"1e-2", "1/100"},
                                                                                      {"2.5E3", "2500"},
                                                                                      {".5", "1/2"},
                                                                                      {"12e10 - 12e10 + 3", "3"},
                                                                                      {"1e-12*1e12", "1"}})
        CHECK(of(text).text() == value);
    CHECK_NOTHROW(parse(std::string((1 << 20) - 1, ' ') + "1"));
    CHECK_THROWS_AS(parse(std::string(1 << 20, ' ') + "1"), std::runtime_error);
    CHECK(parse("1 < 2").is_condition());
    CHECK(parse("not 1 < 2").is_condition());
    CHECK_FALSE(parse("1 + 2").is_condition());
    CHECK_FALSE(parse("if(1 < 2, 1, 2)").is_condition());
    CHECK(parse("sum(i, 1, 3, i*x)").uses("x"));
    CHECK_FALSE(parse("sum(i, 1, 3, i*x)").uses("i"));
    CHECK(parse("sum(i, 1, i, i*x)").uses("i"));
    CHECK_FALSE(parse("x").uses("y"));
    CHECK(on("t5_bucket(x, 2.5, 128)", "1", "1").is_defined() == Truth::maybe);
    CHECK(on("t5_bucket(x, 1, 128)", "1", "1").is_defined() == Truth::maybe);
    CHECK(on("t5_bucket(x, 32, 16)", "1", "1").is_defined() == Truth::maybe);
}
