// Curves, single values, how a curve rises and falls, and least-squares fits.
#include <algorithm>

#include "recheck/curves.hpp"
#include "recheck/format.hpp"
#include "recheck/kinds.hpp"
#include "recheck/series.hpp"
#include "recheck/substitute.hpp"

namespace farfield::recheck {
namespace {

/// The format that every operation is rounded to; null where numbers are as exact as can be had.
const Format* stepwise_format(const Quantity& quantity) {
    const std::string* system = quantity.fact("setting.in");
    if (!system || *system == "double" || *system == "interval" || system->starts_with("mp")) return nullptr;
    return &find_format(*system);
}

/// Counts of what surely and what perhaps happens.
struct Count {
    long least = 0;
    long most = 0;

    void add(Truth truth) {
        least += truth == Truth::yes ? 1 : 0;
        most += truth == Truth::no ? 0 : 1;
    }
    Number number() const { return joined(Number(Rational(least)), Number(Rational(most))); }
};

class Oscillation : public Computed {
public:
    explicit Oscillation(Source source) : source_(std::move(source)) {}

    Number field(const std::string& name) override {
        if (name == "increases" || name == "decreases") {
            Count count;
            const Number zero;
            for (long i = source_.range.first; i < source_.range.last; ++i)
                count.add(name == "increases" ? less(zero, step(i)) : less(step(i), zero));
            return count.number();
        }
        if (name == "total_variation" || name == "largest_increase") {
            Number result;
            for (long i = source_.range.first; i < source_.range.last; ++i)
                result = name == "total_variation" ? result + abs(step(i)) : max(result, step(i));
            return result;
        }
        throw Unprovable("the recheck does not compute '" + name + "' of an oscillation");
    }

private:
    Number step(long i) { return source_.curve->entry("value", i + 1) - source_.curve->entry("value", i); }

    Source source_;
};

/// Whether the formula is a sum of terms each with one of the names as a factor, to the first power, or with none.
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

/// A model that is linear in its parameters: the solution of the normal equations.
class Fit {
public:
    Fit(const Quantity& quantity, Source source) : source_(std::move(source)) {
        for (int i = 1; const std::string* name = quantity.fact("parameter." + std::to_string(i)); ++i)
            parameters_.push_back(*name);
        model_ = quantity.formula("model");
        if (parameters_.empty() || !is_affine(*model_, parameters_))
            throw Unprovable("'" + quantity.name + "': a model that is not linear in its parameters");
        if (quantity.fact("weights") || quantity.fact("setting.weights")) weights_ = quantity.formula("weights");
    }

    std::map<std::string, Number, std::less<>> values() {
        read_points();
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
        if (!found) throw Unprovable("the normal equations cannot be solved for certain");
        std::map<std::string, Number, std::less<>> values;
        for (std::size_t a = 0; a < size; ++a) values.emplace(parameters_[a], Number((*found)[a]));
        add_errors(*found, values);
        return values;
    }

private:
    void read_points() {
        Evaluator evaluator;
        for (long i = source_.range.first; i <= source_.range.last; ++i) {
            Evaluator::Box box = {{source_.variable, Number(source_.curve->point(i))}};
            data_.push_back(sure(source_.curve->entry("value", i)));
            weight_.push_back(weights_ ? sure(evaluator.value(weights_, box)) : Interval::of(1, 1));
            for (const std::string& name : parameters_) box.emplace_back(name, Number());
            const Number at_zero = evaluator.value(model_, box);
            fixed_.push_back(sure(at_zero));
            Row row;
            for (std::size_t a = 0; a < parameters_.size(); ++a) {
                box[a + 1].second = Number(Rational(1));
                row.push_back(sure(evaluator.value(model_, box) - at_zero));
                box[a + 1].second = Number();
            }
            design_.push_back(std::move(row));
        }
    }

    static Interval sure(const Number& number) {
        if (number.defined() != Truth::yes) throw Unprovable("a point of the fit may have no value");
        return number.interval();
    }

    void add_errors(const Row& parameters, std::map<std::string, Number, std::less<>>& values) const {
        Interval weights = Interval::of(0, 0);
        Interval total = weights;
        for (std::size_t i = 0; i < data_.size(); ++i) {
            weights = weights + weight_[i];
            total = total + weight_[i] * data_[i];
        }
        const Interval mean = total / weights;
        Interval residual = Interval::of(0, 0);
        Interval spread = residual;
        Interval largest = residual;
        for (std::size_t i = 0; i < data_.size(); ++i) {
            Interval rest = data_[i] - fixed_[i];
            for (std::size_t a = 0; a < parameters.size(); ++a) rest = rest - parameters[a] * design_[i][a];
            largest = max(largest, abs(rest));
            residual = residual + weight_[i] * power(rest, Rational(2).above());
            spread = spread + weight_[i] * power(data_[i] - mean, Rational(2).above());
        }
        values.emplace("r2", Number(Rational(1)) - Number(residual) / Number(spread));
        values.emplace("max_error", Number(largest));
        values.emplace("rmse", sqrt(Number(residual) / Number(Rational(static_cast<long>(data_.size())))));
        values.emplace("points", Number(Rational(static_cast<long>(data_.size()))));
    }

    Source source_;
    std::vector<std::string> parameters_;
    Node model_;
    Node weights_;
    Row data_;
    Row weight_;
    Row fixed_;  ///< of the model, without any parameter
    std::vector<Row> design_;
};

}  // namespace

Made make_curve(const Quantity& quantity, Recomputation& /*all*/) {
    if (stepwise_format(quantity)) throw Unprovable("'" + quantity.name + "': a curve in a number format");
    return own_curve(quantity, "formula");
}

Made make_value(const Quantity& quantity, Recomputation& /*all*/) {
    const Node formula = quantity.formula("formula");
    Number value;
    if (const Format* format = stepwise_format(quantity)) {
        const std::optional<Number> rounded = stepwise(formula, *format, {});
        if (!rounded) throw Unprovable("'" + quantity.name + "': a rounding that is not decided");
        value = *rounded;
    } else {
        Evaluator evaluator;
        value = evaluator.value(formula, {});
    }
    return std::make_unique<Fixed>(std::map<std::string, Number, std::less<>>{{"value", value}});
}

Made make_oscillation(const Quantity& quantity, Recomputation& all) {
    return std::make_unique<Oscillation>(source_of(quantity, all));
}

Made make_fit(const Quantity& quantity, Recomputation& all) {
    return std::make_unique<Fixed>(Fit(quantity, source_of(quantity, all)).values());
}

}  // namespace farfield::recheck
