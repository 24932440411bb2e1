// integral in every evaluator: one enclosure, from which evaluators of numbers take the middle.
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/pulse.hpp>
#include <farfield/evaluate/enclose.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/evaluate/reference.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/numerics/format.hpp>

#include "evaluate/closed.hpp"
#include "evaluate/integral.hpp"
#include "evaluate/tape.hpp"

using namespace farfield;
using evaluate::Enclosing;

namespace {

double value_in(const std::string& text, const std::string& system) {
    const formula::Program program = formula::compile(formula::parse(text), {{}, {}, {}});
    return evaluate::evaluate(program, {}, evaluate::read_number_system(system)).front();
}

core::Enclosure enclosed_over(const std::string& text, const core::Enclosure& x, Enclosing how) {
    const formula::Program program = formula::compile(formula::parse(text), {{"x"}, {}, {}});
    return evaluate::enclose(program, {{x}, {}, {}, 1}, how).front();
}

struct KnownIntegral {
    const char* formula;
    double value;  ///< by an antiderivative
};

const KnownIntegral known_integrals[] = {
    {"integral(t, 0, 1, exp(t))", std::numbers::e - 1},
    {"integral(t, 1, 0, exp(t))", 1 - std::numbers::e},
    {"integral(t, 2, 2, exp(t))", 0},
    {"integral(t, 0, pi, sin(t))", 2},
    {"integral(t, -1, 1, 1/(1 + t^2))", std::numbers::pi / 2},
    {"integral(t, 0.1, 0.3, t)", 0.04},
    {"integral(t, 0, 1, abs(t - 0.3))", 0.29},
    {"integral(t, 0, 3.5, floor(t))", 4.5},
    {"integral(t, 0, 1, sqrt(t))", 2.0 / 3},
    {"integral(t, -10, 10, 1/(1e-6 + t^2))", 3141.3926535904598},  // 2000 atan(10^4), with mpmath 1.3
    {"sum(i, 1, 3, integral(t, 0, i, i*t))", 18},                  // (1 + 8 + 27)/2
    {"2*integral(t, 0, 1, sum(i, 0, 4, t^i)) - 1", 3.5666666666666667},
};

}  // namespace

TEST_CASE("integrals by their antiderivatives, in doubles, in enclosures and by the reference") {
    for (const KnownIntegral& each : known_integrals) {
        INFO(each.formula);
        const double size = 1 + std::abs(each.value);
        CHECK(std::abs(value_in(each.formula, "double") - each.value) <= 1e-12 * size);
        CHECK(std::abs(value_in(each.formula, "interval") - each.value) <= 1e-12 * size);
        CHECK(std::abs(value_in(each.formula, "float") - each.value) <= 1e-6 * size);
        for (const Enclosing how : {Enclosing::fast, Enclosing::rigorous}) {
            const core::Enclosure found = enclosed_over(each.formula, {0, 0}, how);
            CHECK(found.lo <= each.value + 4e-16 * size);
            CHECK(found.hi >= each.value - 4e-16 * size);
            CHECK(found.width() <= 2e-12 * size);
        }
    }
    // The reference looks for neither kinks nor peaks: 4096 parts of three points.
    for (const KnownIntegral& each : known_integrals)
        if (std::string(each.formula).find("1e-6") == std::string::npos)
            CHECK(std::abs(evaluate::reference(formula::parse(each.formula), {}) - each.value) <=
                  1e-3 * (1 + std::abs(each.value)));
}

TEST_CASE("an integral over many periods narrows once its parts are shorter than a period") {
    const double value = 0.82687954053200256;  // sin(1000), with mpmath 1.3
    const core::Enclosure found = enclosed_over("integral(t, 0, 1000, cos(t))", {0, 0}, Enclosing::rigorous);
    CHECK(found.lo <= value);
    CHECK(found.hi >= value);
    // 40,000 parts: a remainder of 2 h^4/2880 with h = 1/40 for each unit of length, twice for parts of unequal
    // lengths.
    CHECK(found.width() <= 2 * 1000 * 2 * std::pow(1.0 / 40, 4) / 2880);
    CHECK(std::abs(value_in("integral(t, 0, 1000, cos(t))", "double") - value) <= found.width());
}

TEST_CASE("the reference's rule of three points is exact for powers up to the fifth") {
    const auto integral = [](const std::string& body, const std::string& ends) {
        return evaluate::reference(formula::parse("integral(t, " + ends + ", " + body + ")"), {});
    };
    // Its 12288 terms are rounded; the rule's own error for e^t is below 1e-20.
    for (int power = 0; power <= 5; ++power)
        CHECK(std::abs(integral("t^" + std::to_string(power), "0, 2") - std::pow(2, power + 1) / (power + 1)) <= 1e-11);
    CHECK(std::abs(integral("exp(t)", "0, 1") - (std::numbers::e - 1)) <= 1e-12);
}

