#include <farfield/evaluate/evaluate.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include <farfield/core/error.hpp>
#include <farfield/evaluate/enclose.hpp>
#include <farfield/evaluate/reference.hpp>
#include <farfield/formula/parser.hpp>

using namespace farfield;
using namespace farfield::evaluate;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double value(const std::string& text, const NumberSystem& system = {}) {
    const formula::Program program = formula::compile(formula::parse(text), {});
    return evaluate::evaluate(program, {}, system).at(0);
}

double value(const std::string& text, std::string_view system) {
    return value(text, read_number_system(system));
}

std::vector<double> over(const std::string& text, const Range& n, std::string_view system = "double") {
    const formula::Program program = formula::compile(formula::parse(text), {{}, {"n"}, {}});
    return evaluate::evaluate(program, {{}, {n}, {}, n.count}, read_number_system(system));
}

}  // namespace

TEST_CASE("number systems are read by name and print it back") {
    for (const std::string name : {"double", "float", "fp16", "bf16", "e4m3", "e5m2", "mp60", "interval"}) {
        CHECK(read_number_system(name).name() == name);
    }
    CHECK(read_number_system("fp32").kind == NumberSystem::Kind::binary32);
    CHECK(read_number_system("mp2").digits == 2);
    CHECK(read_number_system("mp10000").digits == 10000);
    CHECK(number_system_names() ==
          std::vector<std::string>{"double", "float", "fp16", "bf16", "e4m3", "e5m2", "mpN", "interval"});
    for (const std::string name : {"", "mp", "mp1", "mp10001", "mp6x", "quad"}) {
        CHECK_THROWS_AS(read_number_system(name), core::UserError);
    }
}

TEST_CASE("the language means what the contract says, in every number system") {
    for (const std::string system : {"double", "float", "fp16", "bf16", "e4m3", "e5m2", "mp60", "interval"}) {
        CAPTURE(system);
        CHECK(value("-2^2", system) == -4);
        CHECK(value("2^-1", system) == 0.5);
        CHECK(value("0^0", system) == 1);
        CHECK(value("-7 % 3", system) == 2);
        CHECK(value("7 % -3", system) == -2);
        CHECK(value("round(2.5)", system) == 2);
        CHECK(value("sum(i, 1, 4, i)", system) == 10);
        CHECK(value("prod(i, 1, 4, i)", system) == 24);
        CHECK(value("sum(i, 1, 0, i)", system) == 0);
        CHECK(value("prod(i, 1, 0, i)", system) == 1);
        CHECK(std::isnan(value("sum(i, 0.5, 3, i)", system)));
        CHECK(value("1 < 2 and not (2 < 1)", system) == 1);
        CHECK(value("2 < 1 ? 3 : 4", system) == 4);
        CHECK(value("t5_bucket(-3, 32, 128)", system) == 0);
        CHECK(value("t5_bucket(8, 32, 128)", system) == 8);
    }
}

