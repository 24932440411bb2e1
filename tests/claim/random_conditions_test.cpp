// Random conditions on curves and matrices of integers, beside a plain evaluation of the same conditions.
#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <optional>
#include <random>

#include "claim/claim_support.hpp"
#include "support/trials.hpp"

using namespace claim_support;
using core::Verdict;

namespace {

using Value = std::optional<long>;  ///< empty: missing
using Names = std::map<std::string, long>;
enum class Truth { no, unknown, yes };

/// A condition, or a number, as text and as what it means.
template <class Meaning>
struct Written {
    std::string text;
    std::function<Meaning(const Names&)> meaning;
};
using Term = Written<Value>;
using Test = Written<Truth>;

/// x = from, from + step, ...: `count` of them.
struct Axis {
    long from = 0;
    long step = 1;
    long count = 1;

    long at(long i) const { return from + step * i; }
    Value index(long x) const {
        const bool is_on = (x - from) % step == 0 && (x - from) / step >= 0 && (x - from) / step < count;
        return is_on ? Value((x - from) / step) : std::nullopt;
    }
};

core::Column column_of(const std::string& name, const Axis& axis, bool has_steps) {
    core::Column column{name, {}, {}};
    if (has_steps) column.steps = core::Steps{std::to_string(axis.from), std::to_string(axis.step)};
    return column;
}

/// Values over whole axes, those of the last changing fastest; of a curve the second argument is 0.
core::Result over_axes(const std::string& name, const std::vector<Axis>& axes, bool has_steps,
                       const std::function<double(double, double)>& value_at) {
    core::Result result;
    result.name = name;
    result.kind = axes.size() == 1 ? "curve" : "matrix";
    core::Series series;
    series.variables = axes.size();
    series.rigour = core::Rigour::rigorous;
    for (const Axis& axis : axes) series.columns.push_back(column_of("x", axis, has_steps));
    series.columns.push_back({"value", {}, {}});
    const long inner = axes.size() == 1 ? 1 : axes[1].count;
    for (long i = 0; i < axes[0].count * inner; ++i) {
        const auto q = static_cast<double>(axes[0].at(i / inner));
        const auto k = axes.size() == 1 ? 0 : static_cast<double>(axes[1].at(i % inner));
        series.columns[0].values.push_back(q);
        if (axes.size() == 2) series.columns[1].values.push_back(k);
        const double value = value_at(q, k);
        series.columns.back().values.push_back(value);
        series.columns.back().enclosures.push_back(core::Enclosure::exactly(value));
    }
    result.series = std::move(series);
    return result;
}

/// A curve c over x, given by its steps or by its values, and a matrix m over q and k; some values are not known.
class Data {
public:
    explicit Data(std::mt19937& random) : random_(random) {
        const auto axis = [&] { return Axis{draw(-3, 3), std::vector<long>{1, 1, 2, 3, -1}[pick(5)], draw(1, 6)}; };
        x_ = axis();
        q_ = axis();
        k_ = axis();
        curve_ = make("c", {x_});
        matrix_ = make("m", {q_, k_});
        scalars_.name = "s";
        scalars_.kind = "fit";
        scalars_.set("two", core::Cell::exact(2));
        scalars_.set("least", core::Cell::exact(-3));
        scalars_.set("gone", core::Cell::missing());
        all = {&curve_, &matrix_, &scalars_};
    }

    std::vector<const core::Result*> all;
    bool was_missing = false;  ///< whether the plain evaluation met a value that is missing

    Term term(const std::vector<std::string>& bound, int depth) {
        switch (pick(depth > 0 ? 7 : 4)) {
            case 0: return integer(draw(-4, 9));
            case 1: return scalar();
            case 2: return bound.empty() ? integer(draw(0, 5)) : name(bound[pick(bound.size())]);
            case 3: {
                const Term index = bound.empty() ? integer(draw(-4, 12)) : shifted(bound);
                return {"c[" + index.text + "]",
                        [=, this](const Names& names) { return at_curve(index.meaning(names)); }};
            }
            case 4: {
                const Term row = shifted(bound);
                const Term key = shifted(bound);
                return {"m[" + row.text + ", " + key.text + "]",
                        [=, this](const Names& names) { return at_matrix(row.meaning(names), key.meaning(names)); }};
            }
            default: return operation(bound, depth);
        }
    }