TEST_CASE("integrals of integrals by their antiderivatives") {
    const KnownIntegral nested[] = {
        {"integral(x, 0, 1, integral(y, 0, x, x*y))", 0.125},
        {"integral(x, 0, 1, integral(y, x, 1, x*y))", 0.125},
        {"integral(x, 0, 2, integral(y, 0, x^2, 1))", 8.0 / 3},
        {"integral(x, 0, 1, integral(y, 0, 1, x^2*y))", 1.0 / 6},
        {"integral(x, 0, pi, integral(y, 0, x, cos(y)))", 2},
        {"integral(x, 0, 1, integral(y, 0, 1, exp(-x*y)))", 0.79659959929705313},  // euler + E1(1), with mpmath 1.3
        {"integral(x, 0, 1, integral(y, 1, 2, 1/(x + y)))", 0.52324814376454776},  // 3 log 3 - 4 log 2
    };
    for (const KnownIntegral& each : nested) {
        INFO(each.formula);
        CHECK(std::abs(value_in(each.formula, "double") - each.value) <= 1e-10);
        CHECK(std::abs(value_in(each.formula, "interval") - each.value) <= 1e-10);
        const core::Enclosure found = enclosed_over(each.formula, {0, 0}, Enclosing::fast);
        CHECK(found.lo <= each.value + 4e-16);
        CHECK(found.hi >= each.value - 4e-16);
        CHECK(found.width() <= 2e-10);
    }
    // Three deep: enclosed, and less narrowly.
    const core::Enclosure deep =
        enclosed_over("integral(x, 0, 1, integral(y, 0, x, integral(z, 0, y, x*y*z)))", {0, 0}, Enclosing::fast);
    CHECK((deep.lo <= 1.0 / 48 && deep.hi >= 1.0 / 48 && deep.width() < 1e-6));
    // The kink of the body moves with x: by the range alone, in bounded time.
    const core::Enclosure kink =
        enclosed_over("integral(x, 0, 1, integral(y, 0, 1, abs(x - y)))", {0, 0}, Enclosing::fast);
    CHECK((kink.lo <= 1.0 / 3 && kink.hi >= 1.0 / 3 && kink.width() < 0.25));
    // No value on the diagonal.
    CHECK(std::isnan(value_in("integral(x, 0, 1, integral(y, 0, 1, 1/(x - y)))", "double")));
}

TEST_CASE("an integral is enclosed for every value of an interval at once") {
    for (const Enclosing how : {Enclosing::fast, Enclosing::rigorous}) {
        // x/2 for x in [1, 2], x^2/2 for a bound that is an interval, and both ends from one interval.
        const core::Enclosure slope = enclosed_over("integral(t, 0, 1, x*t)", {1, 2}, how);
        CHECK((slope.lo <= 0.5 && slope.lo >= 0.49 && slope.hi >= 1 && slope.hi <= 1.01));
        const core::Enclosure end = enclosed_over("integral(t, 0, x, t)", {1, 1.125}, how);
        CHECK((end.lo <= 0.5 && end.hi >= 0.6328125 && end.width() <= 0.15));
        const core::Enclosure start = enclosed_over("integral(t, x, 1, 1)", {-1, 3}, how);
        CHECK((start.lo <= -2 && start.hi >= 2 && start.width() <= 4.001));
        const core::Enclosure both = enclosed_over("integral(t, x, x, t)", {1, 2}, how);
        CHECK((both.lo <= 0 && both.hi >= 0));
    }
}

TEST_CASE("an integral without a value somewhere is not shown to have one") {
    for (const char* formula :
         {"integral(t, -1, 1, 1/t)", "integral(t, 0, 1, 1/sqrt(t))", "integral(t, -1, 1, sqrt(t))",
          "integral(t, 0, inf, exp(-t))", "integral(t, 0, 0/0, t)", "integral(t, 0, 0, 1/t)", "integral(t, 0, 1, inf)",
          "integral(t, 0, 1, binomial(t, 2))"}) {
        INFO(formula);
        CHECK(std::isnan(value_in(formula, "double")));
        CHECK(std::isnan(value_in(formula, "interval")));
        const core::Enclosure found = enclosed_over(formula, {0, 0}, Enclosing::fast);
        CHECK((std::isinf(found.lo) && std::isinf(found.hi)));
    }
    // Wherever the interval of an end reaches to.
    const core::Enclosure found = enclosed_over("integral(t, x, 2, 1/t)", {-0.5, 2}, Enclosing::fast);
    CHECK((std::isinf(found.lo) && std::isinf(found.hi)));
}

