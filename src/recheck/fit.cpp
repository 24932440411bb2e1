// Recomputes least-squares fits: the normal equations, in exact rationals if the points are rational.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recheck/curves.hpp"
#include "recheck/kinds.hpp"
#include "recheck/series.hpp"

namespace farfield::recheck {
namespace {

/// Whether the formula is a sum of terms that each have at most one of the names as a factor, to the first power.
bool is_affine(const Tree& tree, const std::vector<std::string>& names) {
    const auto has = [&](const Tree& part) {
        return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return uses(part, name); });
    };
    if (!has(tree)) return true;
    const auto each = [&] {
        return std::all_of(tree.parts.begin(), tree.parts.end(),
                           [&](const Node& part) { return is_affine(*part, names); });
    };
    switch (tree.op) {
        case Op::name: return true;
        case Op::add:
        case Op::subtract:
        case Op::negate: return each();
        case Op::multiply: return (!has(*tree.parts[0]) || !has(*tree.parts[1])) && each();
        case Op::divide: return !has(*tree.parts[1]) && is_affine(*tree.parts[0], names);
        case Op::sum: return !has(*tree.parts[0]) && !has(*tree.parts[1]) && is_affine(*tree.parts[2], names);
        default: return false;
    }
}

/// The printed numbers of a table, row by row: a curve of one column over the number of the row.
class ColumnOfTable : public Computed {
public:
    ColumnOfTable(const Quantity& table, std::string_view column) : table_(table) {
        const auto found = std::find(table.columns.begin(), table.columns.end(), column);
        if (found == table.columns.end())
            throw Unprovable("'" + table.name + "' has no column '" + std::string(column) + "'");
        column_ = static_cast<std::size_t>(found - table.columns.begin());
    }
    Number field(const std::string& name) override { throw Unprovable("'" + name + "' of a column"); }
    long points() override { return static_cast<long>(table_.printed.size()); }
    Rational point(long index) override { return Rational(index + 1); }
    Number entry(const std::string& /*column*/, long index) override {
        return printed_number(table_, static_cast<std::size_t>(index), column_, false);
    }

private:
    const Quantity& table_;
    std::size_t column_ = 0;
};

/// The data of a fit: a curve, or a column of a table with the others as predictors.
struct Fitted {
    Source source;
    std::unique_ptr<Computed> response;
    std::vector<std::pair<std::string, ColumnOfTable>> predictors;
};

Fitted fitted_of(const Quantity& quantity, Recomputation& all) {
    Fitted fitted;
    const std::string* response = quantity.fact("setting.response");
    if (!response) {
        fitted.source = source_of(quantity, all);
        return fitted;
    }
    const Quantity& table = all.declared(quantity.needed("setting.of"));
    fitted.response = std::make_unique<ColumnOfTable>(table, *response);
    fitted.source.curve = fitted.response.get();
    fitted.source.variable = "row";
    fitted.source.range = read_range(quantity, *fitted.response);
    for (const std::string& column : table.columns)
        if (column != *response) fitted.predictors.emplace_back(column, ColumnOfTable(table, column));
    return fitted;
}

/// The solution of rational equations by elimination; nothing if it is not unique.
std::optional<std::vector<Rational>> exact_solution(std::vector<std::vector<Rational>> matrix,
                                                    std::vector<Rational> right) {
    const std::size_t size = right.size();
    for (std::size_t step = 0; step < size; ++step) {
        std::size_t pivot = step;
        while (pivot < size && matrix[pivot][step].sign() == 0) ++pivot;
        if (pivot == size) return std::nullopt;
        std::swap(matrix[step], matrix[pivot]);
        std::swap(right[step], right[pivot]);
        for (std::size_t row = 0; row < size; ++row) {
            if (row == step || matrix[row][step].sign() == 0) continue;
            const Rational factor = matrix[row][step] / matrix[step][step];
            for (std::size_t i = step; i < size; ++i) matrix[row][i] = matrix[row][i] - factor * matrix[step][i];
            right[row] = right[row] - factor * right[step];
        }
    }
    for (std::size_t step = 0; step < size; ++step) right[step] = right[step] / matrix[step][step];
    return right;
}

/// With this many points, the length of exact rationals stays moderate.
constexpr std::size_t most_exact_points = 1'000;

/// A model that is linear in its parameters: the solution of the normal equations.
class Fit {
public:
    Fit(const Quantity& quantity, Fitted fitted) : fitted_(std::move(fitted)) {
        for (int i = 1; const std::string* name = quantity.fact("parameter." + std::to_string(i)); ++i)
            parameters_.push_back(*name);
        model_ = quantity.formula("model");
        if (parameters_.empty() || !is_affine(*model_, parameters_))
            throw Unprovable("'" + quantity.name + "': a model that is not linear in its parameters");
        if (quantity.fact("weights") || quantity.fact("setting.weights")) weights_ = quantity.formula("weights");
    }

    std::map<std::string, Number, std::less<>> values() {
        read_points();
        const auto found = is_exact_ && data_.size() <= most_exact_points ? by_rationals() : by_intervals();
        if (!found) throw Unprovable("the normal equations cannot be solved for certain");
        std::map<std::string, Number, std::less<>> values;
        Row parameters;
        for (std::size_t a = 0; a < parameters_.size(); ++a) {
            values.emplace(parameters_[a], (*found)[a]);
            parameters.push_back((*found)[a].interval());
        }
        add_errors(parameters, values);
        return values;
    }

private:
    std::optional<std::vector<Number>> by_rationals() const {
        const std::size_t size = parameters_.size();
        std::vector<std::vector<Rational>> matrix(size, std::vector<Rational>(size));
        std::vector<Rational> right(size);
        for (const ExactPoint& point : exact_)
            for (std::size_t a = 0; a < size; ++a) {
                const Rational weighted = point.weight * point.design[a];
                right[a] = right[a] + weighted * point.rest;
                for (std::size_t b = 0; b < size; ++b) matrix[a][b] = matrix[a][b] + weighted * point.design[b];
            }
        const auto found = exact_solution(std::move(matrix), std::move(right));
        if (!found) return std::nullopt;
        return std::vector<Number>(found->begin(), found->end());
    }