TEST_CASE("comparisons, logic and conditions over ranges are decided alike in every number system and at every point") {
    struct Row {
        std::string text;
        std::vector<double> at;  ///< n = 0, 1, 2
    };
    const std::vector<Row> rows = {
        {"n < 1", {1, 0, 0}},
        {"n <= 1", {1, 1, 0}},
        {"n > 1", {0, 0, 1}},
        {"n >= 1", {0, 1, 1}},
        {"n == 1", {0, 1, 0}},
        {"n != 1", {1, 0, 1}},
        {"not n < 1", {0, 1, 1}},
        {"n < 1 and n < 2", {1, 0, 0}},
        {"n < 2 and n < 1", {1, 0, 0}},
        {"n < 1 or n > 1", {1, 0, 1}},
        {"n > 1 or n < 1", {1, 0, 1}},
        {"all(i, 0, 2, i < n)", {0, 0, 0}},
        {"all(i, 0, 2, i <= 2 + n)", {1, 1, 1}},
        {"all(i, 0, n, i < 2)", {1, 1, 0}},
        {"all(i, n, 2, i > 0)", {0, 1, 1}},
        {"all(i, 1, 0, i > n)", {1, 1, 1}},
        {"exists(i, 0, 2, i < n)", {0, 1, 1}},
        {"exists(i, 0, n, i == 1)", {0, 1, 1}},
        {"exists(i, n, 2, i == 0)", {1, 0, 0}},
        {"exists(i, 1, 0, i > n)", {0, 0, 0}},
        {"if(n == 1, 7, n + 4)", {4, 7, 6}},
        {"min(n, 1)", {0, 1, 1}},
        {"max(n, 1)", {1, 1, 2}},
        {"min(1, n)", {0, 1, 1}},
        {"max(1, n)", {1, 1, 2}},
        {"clamp(n, 0.5, 1.5)", {0.5, 1, 1.5}},
        {"sign(n - 1)", {-1, 0, 1}},
        {"abs(n - 1)", {1, 0, 1}},
        {"floor(n/2)", {0, 0, 1}},
        {"ceil(n/2)", {0, 1, 1}},
        {"round(n + 0.5)", {0, 2, 2}},
        {"(n - 1) % 3", {2, 0, 1}},
        {"(1 - n) % -3", {-2, 0, -1}},
        {"sum(i, n, 3, i)", {6, 6, 5}},
        {"prod(i, n, 3, i)", {0, 6, 6}},
        {"t5_bucket(8*n, 8, 16)", {0, 6, 7}},  // 4 + floor(4 log(8/4)/log(16/4)) = 6
    };
    for (const std::string system : {"double", "float", "fp16", "bf16", "e4m3", "e5m2", "mp60", "interval"}) {
        for (const Row& row : rows) {
            CAPTURE(system, row.text);
            CHECK(over(row.text, {0, 1, 3}, system) == row.at);
            for (std::size_t n = 0; n < row.at.size(); ++n) {
                const formula::Node tree =
                    formula::substitute(formula::parse(row.text), {{"n", formula::make_number(std::to_string(n))}});
                CHECK(evaluate::evaluate(formula::compile(tree, {}), {}, read_number_system(system)).at(0) ==
                      row.at[n]);
                CHECK(reference(tree, {}) == row.at[n]);
            }
        }
    }
}

TEST_CASE("a formula that is an input or a constant alone has its value at every point") {
    for (const std::string system : {"double", "float", "fp16", "mp60", "interval"}) {
        CAPTURE(system);
        CHECK(over("n", {-3, 1.5, 4}, system) == std::vector<double>{-3, -1.5, 0, 1.5});
        CHECK(over("2", {0, 1, 3}, system) == std::vector<double>{2, 2, 2});
        CHECK(over("0 < 1", {0, 1, 2}, system) == std::vector<double>{1, 1});
    }
}

TEST_CASE("what has no value is NaN, and a condition of it is false except that it differs") {
    for (const std::string system : {"double", "float", "fp16", "bf16", "mp60"}) {
        CAPTURE(system);
        for (const char* text : {"0/0",
                                 "sqrt(-1)",
                                 "log(-1)",
                                 "log2(-1)",
                                 "log1p(-2)",
                                 "(-2)^0.5",
                                 "inf - inf",
                                 "0*inf",
                                 "min(0/0, 1)",
                                 "max(0/0, 1)",
                                 "min(1, 0/0)",
                                 "max(1, 0/0)",
                                 "clamp(0/0, 0, 1)",
                                 "sign(0/0)",
                                 "1 % 0",
                                 "t5_bucket(3, 1, 128)",
                                 "t5_bucket(3, 7.5, 128)",
                                 "t5_bucket(3, 32, 16)",
                                 "t5_bucket(0/0, 32, 128)",
                                 "sum(i, 0, 0.5, i)",
                                 "prod(i, 0/0, 1, i)",
                                 "sum(i, 0, inf, 1)"}) {
            CAPTURE(text);
            CHECK(std::isnan(value(text, system)));
            CHECK(std::isnan(over(std::string(text) + " + 0*n", {0, 1, 2}, system)[1]));
        }
        for (const char* text : {"0/0 < 1", "0/0 <= 1", "0/0 > 1", "0/0 >= 1", "0/0 == 1", "0/0 == 0/0",
                                 "all(i, 0, 0.5, i < 9)", "exists(i, 0, 0.5, i < 9)"}) {
            CAPTURE(text);
            CHECK(value(text, system) == 0);
        }
        CHECK(value("0/0 != 0/0", system) == 1);
        CHECK(value("1/0", system) == infinity);
        CHECK(value("-1/0", system) == -infinity);
        CHECK(value("log(0)", system) == -infinity);
    }
}