TEST_CASE("an integral that is not enclosed to 1e-9 is NaN in doubles, and still has an enclosure") {
    // Rounding is nowhere assumed to be continuous: the enclosure is by the range alone.
    CHECK(std::isnan(value_in("integral(t, 0, 1, fp16(t))", "double")));
    const core::Enclosure found = enclosed_over("integral(t, 0, 1, fp16(t))", {0, 0}, Enclosing::fast);
    CHECK((found.lo <= 0.5 && found.hi >= 0.5 && found.width() < 1e-3));
}

TEST_CASE("a search ends by what its evaluations cost, loops and integrals within included") {
    // 2,000 powers an evaluation, and a corner, which only halving narrows: 40,000 parts would be 80,000 evaluations.
    const formula::Program program =
        formula::compile(formula::parse("integral(t, 0, 1, abs(sum(i, 1, 2000, fp16(t)^i) - 1))"), {});
    const auto pulse = std::make_shared<core::Pulse>();
    const core::PulseScope scope(pulse);
    const core::Enclosure found = evaluate::enclose(program, {}, Enclosing::fast).front();
    CHECK((found.lo > 0 && std::isfinite(found.hi)));
    const double of_one = 2000.0 * static_cast<double>(program.rows.size());
    const double most = static_cast<double>(evaluate::most_operations_of_integral);
    // The evaluations of the part that is halved when the operations are used up are finished.
    CHECK(pulse->steps() <= most + 6 * of_one);
    CHECK(pulse->steps() >= most / 2);
}

TEST_CASE("an integral without a value at an end is given up at once") {
    const auto pulse = std::make_shared<core::Pulse>();
    const core::PulseScope scope(pulse);
    CHECK(std::isnan(value_in("integral(i, 0, 3, prod(j, -2, 3, atan2(i^2, j)))", "double")));  // atan2(0, 0)
    // The two ends are evaluated.
    CHECK(pulse->steps() < evaluate::most_operations_of_integral / 4);
}

TEST_CASE("an integral stops when its computation is told to") {
    for (const char* formula :
         {"integral(i, 0, 3, prod(j, -2, 3, atan2(1 + i^2, j)))", "integral(x, 0, 1, integral(y, 0, 1, abs(x - y)))"}) {
        const auto pulse = std::make_shared<core::Pulse>();
        const core::PulseScope scope(pulse);
        pulse->stop();
        CHECK_THROWS_AS(value_in(formula, "double"), core::Stopped);
        CHECK_THROWS_AS(enclosed_over(formula, {0, 0}, Enclosing::rigorous), core::Stopped);
        CHECK(pulse->steps() < 1e5);
    }
}

TEST_CASE("an integral is rounded once in a number format and refused in multiprecision") {
    const double third = value_in("integral(t, 0, 1, t^2)", "fp16");
    CHECK(third == numerics::round_to(*numerics::find_format("fp16"), 1.0 / 3));
    CHECK_THROWS_AS(value_in("integral(t, 0, 1, t^2)", "mp30"), core::UserError);
    const formula::Program program = formula::compile(formula::parse("integral(t, 0, 1, t^2)"), {{}, {}, {}});
    CHECK_THROWS_AS(evaluate::evaluate_text(program, {}, 30), core::UserError);
    std::string problem;
    CHECK(!evaluate::Tape::of(formula::parse("integral(t, 0, 1, t^2)"), {}, problem));
    CHECK(problem == "'integral'");
}

TEST_CASE("an integral over many points, with bounds, parameters and tables that vary") {
    const formula::Program program = formula::compile(
        formula::parse("w[1]*integral(t, 0, n, a*w[0]*t + sin(n)) + sum(i, 0, 2, integral(t, 0, 1, i + n*t))"),
        {{"a"}, {"n"}, {"w"}});
    const std::vector<double> table = {3, 2};
    const std::vector<std::span<const double>> tables = {table};
    const std::size_t points = 200;
    const std::vector<double> found =
        evaluate::evaluate(program, {{0.5}, {evaluate::Range{-2, 0.125, points}}, tables, points}, {});
    for (std::size_t i = 0; i < points; ++i) {
        const double n = -2 + 0.125 * static_cast<double>(i);
        const double wanted = 2 * (0.75 * n * n + n * std::sin(n)) + 3 + 1.5 * n;
        CHECK(std::abs(found[i] - wanted) <= 1e-12 * (1 + n * n));
    }
}

TEST_CASE("conditions over integrals are decided by their enclosures") {
    const auto decide = [](const char* text) { return evaluate::decide_exactly(formula::parse(text), {}); };
    CHECK(decide("integral(t, 0, 1, exp(t)) < 1.7182818285") == evaluate::Truth::yes);
    CHECK(decide("integral(t, 0, 1, exp(t)) > 1.7182818285") == evaluate::Truth::no);
    CHECK(decide("integral(t, 0, 1, 1/t) > 0") == evaluate::Truth::unknown);
    CHECK(decide("integral(t, 0, 1, exp(t)) == e - 1") == evaluate::Truth::unknown);
}
