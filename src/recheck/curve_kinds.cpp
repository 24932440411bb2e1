// Curves, single values, and oscillations of curves.
#include "recheck/curves.hpp"
#include "recheck/format.hpp"
#include "recheck/kinds.hpp"
#include "recheck/series.hpp"
#include "recheck/substitute.hpp"

namespace farfield::recheck {
namespace {

/// The format to which every operation is rounded; null if numbers are not rounded.
const Format* stepwise_format(const Quantity& quantity) {
    const std::string* system = quantity.fact("setting.in");
    if (!system || *system == "double" || *system == "interval" || system->starts_with("mp")) return nullptr;
    return &find_format(*system);
}

/// Counts of events that certainly happen, and of those that may happen.
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

}  // namespace farfield::recheck