TEST_CASE("a bound from 2^53 on, where counting in doubles stands still, is not a bound") {
    CHECK(value("sum(i, 9007199254740993, 9007199254740993, 1)", "interval") == 1);  // intervals count further
    for (const std::string system : {"double", "float", "bf16", "mp60"}) {
        CAPTURE(system);
        CHECK(std::isnan(value("sum(i, 2^53, 2^53, 1)", system)));
        CHECK(value("sum(i, -2^53 / 2, -2^53 / 2, 1)", system) == 1);
    }
    CHECK(value("sum(i, 2^53 - 3, 2^53 - 1, 1)", "double") == 3);
    const formula::Node alone = formula::parse("sum(i, 2^53, 2^53, 1)");
    CHECK(std::isnan(reference(alone, {})));
    const std::vector<double> at_points = over("sum(i, n, n, 1)", {0x1p53 - 2, 1, 3});
    CHECK(at_points[0] == 1);
    CHECK(at_points[1] == 1);
    CHECK(std::isnan(at_points[2]));
}

TEST_CASE("literals and pi are read once in the number system, not first as doubles") {
    CHECK(value("0.1", "float") == static_cast<double>(0.1f));
    // Above the middle of 1 and the next float by less than a double holds: as a double it would be the middle, which
    // is rounded to the even neighbour, 1.
    CHECK(value("1.00000005960464477539062500000000000001", "float") == 1 + 0x1p-23);
    // Beyond the largest number, infinity; below half of the least, zero.
    CHECK(value("1e400", "double") == infinity);
    CHECK(value("1e39", "float") == infinity);
    CHECK(value("1e-46", "float") == 0);
    CHECK(evaluate_text(formula::compile(formula::parse("0.1 + 0.2"), {}), {}, 40) == std::vector<std::string>{"0.3"});
    // pi to 40 digits: OEIS A000796.
    CHECK(evaluate_text(formula::compile(formula::parse("pi"), {}), {}, 40) ==
          std::vector<std::string>{"3.141592653589793238462643383279502884197"});
}

TEST_CASE("every step of a low-precision sum is rounded, so a sum of ones stops growing") {
    CHECK(value("sum(i, 1, 5000, 1)", "fp16") == 2048);
    CHECK(value("sum(i, 1, 5000, 1)", "bf16") == 256);
    CHECK(value("sum(i, 1, 40, 1)", "e4m3") == 16);
    CHECK(value("464", "e4m3") == 448);
    CHECK(std::isnan(value("465", "e4m3")));
    CHECK(value("65520", "fp16") == infinity);
}

TEST_CASE("points of a range are from + step * index") {
    CHECK(over("2*n", {3, 0.5, 4}) == std::vector<double>{6, 7, 8, 9});
    CHECK(over("n < 4", {3, 0.5, 4}) == std::vector<double>{1, 1, 0, 0});
}

TEST_CASE("a sum whose bounds depend on the point is right at every point") {
    const std::vector<double> triangular = over("sum(i, 0, n, i)", {0, 1, 2000});
    for (std::size_t n = 0; n < triangular.size(); ++n) CHECK(triangular[n] == static_cast<double>(n * (n + 1) / 2));
    const std::vector<double> halves = over("sum(i, 0, n, i)", {0, 0.5, 700});
    for (std::size_t i = 0; i < halves.size(); ++i) CHECK(std::isnan(halves[i]) == (i % 2 == 1));
}

