#include "recheck/expression.hpp"

#include <utility>

#include "recheck/evaluator.hpp"

namespace farfield::recheck {

struct Expression::Impl {
    Node tree;
};

struct Value::Impl {
    Number number;
};

namespace {

Rational read(const std::string& text) {
    const std::optional<Rational> value = read_rational(text);
    if (!value) throw Unprovable("'" + text + "' is not a number");
    return *value;
}

Evaluator::Box box_of(const Environment& environment) {
    Evaluator::Box box;
    for (const auto& [name, ends] : environment) {
        const Rational lo = read(ends.lo);
        const Rational hi = read(ends.hi);
        if (hi < lo) throw Unprovable("the interval of '" + name + "' is empty");
        box.emplace_back(name, lo == hi ? Number(lo) : Number(Interval{enclose(lo).lo, enclose(hi).hi}));
    }
    return box;
}

Value value_of(Number number) {
    return Value(std::make_shared<const Value::Impl>(Value::Impl{std::move(number)}));
}

}  // namespace

bool Expression::is_condition() const {
    return recheck::is_condition(*impl_->tree);
}

bool Expression::uses(std::string_view name) const {
    return recheck::uses(*impl_->tree, name);
}

Expression parse(std::string_view text) {
    return Expression(std::make_shared<const Expression::Impl>(Expression::Impl{parse_tree(text)}));
}

Truth Value::is_defined() const {
    return impl_->number.defined();
}

int Value::infinite() const {
    return impl_->number.infinite();
}

bool Value::is_exact() const {
    return impl_->number.exact().has_value();
}

double Value::lower() const {
    if (impl_->number.exact()) return enclose(*impl_->number.exact()).lo.down();
    return impl_->number.interval().lo.down();
}

double Value::upper() const {
    if (impl_->number.exact()) return enclose(*impl_->number.exact()).hi.up();
    return impl_->number.interval().hi.up();
}

std::string Value::text(int digits) const {
    const Number& number = impl_->number;
    if (number.infinite() != 0) return number.infinite() > 0 ? "inf" : "-inf";
    if (number.exact()) return recheck::text(*number.exact());
    const Interval x = number.interval();
    return "[" + recheck::text(x.lo, digits) + ", " + recheck::text(x.hi, digits) + "]";
}

Truth Value::is_within(const std::string& lo, const std::string& hi) const {
    return both(less_equal(Number(read(lo)), impl_->number), less_equal(impl_->number, Number(read(hi))));
}

Value evaluate(const Expression& expression, const Environment& environment, long bits) {
    const Precision precision(bits);
    Evaluator evaluator;
    return value_of(evaluator.value(expression.impl().tree, box_of(environment)));
}

Truth decide(const Expression& condition, const Environment& environment, long bits) {
    const Precision precision(bits);
    Evaluator evaluator;
    return evaluator.truth(condition.impl().tree, box_of(environment));
}

Slope differentiate(const Expression& expression, const Environment& environment, const std::string& variable,
                    long bits) {
    const Precision precision(bits);
    Evaluator evaluator;
    const Jet jet = evaluator.jet(expression.impl().tree, box_of(environment), variable);
    return {value_of(jet.value), value_of(Number(jet.first)), value_of(Number(jet.second)), jet.is_continuous,
            jet.is_smooth};
}

}  // namespace farfield::recheck