    std::optional<std::vector<Number>> by_intervals() const {
        const std::size_t size = parameters_.size();
        std::vector<Row> matrix(size, Row(size, Interval::of(0, 0)));
        Row right(size, Interval::of(0, 0));
        for (std::size_t i = 0; i < data_.size(); ++i)
            for (std::size_t a = 0; a < size; ++a) {
                const Interval weighted = weight_[i] * design_[i][a];
                right[a] = right[a] + weighted * (data_[i] - fixed_[i]);
                for (std::size_t b = 0; b < size; ++b) matrix[a][b] = matrix[a][b] + weighted * design_[i][b];
            }
        const std::optional<Row> found = solution(matrix, right);
        if (!found) return std::nullopt;
        std::vector<Number> numbers;
        for (const Interval& each : *found) numbers.emplace_back(each);
        return numbers;
    }

    void read_points() {
        Evaluator evaluator;
        const Source& source = fitted_.source;
        for (long i = source.range.first; i <= source.range.last; ++i) {
            Evaluator::Box box = {{source.variable, Number(source.curve->point(i))}};
            for (auto& [name, column] : fitted_.predictors) box.emplace_back(name, column.entry("value", i));
            const std::size_t first = box.size();
            const Number value = source.curve->entry("value", i);
            const Number weight = weights_ ? evaluator.value(weights_, box) : Number(Rational(1));
            for (const std::string& name : parameters_) box.emplace_back(name, Number());
            const Number at_zero = evaluator.value(model_, box);
            std::vector<Number> design;
            for (std::size_t a = 0; a < parameters_.size(); ++a) {
                box[first + a].second = Number(Rational(1));
                design.push_back(evaluator.value(model_, box) - at_zero);
                box[first + a].second = Number();
            }
            add_point(value, weight, at_zero, design);
        }
    }

    void add_point(const Number& value, const Number& weight, const Number& at_zero,
                   const std::vector<Number>& design) {
        data_.push_back(sure(value));
        weight_.push_back(sure(weight));
        fixed_.push_back(sure(at_zero));
        design_.emplace_back();
        for (const Number& each : design) design_.back().push_back(sure(each));
        const Number rest = value - at_zero;
        is_exact_ =
            is_exact_ && rest.exact() && weight.exact() &&
            std::all_of(design.begin(), design.end(), [](const Number& each) { return each.exact().has_value(); });
        if (!is_exact_) return exact_.clear();
        exact_.push_back({*weight.exact(), *rest.exact(), {}});
        for (const Number& each : design) exact_.back().design.push_back(*each.exact());
    }

    static Interval sure(const Number& number) {
        if (number.defined() != Truth::yes) throw Unprovable("a point of the fit may have no value");
        return number.interval();
    }

    void add_errors(const Row& parameters, std::map<std::string, Number, std::less<>>& values) const {
        Interval weights = Interval::of(0, 0);
        Interval total = weights;
        Number points;
        const Number zero;
        const Number one(Rational(1));
        for (std::size_t i = 0; i < data_.size(); ++i) {
            weights = weights + weight_[i];
            total = total + weight_[i] * data_[i];
            points = points + counted(i, one, joined(zero, one), zero);
        }
        const Interval mean = total / weights;
        Interval residual = Interval::of(0, 0);
        Interval spread = residual;
        Interval largest = residual;
        for (std::size_t i = 0; i < data_.size(); ++i) {
            Interval rest = data_[i] - fixed_[i];
            for (std::size_t a = 0; a < parameters.size(); ++a) rest = rest - parameters[a] * design_[i][a];
            // A point without weight does not belong to the fit.
            const Number size(abs(rest));
            largest = max(largest, counted(i, size, joined(zero, size), zero).interval());
            residual = residual + weight_[i] * power(rest, Rational(2).above());
            spread = spread + weight_[i] * power(data_[i] - mean, Rational(2).above());
        }
        values.emplace("r2", Number(Rational(1)) - Number(residual) / Number(spread));
        values.emplace("max_error", Number(largest));
        values.emplace("rmse", sqrt(Number(residual) / Number(weights)));
        values.emplace("points", points);
    }

    /// One of three numbers, depending on whether a point has a positive weight, may have one, or has none.
    Number counted(std::size_t point, const Number& if_any, const Number& if_open, const Number& if_none) const {
        const Truth has_weight = less(Number(), Number(weight_[point]));
        return has_weight == Truth::yes ? if_any : has_weight == Truth::no ? if_none : if_open;
    }

    /// A point whose numbers are all rational: the target of the sum of the parameters' terms, and the factors of these
    /// terms.
    struct ExactPoint {
        Rational weight;
        Rational rest;
        std::vector<Rational> design;
    };

    Fitted fitted_;
    std::vector<std::string> parameters_;
    Node model_;
    Node weights_;
    Row data_;
    Row weight_;
    Row fixed_;  ///< the part of the model without parameters
    std::vector<Row> design_;
    bool is_exact_ = true;
    std::vector<ExactPoint> exact_;
};

}  // namespace

Made make_fit(const Quantity& quantity, Recomputation& all) {
    return std::make_unique<Fixed>(Fit(quantity, fitted_of(quantity, all)).values());
}

}  // namespace farfield::recheck