TEST_CASE("what is made before a loop outlives all its rounds, in blocks as in the reference") {
    // Only operations that IEEE rounds exactly, so the two must agree to the last bit. The first formula's loop is the
    // very first row of its program: nothing stands before it.
    const std::vector<std::string> formulas = {
        "sum(i, 0, 511, (n/(i + 1) - 3)*(n - i))",
        "sum(i, 1, 3, n/i)",
        "sum(i, 1, 5, sum(j, 1, 4, (n + i)/j - n*j) + n/i)",
        "sum(i, 1, 5, sum(j, i, i + 2, n/(i + j)) * n) + n",
        "prod(i, 1, 4, (n + i)/(i + n/2) + 1) - n",
        "sum(i, 0, n % 7, (n - i)/(i + 1)) + sqrt(n)*sum(i, 1, 3, n - i)",
        "if(all(i, 1, 5, n % i < 4), n, sum(i, 1, 3, n/(i + 1)))",
        // Conditions that are the same at all points and in all rounds, of a range that is not.
        "if(all(i, 1, n % 3, 2 > 1), n, -n)",
        "if(all(i, 1, n % 3, 2 < 1), n, -n) + if(exists(i, 1, n % 3, 2 > 1), 1, 2)",
    };
    for (const std::string& text : formulas) {
        CAPTURE(text);
        const std::vector<double> values = over(text, {0, 1, 1027});
        std::size_t wrong = 0;
        for (std::size_t n = 0; n < values.size(); ++n) {
            const double expected = reference(formula::parse(text), {{{"n", static_cast<double>(n)}}, {}});
            wrong += !(values[n] == expected);
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("inputs that do not match the signature are refused") {
    const formula::Program program = formula::compile(formula::parse("a + n"), {{"a"}, {"n"}, {}});
    CHECK_THROWS_AS(evaluate::evaluate(program, {{}, {Range{0, 1, 3}}, {}, 3}), core::PreconditionError);
    CHECK_THROWS_AS(evaluate::evaluate(program, {{1}, {Range{0, 1, 3}}, {}, 4}), core::PreconditionError);
    CHECK(evaluate::evaluate(program, {{1}, {Range{0, 1, 3}}, {}, 3}) == std::vector<double>{1, 2, 3});
}

TEST_CASE("tables are looked up by integers inside them, anything else is NaN") {
    const formula::Program program = formula::compile(formula::parse("w[n]"), {{}, {"n"}, {"w"}});
    const std::vector<double> table{5, 7};
    const std::vector<double> at{0, 1, 2, -1, 0.5};
    const Inputs inputs{{}, {std::span<const double>(at)}, {table}, at.size()};
    for (const std::string system : {"double", "float", "fp16", "mp30", "interval"}) {
        const std::vector<double> found = evaluate::evaluate(program, inputs, read_number_system(system));
        CHECK(found[0] == 5);
        CHECK(found[1] == 7);
        CHECK(first_nan(found) == 2);
        CHECK((std::isnan(found[3]) && std::isnan(found[4])));
    }
}

TEST_CASE("the reference walks the tree with values of names and tables") {
    const Environment environment{{{"a", 2}}, {{"w", {10, 20}}}};
    CHECK(reference(formula::parse("a * w[1] + sum(i, 1, a, i)"), environment) == 43);
    CHECK(reference(formula::parse("cos(pi)"), {}) == -1);
    CHECK(reference(formula::parse("w[0]"), environment) == 10);
    for (const char* nothing : {"w[-1]", "w[2]", "w[0.5]", "sum(i, 0.5, 2, i)", "sum(i, 0, 1.5, i)"})
        CHECK(std::isnan(reference(formula::parse(nothing), environment)));
    for (const char* condition : {"all(i, 0.5, 2, i > 0)", "all(i, 0, 1.5, i > -1)"})
        CHECK(reference(formula::parse(condition), environment) == 0);
    CHECK_THROWS_AS(reference(formula::parse("b"), environment), core::PreconditionError);
}

TEST_CASE("enclosures contain the value and decide conditions") {
    for (const Enclosing how : {Enclosing::fast, Enclosing::rigorous}) {
        const formula::Program tenth = formula::compile(formula::parse("0.1 + 0.2 - 0.3"), {});
        const core::Enclosure zero = enclose(tenth, {}, how).at(0);
        CHECK(zero.contains(0));
        CHECK(zero.width() < 1e-15);
        const auto truth = [&](const std::string& text) {
            return decide(formula::compile(formula::parse(text), {}), {}, how).at(0);
        };
        CHECK(truth("sqrt(2) < 1.4142135624") == Truth::yes);
        CHECK(truth("sqrt(2) > 1.4142135624") == Truth::no);
        CHECK(truth("0.1 + 0.2 == 0.3") == Truth::unknown);
        CHECK(truth("all(i, 1, 9, i^2 < 82)") == Truth::yes);
        CHECK(truth("exists(i, 1, 9, i^2 > 81)") == Truth::no);
        const core::Enclosure nothing = enclose(formula::compile(formula::parse("sqrt(-1)"), {}), {}, how).at(0);
        CHECK(nothing == core::Enclosure{-infinity, infinity});
    }
}

TEST_CASE("inputs that are enclosures give enclosures of every value inside") {
    const formula::Program program = formula::compile(formula::parse("a * n"), {{"a"}, {"n"}, {}});
    EnclosedInputs inputs;
    inputs.uniform = {{1, 2}};
    inputs.varying = {{core::Enclosure::exactly(3), {-1, 1}}};
    inputs.points = 2;
    CHECK(enclose(program, inputs) == std::vector<core::Enclosure>{{3, 6}, {-2, 2}});
}