    Test test(std::vector<std::string> bound, int depth) {
        switch (pick(depth > 0 ? 6 : 2)) {
            case 2: {
                const Test part = test(bound, depth - 1);
                return {"not (" + part.text + ")", [=](const Names& names) { return opposite(part.meaning(names)); }};
            }
            case 3: {
                const Test a = test(bound, depth - 1);
                const Test b = test(bound, depth - 1);
                const bool both = pick(2) == 0;
                return {"(" + a.text + (both ? " and " : " or ") + b.text + ")", [=](const Names& names) {
                            return both ? std::min(a.meaning(names), b.meaning(names))
                                        : std::max(a.meaning(names), b.meaning(names));
                        }};
            }
            case 4:
            case 5: return quantifier(bound, depth);
            default: return comparison(bound, depth);
        }
    }

private:
    long draw(long least, long most) { return std::uniform_int_distribution<long>(least, most)(random_); }
    std::size_t pick(std::size_t count) { return static_cast<std::size_t>(draw(0, static_cast<long>(count) - 1)); }
    static Truth opposite(Truth truth) {
        return truth == Truth::unknown ? truth : truth == Truth::yes ? Truth::no : Truth::yes;
    }

    core::Result make(const std::string& name, const std::vector<Axis>& axes) {
        const bool has_steps = axes.size() == 1 && pick(2) == 0;
        return over_axes(name, axes, has_steps, [this](double, double) { return static_cast<double>(draw(-5, 5)); });
    }

    Value missing() {
        was_missing = true;
        return std::nullopt;
    }
    Value at_curve(Value x) {
        const Value i = x ? x_.index(*x) : std::nullopt;
        return i ? entry(curve_, *i) : missing();
    }
    Value at_matrix(Value q, Value k) {
        const Value row = q ? q_.index(*q) : std::nullopt;
        const Value key = k ? k_.index(*k) : std::nullopt;
        return row && key ? entry(matrix_, *row * k_.count + *key) : missing();
    }
    static Value entry(const core::Result& result, long at) {
        return static_cast<long>(result.series->columns.back().values[static_cast<std::size_t>(at)]);
    }

