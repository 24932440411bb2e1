// Fits of two parameters against their normal equations.
#include "soundness/judges.hpp"

namespace farfield::soundness {

using recheck::Number;

namespace {

struct Row {
    Number weight;
    Number data;
    Number fixed;  ///< of the model, without p0 and p1
    Number first;  ///< what p0 is a factor of
    Number second;
};

/// A weighted sum of products.
template <class Left, class Right>
Number sum(const std::vector<Row>& rows, Left left, Right right) {
    Number total(0);
    for (const Row& row : rows) total = total + row.weight * left(row) * right(row);
    return total;
}

}  // namespace

Outcome judge_fit(const Question& question, const core::Result& result, Random& random) {
    const core::Cell* p0 = result.find("p0");
    const core::Cell* p1 = result.find("p1");
    if (!is_certified(p0) || !is_certified(p1)) return {};
    Formula data(question.formula);
    Formula model(question.model);
    Formula weights(question.other.empty() ? "1" : question.other);
    std::vector<Row> rows;
    for (const Point& point : points_of(question, random)) {
        const auto at = [&](int first, int second) {
            Point with = point;
            with.emplace_back("p0", Number(first));
            with.emplace_back("p1", Number(second));
            return model.at(with);
        };
        const Number fixed = at(0, 0);
        rows.push_back({weights.at(point), data.at(point), fixed, at(1, 0) - fixed, at(0, 1) - fixed});
        for (const Number& part : {rows.back().weight, rows.back().data, rows.back().first, rows.back().second})
            if (has_no_value(part)) return wrong("certified, but: no value at " + show(point), within("p0", *p0));
    }
    const auto first = [](const Row& row) { return row.first; };
    const auto second = [](const Row& row) { return row.second; };
    const auto rest = [](const Row& row) { return row.data - row.fixed; };
    const auto one = [](const Row&) { return Number(1); };
    const Number aa = sum(rows, first, first), ab = sum(rows, first, second), bb = sum(rows, second, second);
    const Number ay = sum(rows, first, rest), by = sum(rows, second, rest);
    const Number determinant = aa * bb - ab * ab;
    const Number a = (ay * bb - ab * by) / determinant;
    const Number b = (aa * by - ab * ay) / determinant;
    if (is_below(a, *p0) || is_above(a, *p0)) return wrong("p0 is " + show(a), within("p0", *p0));
    if (is_below(b, *p1) || is_above(b, *p1)) return wrong("p1 is " + show(b), within("p1", *p1));
    const auto residual = [&](const Row& row) { return rest(row) - a * row.first - b * row.second; };
    const Number squares = sum(rows, residual, residual);
    const Number weight = sum(rows, one, one);
    const Number mean = sum(
                            rows, [](const Row& row) { return row.data; }, one) /
                        weight;
    const auto spread = [&](const Row& row) { return row.data - mean; };
    const Number r2 = Number(1) - squares / sum(rows, spread, spread);
    const Number rmse = recheck::sqrt(squares / weight);
    for (const auto& [name, value] : {std::pair("r2", r2), std::pair("rmse", rmse)}) {
        const core::Cell* cell = result.find(name);
        if (is_certified(cell) && (is_below(value, *cell) || is_above(value, *cell)))
            return wrong(std::string(name) + " is " + show(value), within(name, *cell));
    }
    return {true, std::nullopt};
}

}  // namespace farfield::soundness
