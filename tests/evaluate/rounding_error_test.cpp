// Bounds of rounding errors: known ones, all pairs of numbers of small formats, random formulas at random points.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <farfield/evaluate/evaluate.hpp>
#include <farfield/evaluate/rounding_error.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/program.hpp>

#include "support/random_formula.hpp"
#include "support/trials.hpp"

namespace farfield::evaluate {
namespace {

using core::Enclosure;
using numerics::Format;

constexpr double infinity = std::numeric_limits<double>::infinity();

RoundingError analysis(const formula::Node& tree, const RoundingModel& model) {
    std::string problem;
    std::optional<RoundingError> found = RoundingError::of(tree, {"x", "y"}, model, problem);
    INFO(problem);
    REQUIRE(found);
    return std::move(*found);
}

RoundingError analysis(const std::string& formula, const RoundingModel& model) {
    return analysis(formula::parse(formula), model);
}

double bound(const std::string& formula, std::vector<Enclosure> box, const RoundingModel& model = {fp64, false}) {
    box.resize(2, Enclosure{1, 1});
    return analysis(formula, model).over(box).error;
}

TEST_CASE("rounding errors of one operation are half a unit of the largest result") {
    CHECK(bound("x*y", {{1, 2}, {1, 2}}) == 0x1p-52);  // below 4 the unit is 2^-51
    CHECK(bound("x*y", {{1, 2}, {1, 1.999}}) == 0x1p-52);
    CHECK(bound("x/3", {{1, 3}}) == 0x1p-54);  // at most 1, below which the unit is 2^-53
    CHECK(bound("x/3", {{1, 3.001}}) == 0x1p-53);
    CHECK(bound("sqrt(x)", {{4, 15}}) == 0x1p-52);
    CHECK(bound("x + y", {{1, 1.5}, {1, 1.5}}, {numerics::known::fp16, false}) == 0x1p-10);
    CHECK(bound("x*x", {{-3, 3}}, {numerics::known::bf16, false}) == 0x1p-5);  // unit 2^-4 from 8 on
    CHECK(bound("x*y", {{0, 0x1p-600}, {0, 0x1p-600}}) >= 0x1p-1074);  // half of the smallest number, rounded up
}

TEST_CASE("operations that are exact add nothing") {
    for (const char* formula : {"-x", "abs(x)", "max(x, y)", "min(x, -y)", "2*x", "x/0.25", "x*0", "x + 0",
                                "if(x < y, x, y)", "floor(x)", "clamp(x, 0, y)", "8*abs(x)", "x"})
        CHECK(bound(formula, {{-3, 5}, {2, 3}}) == 0);
    // Sterbenz: both within a factor of two.
    CHECK(bound("x - y", {{1, 2}, {1, 2}}) == 0);
    CHECK(bound("x - y", {{1, 2}, {1, 2.1}}) > 0);
    CHECK(bound("x + y", {{1, 2}, {-2, -1}}) == 0);
    // Small results of a product by a power of two may be subnormal.
    CHECK(bound("x/4", {{0, 1}}, {numerics::known::fp16, false}) > 0);
    CHECK(bound("x/4", {{0x1p-12, 1}}, {numerics::known::fp16, false}) == 0x1p-25);
}

TEST_CASE("inputs and literals that are real numbers are rounded first") {
    CHECK(bound("x", {{1, 1.5}}, {fp64, true}) == 0x1p-53);
    // 0.1 - fl(0.1) = -5.551115123125783e-18 (exact decimal expansion of the double 0.1:
    // 0.1000000000000000055511151231257827)
    CHECK(bound("0.1", {}, {fp64, true}) == Approx(5.551115123125783e-18).epsilon(1e-15));
    CHECK(bound("0.1", {}, {fp64, false}) == 0);
    CHECK(bound("0.5", {}, {fp64, true}) == 0);
}

TEST_CASE("only operators that round do without a format") {
    CHECK(bound("x*y + x/3", {{1, 2}, {1, 2}}, {}) == 0);
    CHECK(bound("fp16(x*y)", {{1, 1.5}, {1, 1.25}}, {}) == 0x1p-11);
    // 4 times the rounding of x, and no other
    CHECK(bound("4*bf16(x)", {{1, 1.5}}, {}) == Approx(4 * 0x1p-8).epsilon(1e-14));
}

TEST_CASE("what may overflow or has no value has no bound") {
    CHECK(bound("x*y", {{0, 300}, {0, 300}}, {numerics::known::fp16, false}) == infinity);
    CHECK(bound("1/x", {{-1, 1}}) == infinity);
    CHECK(bound("log(x)", {{-1, 1}}) == infinity);
    // So may a literal, and a result that is rounded to another format first: 65504 is 65536 in bf16.
    for (const bool is_real : {false, true}) {
        for (const char* formula : {"min(x, 70000)", "x/70000", "atan2(x, 70000)", "x + exp(-70000)", "bf16(65504*x)"})
            CHECK(bound(formula, {{0, 1}}, {numerics::known::fp16, is_real}) == infinity);
        CHECK(bound("x/1e309", {{0, 1}}, {fp64, is_real}) == infinity);
        CHECK(bound("min(x, 465)", {{0, 1}}, {numerics::known::e4m3, is_real}) == infinity);
    }
}

TEST_CASE("an operator that rounds to a format of its own is rounded to that of every operation, too") {
    const RoundingModel half{numerics::known::fp16, false};
    CHECK(bound("bf16(x)", {{0, 1}}, half) == 0x1p-9 + 0x1p-25);  // 8 bits; and fp16's smallest is 2^-24
    CHECK(bound("fp32(x)", {{0, 1}}, half) == 0);                 // fp16's numbers are fp32's
    CHECK(bound("e4m3(x)", {{0, 0x1p-8}}, half) == 0x1p-10);
    CHECK(bound("fp32(x)", {{0, 65504}}, half) == 0);
    // Of bf16's numbers fp16 lacks the smallest alone; one of fp16 may be rounded again.
    CHECK(bound("fp16(x)", {{0, 1}}, {numerics::known::bf16, false}) == 0x1p-25 + 0x1p-9);
}

TEST_CASE("a jump between the exact and the computed value counts whole") {
    // The product may round up to an integer that the exact value does not reach.
    CHECK(bound("floor(x*y)", {{1, 2}, {1, 2}}) >= 1);
    CHECK(bound("floor(x)", {{1, 2}}) == 0);
    CHECK(bound("if(x*y < 2, 0, 10)", {{1, 2}, {1, 2}}) >= 10);
    CHECK(bound("if(x < y, 0, 10)", {{1, 2}, {1, 2}}) == 0);
}

TEST_CASE("formulas that cannot be analysed say why") {
    std::string problem;
    CHECK_FALSE(RoundingError::of(formula::parse("sum(i, 0, x, i)"), {"x"}, {}, problem));
    CHECK(problem.find("bounds are not numbers") != std::string::npos);
    problem.clear();
    CHECK_FALSE(RoundingError::of(formula::parse("sum(i, 1, 10^7, i*x)"), {"x"}, {}, problem));
    CHECK(problem.find("more than 1000000 operations") != std::string::npos);
}

TEST_CASE("sums of a thousand terms are bounded in linear time") {
    // Each of n - 1 additions adds at most half a unit of the sum, which is below 1024; the first adds nothing.
    const double found = bound("sum(i, 1, 1000, x)", {{0.5, 1}}, {fp64, false});
    CHECK(found <= 999 * 0x1p-44);
    CHECK(found > 100 * 0x1p-44);
}

TEST_CASE("an input matters by its distance from the middle times the derivative of the sum of rounding errors") {
    // Both products are below 2, with errors of 2^-53 at most: the first is multiplied by y, at most 1/8 from the
    // middle.
    const std::vector<Enclosure> box = {{1, 1.25}, {1, 1.25}};
    const ErrorBound found = analysis("x*x*y", {fp64, false}).over(box);
    REQUIRE(found.by_input.size() == 2);
    CHECK(found.by_input[0] == 0);
    CHECK(found.by_input[1] == Approx(0x1p-53 / 8).epsilon(1e-14));
}

TEST_CASE("an input matters by what it does to the weights of other roundings, through every argument") {
    // x, y and 1.5 x are rounded, to 2^-53 at most below 2. The weight of y's rounding is 1.5 x, that of x's is 1.5 y,
    // that of the product's is y; the root's is 1. Their derivatives, times half of the box's width:
    const std::vector<Enclosure> box = {{1, 1.25}, {1, 1.25}};
    for (const char* formula : {"(1.5*x)*y", "y*(x*1.5)"}) {
        const ErrorBound found = analysis(formula, {fp64, true}).over(box);
        CHECK(found.by_input[0] == Approx(1.5 * 0x1p-53 / 8).epsilon(1e-12));
        CHECK(found.by_input[1] == Approx((1.5 + 1) * 0x1p-53 / 8).epsilon(1e-12));
    }
}

TEST_CASE("near the middle of a box the sum is that of the middle itself, and no more than the bound over the box") {
    const std::vector<Enclosure> box = {{1, 1.5}, {1.25, 1.75}}, middle = {{1.25, 1.25}, {1.5, 1.5}};
    // At (1.25, 1.5), in units of 2^-53: x*y = 1.875 errs by 1; 1.25^2 = 1.5625 by 1, times 1.5, and the product,
    // 2.34375, by 2; 1.25/3 = 0.41666 by 1/4.
    for (const auto& [formula, units, value] :
         {std::tuple("x*y", 1.0, 1.875), {"x*x*y", 1.5 + 2, 2.34375}, {"x/3", 0.25, 1.25 / 3}, {"-x", 0.0, -1.25}}) {
        INFO(formula);
        const RoundingError::MiddleSum found = analysis(formula, {fp64, false}).near_middle(box);
        CHECK(found.error == Approx(units * 0x1p-53).epsilon(1e-12));
        CHECK(found.value.contains(value));
        CHECK(found.value.width() < 1e-14);
        CHECK(found.error <= analysis(formula, {fp64, false}).over(box).error * (1 + 1e-12));
        const RoundingError::MiddleSum of_point = analysis(formula, {fp64, false}).near_middle(middle);
        CHECK((of_point.error == found.error && of_point.value == found.value));
    }
    const RoundingError::MiddleSum nothing = analysis("log(-x)", {fp64, false}).near_middle(box);
    CHECK((nothing.error == 0 && nothing.value == Enclosure{-infinity, infinity}));
}

TEST_CASE(
    "bounds by the mean value are as tight for the negative of a formula, and with a number in place of an input") {
    const std::vector<Enclosure> box = {{1, 2}, {1.5, 1.5}};
    for (const auto& [with_input, with_number] : {std::pair("x*x*x - y*x*x", "x*x*x - 1.5*x*x"),
                                                  {"(x*x - y)*(x*x + y)", "(x*x - 1.5)*(x*x + 1.5)"},
                                                  {"exp(x)*(x - y)*(x - y)", "exp(x)*(x - 1.5)*(x - 1.5)"}}) {
        INFO(with_input);
        const double error = bound(with_input, box);
        CHECK(error < 1e-13);
        CHECK(bound(with_number, box) == Approx(error).epsilon(1e-12));
        CHECK(bound("-(" + std::string(with_input) + ")", box) == Approx(error).epsilon(1e-12));
        CHECK(bound("if(y > 2, x, " + std::string(with_input) + ")", box) == Approx(error).epsilon(1e-12));
    }
}

TEST_CASE(
    "a branch that is open adds the difference of both where rounding decides it, and the larger error elsewhere") {
    // By the inputs alone: each branch has a rounding of its own.
    CHECK(bound("if(x < y, x*y, x*x)", {{1, 1.25}, {1.125, 1.25}}) == 2 * 0x1p-53);
    CHECK(bound("if(x < y, x*y, x*x)", {{1, 1.0625}, {1.125, 1.25}}) == 0x1p-53);
    CHECK(bound("if(x < y, x*y, 1)", {{1.375, 1.4}, {1.125, 1.25}}) == 0);
    // In units of 2^-53: x*y errs by 1, which 3 multiplies, and the product below 8 by 4; the square errs by 1.
    CHECK(bound("if(x < y, x*y*3, x*x)", {{1, 1.25}, {1.125, 1.25}}) == (3 + 4 + 1) * 0x1p-53);
    // By x*y, which is rounded: 3 - (-2) more.
    CHECK(bound("if(x*y < 2, 3, -2)", {{1, 1.5}, {1, 1.5}}) == 5);
    CHECK(bound("if(x*y < 3, 3, -2)", {{1, 1.5}, {1, 1.5}}) == 0);
}

TEST_CASE("sums of numbers within a factor of two of each other are exact, of any sign, and only such") {
    for (const char* formula : {"x - y", "y - x", "x + (-y)", "-x + y"}) {
        INFO(formula);
        CHECK(bound(formula, {{1, 1.5}, {1.5, 2}}) == 0);
        CHECK(bound(formula, {{-1.5, -1}, {-2, -1.5}}) == 0);
        CHECK(bound(formula, {{1, 1.5}, {1.5, 2.1}}) > 0);
        CHECK(bound(formula, {{1, 1.5}, {-2, -1.5}}) > 0);
        CHECK(bound(formula, {{0, 1.5}, {1.5, 2}}) > 0);
        // What was rounded to the format is a number of it; what was not is none.
        CHECK(bound(formula, {{1, 1.5}, {1.5, 2}}, {fp64, true}) > 0);
    }
    CHECK(bound("x*y - x*x", {{1, 1.25}, {1, 1.25}}) == Approx(2 * 0x1p-53).epsilon(1e-12));
    CHECK(bound("x + 0", {{1, 1.5}}) == 0);
    CHECK(bound("0 - x", {{1, 1.5}}) == 0);
}

TEST_CASE("products and quotients by powers of two are exact unless their results may be subnormal") {
    const RoundingModel fp16{numerics::known::fp16, false};
    // fp16: the least normal number is 2^-14 and half a unit below it 2^-25.
    for (const char* enlarging : {"4*x", "x*-2", "x/0.5", "x/-1", "1*x"}) CHECK(bound(enlarging, {{0, 1}}, fp16) == 0);
    for (const char* reducing : {"0.25*x", "x*0.5", "x/2", "x/-4"}) CHECK(bound(reducing, {{0, 1}}, fp16) == 0x1p-25);
    // 3 x is below 4: half a unit is 2^-10. 1/x is no product by a power of two.
    CHECK(bound("3*x", {{0, 1.25}}, fp16) == 0x1p-10);
    CHECK(bound("4/x", {{1.5, 1.9}}, fp16) == 0x1p-10);
    CHECK(bound("0*x", {{0, 1}}, fp16) == 0);
    CHECK(bound("x*y", {{0, 1}, {0, 0}}, fp16) == 0);
    CHECK(bound("x*y", {{0, 1}, {2, 2}}, fp16) == 0);
}

TEST_CASE("the terms of a bound are the operations with their shares, the largest first, and so many") {
    // In units of 2^-53: the input's rounding 1, of the product with 16 it is 16, and the sum's, below 32, 16.
    RoundingError found = analysis("16*x + y", {fp64, true});
    const std::vector<Enclosure> box = {{1, 1.5}, {1, 1.5}};
    const std::vector<ErrorTerm> all = found.terms(box, 9);
    REQUIRE(all.size() == 3);
    const double total = 16 + 16 + 1;
    for (std::size_t i = 0; i < 2; ++i) CHECK(all[i].share == Approx(16 / total).epsilon(1e-14));
    CHECK((all[0].text == "x" || all[1].text == "x"));
    CHECK(all[2].text == "y");
    CHECK(all[2].share == Approx(1 / total).epsilon(1e-14));
    CHECK(found.terms(box, 2).size() == 2);
}

/// All numbers of the format from lo to hi.
std::vector<double> numbers(const Format& format, double lo, double hi) {
    std::vector<double> all;
    for (double x = lo; x <= hi; x = numerics::next_above(format, x)) all.push_back(x);
    return all;
}

std::vector<double> values(const formula::Node& tree, const std::vector<double>& x, const std::vector<double>& y,
                           const std::string& system) {
    Inputs inputs;
    inputs.points = x.size();
    inputs.varying = {std::span<const double>(x), std::span<const double>(y)};
    return evaluate(formula::compile(tree, {{}, {"x", "y"}, {}}), inputs, read_number_system(system));
}

TEST_CASE("errors of all pairs of numbers of small formats stay within the bound, and come near it") {
    struct Row {
        const char* formula;
        double share;  ///< of the bound that the worst pair reaches at least; correlations are not used up
    };
    const Row row = GENERATE(Row{"x*y + x", 0.5}, Row{"x/(y + 1)", 0.4}, Row{"(x - y)*(x + y)", 0.4},
                             Row{"x*x - 3*x*y", 0.4}, Row{"sqrt(x)*y - x", 0.3}, Row{"if(x < y, x + y, x*y)", 0.5},
                             Row{"max(x, y)*0.75", 0.9}, Row{"1/(x*y) - 1/x", 0.3});
    for (const Format& format :
         {numerics::known::e4m3, numerics::known::e5m2, numerics::known::fp16, numerics::known::bf16}) {
        INFO(row.formula << " in " << format.name);
        const bool is_small = format.mantissa_bits < 4;
        const double hi = is_small ? 4 : 1.125;
        const std::vector<double> all = numbers(format, 1, hi);
        std::vector<double> x;
        std::vector<double> y;
        for (const double a : all)
            for (const double b : all) {
                x.push_back(a);
                y.push_back(b);
            }
        const formula::Node tree = formula::parse(row.formula);
        const std::vector<double> computed = values(tree, x, y, std::string(format.name));
        const std::vector<double> exact = values(tree, x, y, "mp30");
        double worst = 0;
        for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::fabs(computed[i] - exact[i]));
        RoundingError error = analysis(tree, {format, false});
        double least = 0;
        const int parts = 16;
        for (int i = 0; i < parts * parts; ++i) {
            const auto part = [&](int k) {
                return Enclosure{1 + (hi - 1) * k / parts, 1 + (hi - 1) * (k + 1) / parts};
            };
            least = std::max(least, error.over(std::vector<Enclosure>{part(i / parts), part(i % parts)}).error);
        }
        CHECK(worst <= least * (1 + 1e-12));  // the doubles of `exact` err by 2^-53
        if (!is_small) CHECK(worst >= row.share * least);
    }
}

TEST_CASE("a point's computed value is that of the low-precision evaluator") {
    tests::RandomOptions options;
    options.nodes = 15;
    options.exact = true;
    tests::RandomFormula random(1, options);
    int known = 0;
    for (int trial = 0; trial < tests::trials(1000); ++trial) {
        const formula::Node tree = random.real();
        for (const Format& format : {numerics::known::fp16, numerics::known::bf16}) {
            const double x = numerics::round_to(format, random.between(-8, 8));
            const double y = numerics::round_to(format, random.between(-8, 8));
            const double expected = values(tree, {x}, {y}, std::string(format.name)).front();
            const RoundingError::AtPoint at = analysis(tree, {format, false}).at(std::vector<double>{x, y});
            INFO(formula::print(tree) << " at " << x << ", " << y << " in " << format.name << " is " << expected);
            if (!std::isfinite(expected) || !std::isfinite(at.computed.lo)) continue;
            REQUIRE(at.computed.contains(expected));
            // A quotient by zero may have either sign.
            if (at.computed.width() == 0) ++known;
        }
    }
    CHECK(known > tests::trials(1000));
}

TEST_CASE("random formulas err by no more than their bound at random points") {
    tests::RandomOptions options;
    options.nodes = 12;
    options.reductions = true;
    tests::RandomFormula random(2, options);
    const std::vector<RoundingModel> models = {{fp64, false},
                                               {fp64, true},
                                               {numerics::known::fp32, true},
                                               {numerics::known::fp16, false},
                                               {numerics::known::bf16, false},
                                               {}};
    int bounded = 0;
    for (int trial = 0; trial < tests::trials(2000); ++trial) {
        const formula::Node tree = random.real();
        const RoundingModel model = models[static_cast<std::size_t>(trial) % models.size()];
        std::string problem;
        std::optional<RoundingError> error = RoundingError::of(tree, {"x", "y"}, model, problem);
        if (!error) continue;
        const double scale = std::exp2(static_cast<double>(random.below(8)) - 6);
        std::vector<Enclosure> box;
        for (int side = 0; side < 2; ++side) {
            const double lo = random.between(-4, 4);
            box.push_back({lo, lo + scale});
        }
        const double most = error->over(box).error;
        if (!std::isfinite(most)) continue;
        ++bounded;
        for (int point = 0; point < 5; ++point) {
            std::vector<double> at;
            for (const Enclosure& side : box) {
                double value = random.between(side.lo, side.hi);
                if (model.format && !model.rounds_inputs && model.format->mantissa_bits < 52)
                    value = numerics::round_to(*model.format, value);
                at.push_back(std::clamp(value, side.lo, side.hi));
            }
            const bool are_numbers = !model.format || model.rounds_inputs || model.format->mantissa_bits == 52 ||
                                     (numerics::round_to(*model.format, at[0]) == at[0] &&
                                      numerics::round_to(*model.format, at[1]) == at[1]);
            if (!are_numbers) continue;
            const RoundingError::AtPoint found = error->at(at);
            INFO(formula::print(tree) << " at " << at[0] << ", " << at[1] << " in model "
                                      << static_cast<std::size_t>(trial) % models.size() << ": " << found.error.lo
                                      << " above " << most);
            REQUIRE_FALSE((std::isfinite(found.error.hi) && found.error.lo > most));
        }
    }
    CHECK(bounded > tests::trials(2000) / 4);
}

}  // namespace
}  // namespace farfield::evaluate
