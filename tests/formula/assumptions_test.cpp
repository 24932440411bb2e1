// The statements of operators.def against the reference evaluator: where a row states that the operator is defined,
// continuous, Lipschitz-continuous, smooth or monotone, its values show nothing else.
#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>

#include <farfield/evaluate/reference.hpp>
#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/numerics/format.hpp>

namespace farfield::formula {
namespace {

using Point = std::vector<double>;

constexpr const char* variables[] = {"x", "y", "z"};

/// Arguments at which operators have their kinks, jumps and poles, and plain ones beside them.
const std::vector<double> special = {-3, -2, -1.5, -1, -0.5, -0.25, 0, 0.25, 0.5, 1, 1.25, 1.5, 2, 2.5, 3, 32, 128};

evaluate::Environment environment(const Point& point) {
    evaluate::Environment result;
    for (std::size_t i = 0; i < point.size(); ++i) result.values[variables[i]] = point[i];
    return result;
}

double at(const Node& tree, const Point& point) {
    return evaluate::reference(tree, environment(point));
}

bool holds(const Condition& condition, const Point& point) {
    if (condition.kind != Condition::Kind::depends) return condition.is_always();
    return at(condition.tree, point) == 1;
}

/// Every operator of real arguments and a real value, applied to the variables.
std::vector<Node> real_operators() {
    std::vector<Node> trees;
    for (const OperatorRow& row : operators()) {
        if (row.reduction || row.result != Type::real || row.arguments.find('b') != std::string_view::npos) continue;
        std::vector<Node> arguments;
        for (std::size_t i = 0; i < row.arguments.size(); ++i) arguments.push_back(make_name(variables[i]));
        trees.push_back(make(row.op, arguments));
    }
    return trees;
}

void for_each_point(std::size_t count, const std::function<void(const Point&)>& use) {
    std::vector<std::size_t> index(count, 0);
    for (bool more = true; more;) {
        Point point;
        for (const std::size_t i : index) point.push_back(special[i]);
        use(point);
        more = false;
        for (std::size_t i = 0; i < count && !more; ++i) {
            more = ++index[i] < special.size();
            if (!more) index[i] = 0;
        }
    }
}

std::string described(const Node& tree, const Point& point) {
    std::string text = print(tree);
    for (const double value : point) text += " " + std::to_string(value);
    return text;
}

/// Slopes to the left and to the right in one argument.
std::pair<double, double> slopes(const Node& tree, const Point& point, std::size_t i) {
    constexpr double step = 0x1p-26;
    Point left = point;
    Point right = point;
    left[i] -= step;
    right[i] += step;
    const double here = at(tree, point);
    return {(here - at(tree, left)) / step, (at(tree, right) - here) / step};
}

TEST_CASE("an operator is stated to be defined exactly where it has a finite value") {
    for (const Node& tree : real_operators()) {
        const Condition condition = defined(tree);
        for_each_point(tree->children.size(), [&](const Point& point) {
            INFO(described(tree, point));
            // atan2 has a value at the origin by convention alone, which no row states.
            if (tree->op == Op::arctangent && point[0] == 0 && point[1] == 0) return;
            CHECK(holds(condition, point) == std::isfinite(at(tree, point)));
        });
    }
}

TEST_CASE("rounding to a format is stated to be defined up to where it overflows") {
    for (const OperatorRow& row : operators()) {
        if (!is_rounding(row.op)) continue;
        const Node tree = make(row.op, {make_name("x")});
        const numerics::Format& format = *numerics::find_format(row.spelling);
        const double largest = numerics::largest_finite(format);
        const double spacing = largest - numerics::next_below(format, largest);
        const double halfway = largest + spacing / 2;
        for (const double size : {largest, halfway, std::nextafter(halfway, 0.0), std::nextafter(halfway, 1e300)}) {
            for (const double x : {size, -size}) {
                INFO(described(tree, {x}));
                CHECK(holds(defined(tree), {x}) == std::isfinite(at(tree, {x})));
            }
        }
        for (const Regularity much : {Regularity::continuous, Regularity::lipschitz, Regularity::smooth})
            CHECK(regular(tree, much, {"x"}).kind == Condition::Kind::never);
    }
}

TEST_CASE("where an operator is stated to be smooth, it has no kink; Lipschitz-continuous, no jump") {
    for (const Node& tree : real_operators()) {
        for (std::size_t i = 0; i < tree->children.size(); ++i) {
            const Condition smooth = regular(tree, Regularity::smooth, {variables[i]});
            const Condition lipschitz = regular(tree, Regularity::lipschitz, {variables[i]});
            for_each_point(tree->children.size(), [&](const Point& point) {
                INFO(described(tree, point) << " in argument " << i);
                const auto [left, right] = slopes(tree, point, i);
                // A side outside the operator's domain has no value, hence no slope.
                const double largest =
                    std::max(std::isfinite(left) ? std::abs(left) : 0, std::isfinite(right) ? std::abs(right) : 0);
                const double size = 1 + std::abs(at(tree, point));
                // Slopes of what is sampled stay below 1e3 times the value: 3^128 ln 3, 32^... ; a jump of 0.01 shows
                // 1e5.
                if (holds(lipschitz, point)) CHECK_FALSE(!(largest <= 2e3 * size));
                if (holds(smooth, point)) CHECK_FALSE(!(std::abs(left - right) <= 1e-3 * (largest + size)));
            });
        }
    }
}

TEST_CASE("where an operator is stated to rise or fall, it does") {
    for (const Node& tree : real_operators()) {
        for (std::size_t i = 0; i < tree->children.size(); ++i) {
            const Trend way = trend(tree, variables[i]);
            for_each_point(tree->children.size(), [&](const Point& low) {
                for (const double value : special) {
                    Point high = low;
                    high[i] = value;
                    if (!(value > low[i])) continue;
                    INFO(described(tree, low) << " to " << value);
                    const double a = at(tree, low);
                    const double b = at(tree, high);
                    const auto both_hold = [&](const Condition& condition) {
                        return holds(condition, low) && holds(condition, high);
                    };
                    // A condition is stated for intervals; a pole or zero of an argument between the two points is
                    // none.
                    const bool crosses_pole = tree->op == Op::tangent || (low[i] < 0 && high[i] > 0);
                    if (crosses_pole) continue;
                    const double error = 4e-16 * (std::abs(a) + std::abs(b));
                    if (both_hold(way.rises)) CHECK_FALSE(!(a <= b + error));
                    if (both_hold(way.falls)) CHECK_FALSE(!(b <= a + error));
                    const bool saturates = std::abs(a) == std::abs(b) && std::abs(low[i]) >= 32;
                    if (both_hold(way.rises_strictly) && !saturates) CHECK_FALSE(!(a < b + error));
                    if (both_hold(way.falls_strictly) && !saturates) CHECK_FALSE(!(b < a + error));
                }
            });
        }
    }
}

TEST_CASE("the statements of a row about its operator's values hold") {
    std::size_t laws = 0, taken = 0;
    for (const Node& tree : real_operators()) {
        const Condition has_value = defined(tree);
        for (const ValueLaw& law : value_laws(tree)) {
            ++laws;
            const bool is_open = law.op == Op::less || law.op == Op::greater;
            const double sign = law.op == Op::less || law.op == Op::less_equal ? 1 : -1;
            bool comes_near = false;
            for_each_point(tree->children.size(), [&](const Point& point) {
                INFO(described(tree, point) << " beside " << print(law.side));
                if (!holds(has_value, point) || holds(law.unless, point)) return;
                const double value = at(tree, point);
                if (law.op == Op::equals) {
                    CHECK(print(law.side) == "floor(it)");
                    CHECK_FALSE(!(std::floor(value) == value));
                    comes_near = true;
                    return;
                }
                const double side = at(law.side, point);
                const double room = sign * (side - value);
                // Doubles round to a bound of tanh, sigmoid and softplus.
                CHECK_FALSE(!(room >= (is_open && std::abs(point[0]) < 16 ? std::numeric_limits<double>::min()
                                                                          : -4e-16 * std::abs(side))));
                comes_near = comes_near || room <= 1;
            });
            taken += comes_near;
        }
    }
    CHECK(laws > 40);
    CHECK(taken == laws);  // no bound is far from every value
}

TEST_CASE("conditions of formulas are those of their operators, only where they are computed") {
    const auto text = [](const Condition& condition) {
        if (condition.kind == Condition::Kind::always) return std::string("always");
        return condition.kind == Condition::Kind::never ? std::string("never") : print(condition.tree);
    };
    CHECK(text(defined(parse("3*x^2 + exp(-x)"))) == "always");
    CHECK(text(defined(parse("2^(-8*x/H) + sqrt(2)"))) == "H != 0");
    CHECK(text(defined(parse("x/x"))) == "x != 0");
    CHECK(text(defined(parse("x/2"))) == "always");
    CHECK(text(defined(parse("x/sin(1)"))) == "sin(1) != 0");  // no number, though it has no names
    // Below the least double and above the largest, and numbers all the same.
    for (const char* number : {"1e-330", "1e330", "1e-1999"}) {
        const std::string tiny(number);
        INFO(tiny);
        CHECK(text(defined(parse("x/" + tiny))) == "always");
        CHECK(text(defined(parse("log(" + tiny + ")"))) == "always");
        CHECK(text(defined(parse("log(-" + tiny + ")"))) == "never");
        CHECK(text(defined(parse("sqrt(" + tiny + ")"))) == "always");
        CHECK(text(defined(parse("sqrt(-" + tiny + ")"))) == "never");
        const Trend powers = trend(parse(tiny + "^x"), "x");
        CHECK(text(powers.rises) == (tiny == "1e330" ? "always" : "never"));
        CHECK(text(powers.falls) == (tiny == "1e330" ? "never" : "always"));
        CHECK(text(powers.falls_strictly) == (tiny == "1e330" ? "never" : "always"));
    }
    CHECK(text(trend(parse("1^x"), "x").rises) == "always");
    CHECK(text(trend(parse("1^x"), "x").rises_strictly) == "never");
    CHECK(text(defined(parse("x/(1e-330 - 1e-330)"))) == "never");
    CHECK(text(defined(parse("-inf"))) == "never");
    CHECK(text(defined(parse("table[x]"))) == "never");
    CHECK(text(defined(parse("if(x > 0, log(x), 0)"))) == "not x > 0 or x > 0");
    // At the ends of what is defined, by numbers alone.
    for (const char* at_end : {"sqrt(0)", "sqrt(1 - 1)", "log1p(-0.5)"})
        CHECK(text(defined(parse(at_end))) == "always");
    for (const char* beyond : {"sqrt(-1)", "sqrt(1 - 2)", "log(0)", "log1p(-1)"})
        CHECK(text(defined(parse(beyond))) == "never");
    CHECK(text(regular(parse("abs(x) + floor(y)"), Regularity::smooth, {"x"})) == "x != 0");
    CHECK(text(regular(parse("abs(x) + floor(y)"), Regularity::lipschitz, {"x"})) == "always");
    CHECK(text(regular(parse("if(x < 1, x, 2)"), Regularity::continuous, {"x"})) == "x != 1");
    CHECK(text(defined(parse("sum(i, 1, 3, 1/(x - i))"))) == "all(i, 1, 3, x - i != 0)");
    CHECK(text(regular(parse("sum(i, 1, m, x)"), Regularity::defined, {"m"})) == "floor(m) == m");
    CHECK(text(regular(parse("sum(i, 1, m, x)"), Regularity::smooth, {"m"})) == "never");
    CHECK(text(regular(parse("sum(i, m, 3, x)"), Regularity::smooth, {"m"})) == "never");
    CHECK(text(regular(parse("sum(i, 1, 3, x*i)"), Regularity::smooth, {"x"})) == "always");
    CHECK(text(defined(parse("sum(i, 1, 2.5, x)"))) == "never");
    CHECK(text(defined(parse("x/2 + y/0"))) == "never");
    CHECK(text(defined(parse("x < y and 1/x < 2"))) == "x != 0");
    CHECK(text(defined(parse("1/x + 2/x*y"))) == "x != 0 and x != 0");
    CHECK(text(defined(parse("f(x)"))) == "never");
    CHECK(text(defined_by_inputs(parse("table[x] + inf"))) == "always");
    CHECK(text(defined_by_inputs(parse("table[1/x]"))) == "x != 0");
    CHECK(text(regular(parse("x^2 + y^0.5"), Regularity::smooth, {"x"})) == text(defined(parse("x^2 + y^0.5"))));
    CHECK(text(regular(parse("if(y > 0, abs(x), x)"), Regularity::smooth, {"x"})) == "not y > 0 or x != 0");
    CHECK(text(regular(parse("if(y > 0, x, abs(x))"), Regularity::smooth, {"x"})) == "y > 0 or x != 0");
    CHECK(text(defined(parse("sum(i, 1, m, x)"))) == "floor(m) == m");
}

TEST_CASE("a formula rises if the directions of its parts agree") {
    const auto always = [](const Condition& condition) { return condition.is_always(); };
    CHECK(always(trend(parse("x + exp(2*x) - exp(-x)"), "x").rises_strictly));
    CHECK(always(trend(parse("-x - tanh(x)"), "x").falls_strictly));
    CHECK_FALSE(always(trend(parse("x - exp(x)"), "x").rises));
    CHECK(trend(parse("cos(x)"), "x").rises.kind == Condition::Kind::never);
    CHECK(always(trend(parse("sum(i, 0, 5, sigmoid(x - i))"), "x").rises_strictly));
    CHECK_FALSE(always(trend(parse("sum(i, 6, 5, sigmoid(x - i))"), "x").rises_strictly));
    CHECK(always(trend(parse("y"), "x").rises));
    CHECK(always(trend(parse("y"), "x").falls));
    CHECK_FALSE(always(trend(parse("y"), "x").rises_strictly));
    CHECK_FALSE(always(trend(parse("y"), "x").falls_strictly));
    CHECK_FALSE(always(trend(parse("x"), "x").falls));
    CHECK(always(trend(parse("2 - 3*x"), "x").falls_strictly));
    CHECK_FALSE(always(trend(parse("2 - 3*x"), "x").rises));
    CHECK(always(trend(parse("floor(x) + x"), "x").rises_strictly));
    CHECK(always(trend(parse("-floor(x) - x"), "x").falls_strictly));
    CHECK_FALSE(always(trend(parse("floor(x) - x"), "x").falls));
    CHECK(always(trend(parse("if(y > 0, x, exp(x))"), "x").rises));
    CHECK(trend(parse("if(y > 0, x, -x)"), "x").rises.kind == Condition::Kind::depends);
    CHECK(trend(parse("if(x > 0, x, 2*x)"), "x").rises.kind == Condition::Kind::never);
    CHECK(always(trend(parse("sum(i, 0, 5, -x - i)"), "x").falls_strictly));
    CHECK(trend(parse("sum(i, 0, x, 1)"), "x").rises.kind == Condition::Kind::never);
    CHECK(trend(parse("sum(i, x, 3, 1)"), "x").rises.kind == Condition::Kind::never);
    CHECK(trend(parse("prod(i, 0, 5, exp(x))"), "x").rises.kind == Condition::Kind::never);
    CHECK(always(trend(parse("floor(x)"), "x").rises));
    CHECK(trend(parse("floor(x)"), "x").rises_strictly.kind == Condition::Kind::never);
}

}  // namespace
}  // namespace farfield::formula