    static Term integer(long value) {
        return {value < 0 ? "(" + std::to_string(value) + ")" : std::to_string(value),
                [=](const Names&) { return value; }};
    }
    static Term name(const std::string& name) {
        return {name, [=](const Names& names) { return names.at(name); }};
    }
    Term scalar() {
        const std::size_t which = pick(9);
        if (which == 0) return {"s.gone", [this](const Names&) { return missing(); }};
        return which < 5 ? Term{"s.two", [](const Names&) { return 2; }}
                         : Term{"s.least", [](const Names&) { return -3; }};
    }
    /// An index: a variable, perhaps with a number added.
    Term shifted(const std::vector<std::string>& bound) {
        if (bound.empty() || pick(6) == 0) return integer(draw(-4, 10));
        const std::string of = bound[pick(bound.size())];
        const long by = draw(0, 2);
        if (by == 0) return name(of);
        return {of + " + " + std::to_string(by), [=](const Names& names) { return names.at(of) + by; }};
    }
    Term operation(const std::vector<std::string>& bound, int depth) {
        const Term a = term(bound, depth - 1);
        const Term b = term(bound, depth - 1);
        const char op = "+-*"[pick(3)];
        return {"(" + a.text + " " + op + " " + b.text + ")", [=](const Names& names) -> Value {
                    const Value x = a.meaning(names);
                    const Value y = b.meaning(names);
                    if (!x || !y) return std::nullopt;
                    return op == '+' ? *x + *y : op == '-' ? *x - *y : *x * *y;
                }};
    }
    Test comparison(const std::vector<std::string>& bound, int depth) {
        const Term a = term(bound, depth);
        const Term b = term(bound, depth);
        const std::string op = std::vector<std::string>{"<", "<=", ">", ">=", "==", "!="}[pick(6)];
        return {a.text + " " + op + " " + b.text, [=](const Names& names) {
                    const Value x = a.meaning(names);
                    const Value y = b.meaning(names);
                    if (!x || !y) return Truth::unknown;
                    const bool holds = op == "<"    ? *x < *y
                                       : op == "<=" ? *x <= *y
                                       : op == ">"  ? *x > *y
                                       : op == ">=" ? *x >= *y
                                       : op == "==" ? *x == *y
                                                    : *x != *y;
                    return holds ? Truth::yes : Truth::no;
                }};
    }
    Test quantifier(std::vector<std::string> bound, int depth) {
        const std::string variable = bound.empty() ? "i" : bound.size() == 1 ? "j" : "l";
        if (bound.size() == 3) return comparison(bound, depth);
        const long from = draw(-4, 3);
        const long to = from + draw(-1, 5);
        bound.push_back(variable);
        const Test body = test(bound, depth - 1);
        const bool universal = pick(2) == 0;
        // As written, a range is not empty and a condition depends on its variable; computed ones need not.
        return {(universal ? "all(" : "exists(") + variable + ", 0 + " + std::to_string(from) + ", " +
                    std::to_string(to) + ", " + body.text + " and 0*" + variable + " == 0)",
                [=](const Names& names) {
                    Truth truth = universal ? Truth::yes : Truth::no;
                    Names inner = names;
                    for (long at = from; at <= to; ++at) {
                        inner[variable] = at;
                        const Truth each = body.meaning(inner);
                        truth = universal ? std::min(truth, each) : std::max(truth, each);
                    }
                    return truth;
                }};
    }

    std::mt19937& random_;
    Axis x_, q_, k_;
    core::Result curve_, matrix_, scalars_;
};

}  // namespace

TEST_CASE("random conditions on curves and matrices have the verdicts of plain evaluation") {
    std::mt19937 random(20261123);
    int decided = 0;
    const int trials = tests::trials(6000);
    for (int trial = 0; trial < trials; ++trial) {
        Data data(random);
        const Test test = data.test({}, 3);
        const Truth truth = test.meaning({});
        const core::ClaimRecord record = claim::judge(with_condition(test.text), data.all);
        INFO(trial << ": " << test.text << "; " << record.readings.at(0).explain);
        REQUIRE(record.verdict == (truth == Truth::yes  ? Verdict::confirmed
                                   : truth == Truth::no ? Verdict::refuted
                                                        : Verdict::undecided));
        REQUIRE((!record.certified || truth != Truth::unknown));
        // Over an empty range a missing value is looked up, though never used.
        const bool is_looked_up = record.readings.at(0).explain.find("does not exist") != std::string::npos;
        if (!data.was_missing && !is_looked_up) REQUIRE((record.certified || record.is_by_definition()));
        decided += truth != Truth::unknown;
    }
    CHECK(decided > trials / 3);
}

namespace {

/// value = 10 q + k over whole axes; of a curve, 10 x.
core::Result plane(const std::string& name, const std::vector<Axis>& axes) {
    return over_axes(name, axes, false, [](double q, double k) { return 10 * q + k; });
}

Verdict on(const core::Result& result, const std::string& holds) {
    const core::ClaimRecord record = claim::judge(with_condition(holds), {&result});
    CHECK(record.certified == (record.verdict != Verdict::undecided));
    return record.verdict;
}

}  // namespace

TEST_CASE("a lookup between two queries of a matrix, or beyond its keys, is missing") {
    const core::Result matrix = plane("m", {{0, 2, 2}, {0, 1, 2}});
    CHECK(on(matrix, "all(i, 0, 1, m[2*i, 1] == 20*i + 1)") == Verdict::confirmed);
    CHECK(on(matrix, "all(i, 0, 2, m[i, 0] < 100)") == Verdict::undecided);
    CHECK(on(matrix, "all(i, 0, 2, m[0, i] < 100)") == Verdict::undecided);
    CHECK(on(matrix, "exists(i, -1, -1, m[0, i] < 100)") == Verdict::undecided);
}

// More points than are examined one by one.
TEST_CASE("a long loop reads a curve and a matrix by their grids") {
    const core::Result curve = plane("c", {{5, 3, 3000}});
    CHECK(on(curve, "all(i, 0, 2999, c[3*i + 5] == 30*i + 50)") == Verdict::confirmed);
    CHECK(on(curve, "exists(i, 0, 2999, c[3*i + 5] == 30*2998 + 50)") == Verdict::confirmed);
    CHECK(on(curve, "all(i, 0, 2999, c[3*i + 5] != 30*2999 + 50)") == Verdict::refuted);
    CHECK(on(curve, "all(i, 0, 3000, c[3*i + 5] >= 0)") == Verdict::undecided);
    const core::Result matrix = plane("m", {{-2, 2, 1500}, {-1, 1, 3}});
    CHECK(on(matrix, "all(i, 0, 1499, m[2*i - 2, -1] == 20*i - 21 and m[2*i - 2, 1] == 20*i - 19)") ==
          Verdict::confirmed);
    CHECK(on(matrix, "all(i, 0, 1499, m[2*i - 2, 0] != 20*1499 - 20)") == Verdict::refuted);
    CHECK(on(matrix, "all(i, 0, 1499, m[i - 2, 0] > -100)") == Verdict::undecided);
    // One value has no step, and a curve of one point is read at it alone.
    const core::Result point = plane("c", {{7, 1, 1}});
    CHECK(on(point, "all(i, 7, 7, c[i] == 70)") == Verdict::confirmed);
    CHECK(on(point, "exists(i, 1, 6, c[i] == 70)") == Verdict::undecided);
    CHECK(on(plane("c", {{0, 1, 4}}), "sum(i, 0, 3, c[i]) == 60") == Verdict::confirmed);
    // (0 + 10 + 20)/7 is not a double: table entries are taken as rationals.
    CHECK(on(plane("c", {{0, 1, 3}}), "sum(i, 0, 2, c[i]/7) == 30/7") == Verdict::confirmed);
    CHECK(on(plane("c", {{0, 1, 3}}), "sum(i, 0, 3, c[i]/7) == 30/7") == Verdict::undecided);
    CHECK(on(plane("m", {{0, 1, 0}, {0, 1, 0}}), "all(i, 0, 1, m[i, i] > 0)") == Verdict::undecided);
}

TEST_CASE("a loop over a series whose coordinates have no constant step reads it point by point") {
    core::Result wide = plane("c", {{0, 1, 4}});
    wide.series->columns[0].values = {0, 1.5, 3, 4.5};
    CHECK(on(wide, "all(i, 0, 1, c[3*i] == 20*i)") == Verdict::confirmed);
    CHECK(on(wide, "all(i, 0, 3, c[i] < 1000)") == Verdict::undecided);  // no row at 1
    core::Result same = plane("c", {{0, 1, 4}});
    same.series->columns[0].values = {2, 2, 2, 2};
    CHECK(on(same, "all(i, 0, 3, c[i] < 1000)") == Verdict::undecided);
    core::Result curve = plane("c", {{0, 1, 4}});
    curve.series->columns[0].values = {0, 1, 2, 7};
    CHECK(on(curve, "all(i, 0, 2, c[i] == 10*i)") == Verdict::confirmed);
    CHECK(on(curve, "all(i, 7, 7, c[i] == 30)") == Verdict::confirmed);
    CHECK(on(curve, "all(i, 3, 3, c[i] == 30)") == Verdict::undecided);
    core::Result halves = plane("c", {{0, 1, 4}});
    halves.series->columns[0].values = {0.5, 1.5, 2.5, 3.5};
    CHECK(on(halves, "all(i, 0, 3, c[i + 0.5] == 10*i)") == Verdict::confirmed);
    CHECK(on(halves, "exists(i, 0, 3, c[i] < 100)") == Verdict::undecided);
}
