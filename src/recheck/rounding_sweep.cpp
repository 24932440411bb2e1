// Bounds of rounding errors over a box, from slopes that are propagated backward from the result to each operation.
#include <algorithm>

#include "recheck/jet.hpp"
#include "recheck/rounded_formula.hpp"

namespace farfield::recheck {
namespace {

Interval point(double x) {
    return Interval::of(x, x);
}

Float magnitude(const Interval& x) {
    return abs(x).hi;
}

Interval around_zero(const Float& radius) {
    return hull(Interval::point(radius), -Interval::point(radius));
}

bool is_point(const Interval& x, double value) {
    return x.lo == Float(value) && x.hi == Float(value);
}

int sign_of(const Interval& x) {
    return x.lo.sign() >= 0 ? 1 : x.hi.sign() <= 0 ? -1 : 0;
}

/// An argument of an operator; exact if it is a point, which powers need.
Number argument(const Interval& x) {
    if (!x.is_point() || !x.is_bounded()) return Number(x);
    Rational value;
    arf_get_fmpq(value.get(), x.lo.get());
    return value.bits() < 200 ? Number(value) : Number(x);
}

bool has_all(const Format& format, const Format& of) {
    return of.bits <= format.bits && of.lowest - of.bits >= format.lowest - format.bits &&
           !(format.largest < of.largest);
}

bool keeps_numbers(Op op) {
    return op == Op::negate || op == Op::abs || op == Op::min || op == Op::max || op == Op::floor || op == Op::ceil ||
           op == Op::round || op == Op::sign;
}

}  // namespace

Sweep::Sweep(const std::vector<Step>& steps, const RoundingModel& model) : steps_(steps), model_(model) {
    const Precision precision(256);
    for (const Step& step : steps) {
        literals_.push_back({step.value.interval(), point(0)});
        if (!model.format || step.op != Op::number) continue;
        const std::optional<Number> nearest = rounded(*model.format, step.value);
        if (!nearest || !nearest->exact()) throw Unprovable("a literal that overflows");
        if (model.rounds_inputs)
            literals_.back().added = around_zero(magnitude((*nearest - step.value).interval()));
        else
            literals_.back().value = nearest->interval();
    }
}

/// With `fixed`, rounding errors are those over a box that contains this one.
void Sweep::forward(const Box& box, State& state, const State* fixed) const {
    const std::size_t count = steps_.size();
    state.value.assign(count, Interval());
    state.added.assign(count, point(0));
    state.may_err.assign(count, false);
    state.slope.assign(count, {point(0), point(0)});
    state.bend.assign(count, {point(0), point(0), point(0)});
    state.is_known = state.is_smooth = true;
    for (std::size_t i = 0; i < count && state.is_known; ++i) {
        if (steps_[i].parts.empty())
            state.value[i] = leaf(i, box, state.added[i]);
        else
            apply(i, state);
        if (fixed) state.added[i] = fixed->added[i];
        state.may_err[i] = !is_point(state.added[i], 0);
        for (const std::size_t part : steps_[i].parts) state.may_err[i] = state.may_err[i] || state.may_err[part];
        state.value[i] = state.value[i] + state.added[i];
        state.is_known = state.is_known && state.value[i].is_bounded();
    }
}

Interval Sweep::leaf(std::size_t i, const Box& box, Interval& added) const {
    const Step& step = steps_[i];
    added = literals_[i].added;
    if (step.op != Op::name) return literals_[i].value;
    const Interval& value = box[step.variable];
    if (model_.rounds_inputs) added = around_zero(half_unit(*model_.format, magnitude(value)));
    return value;
}

void Sweep::apply(std::size_t i, State& state) const {
    const Step& step = steps_[i];
    const Interval& a = state.value[step.parts[0]];
    const Interval& b = state.value[step.parts.back()];
    Interval& value = state.value[i];
    auto& [by_a, by_b] = state.slope[i];
    auto& [by_aa, by_ab, by_bb] = state.bend[i];
    switch (step.op) {
        case Op::add:
            value = a + b;
            by_a = by_b = point(1);
            break;
        case Op::subtract:
            value = a - b;
            by_a = point(1);
            by_b = point(-1);
            break;
        case Op::multiply:
            value = step.parts[0] == step.parts[1] ? power(a, Rational(2).above()) : a * b;
            by_a = b;
            by_b = a;
            by_ab = point(1);
            break;
        case Op::divide:
            if (b.contains_zero()) return void(state.is_known = false);
            value = a / b;
            by_a = point(1) / b;
            by_b = -(value / b);
            by_ab = -(by_a / b);
            by_bb = -(by_b + by_b) / b;
            break;
        default: apply_any(i, state);
    }
    if (state.is_known) state.added[i] = state.added[i] + rounding(i, state);
}

/// Applies an operator with the slopes from the jets of the evaluator.
void Sweep::apply_any(std::size_t i, State& state) const {
    const Step& step = steps_[i];
    if (format_of(step.op)) {
        // A rounding operator returns its argument plus its rounding error.
        state.value[i] = state.value[step.parts[0]];
        state.slope[i][0] = point(1);
        return;
    }
    Evaluator::Box box;
    std::vector<Node> names;
    for (const std::size_t part : step.parts) {
        box.emplace_back(" " + std::to_string(box.size()), argument(state.value[part]));
        names.push_back(make(Op::name, box.back().first, {}));
    }
    const Node operation = make(step.op, "", names);
    Evaluator evaluator;
    const Number value = evaluator.value(operation, box);
    if (value.defined() != Truth::yes || value.infinite() != 0) return void(state.is_known = false);
    state.value[i] = value.interval();
    std::size_t moving = 0;
    bool jumps = false;
    for (std::size_t part = 0; part < step.parts.size(); ++part) {
        const Interval& x = state.value[step.parts[part]];
        if (x.is_point()) continue;
        ++moving;
        const Jet jet = evaluator.jet(operation, box, box[part].first);
        state.is_smooth = state.is_smooth && jet.is_smooth;
        state.slope[i][part] = jet.first;
        state.bend[i][part * 2] = jet.second;
        jumps = jumps || (!jet.is_continuous && state.may_err[step.parts[part]]);
        if (!jet.is_continuous) state.slope[i][part] = point(0);
    }
    if (moving > 1) state.is_smooth = false;
    if (!jumps) return;
    // The whole change of the operator counts as added.
    state.added[i] = around_zero((Interval::point(state.value[i].hi) - Interval::point(state.value[i].lo)).hi);
    state.slope[i] = {point(0), point(0)};
}

/// The error that rounding the result adds.
Interval Sweep::rounding(std::size_t i, const State& state) const {
    const Step& step = steps_[i];
    const Format* format = model_.format;
    const Float most = magnitude(state.value[i] + state.added[i]);
    if (const Format* own = format_of(step.op)) {
        const Interval added = Interval::point(half_unit(*own, most));
        if (format && has_all(*own, *format)) return point(0);
        if (!format || has_all(*format, *own)) return around_zero(added.hi);
        const Float most_rounded = (Interval::point(most) + added).hi;
        return around_zero((added + Interval::point(half_unit(*format, most_rounded))).hi);
    }
    if (!format) return point(0);
    const Float half = half_unit(*format, most);
    if (!half.is_finite()) return Interval::line();
    if (keeps_numbers(step.op) || is_exact_sum(step, state)) return point(0);
    return around_zero(std::min(half, scaling(step, state, state.value[i])));
}

/// Whether a term is zero, or the result is the difference of two numbers within a factor of two (Sterbenz).
bool Sweep::is_exact_sum(const Step& step, const State& state) const {
    if (step.op != Op::add && step.op != Op::subtract) return false;
    const Interval& a = state.value[step.parts[0]];
    const Interval b = step.op == Op::add ? -state.value[step.parts[1]] : state.value[step.parts[1]];
    if (is_point(a, 0) || is_point(b, 0)) return true;
    if (a.contains_zero() || b.contains_zero() || sign_of(a) != sign_of(b)) return false;
    const Interval x = abs(a);
    const Interval y = abs(b);
    return x.hi <= (point(2) * Interval::point(y.lo)).lo && y.hi <= (point(2) * Interval::point(x.lo)).lo;
}

/// The error of rounding a product or a quotient by a power of two, which is zero except below the normal numbers.
Float Sweep::scaling(const Step& step, const State& state, const Interval& value) const {
    const auto is_power_of_two = [](const Interval& x) {
        return x.is_point() && x.is_bounded() && x.lo.sign() != 0 &&
               arf_cmpabs_2exp_si(x.lo.get(), arf_abs_bound_lt_2exp_si(x.lo.get()) - 1) == 0;
    };
    for (std::size_t part = step.op == Op::multiply ? 0 : 1; part < step.parts.size(); ++part) {
        const Interval& factor = state.value[step.parts[part]];
        if ((step.op != Op::multiply && step.op != Op::divide) || !is_power_of_two(factor)) continue;
        const int beside_one = arf_cmpabs_2exp_si(factor.lo.get(), 0);
        if (step.op == Op::divide ? beside_one <= 0 : beside_one >= 0) return {};
        Float normal(1);
        arf_mul_2exp_si(normal.get(), normal.get(), model_.format->lowest);
        return normal <= abs(value).lo ? Float() : half_unit(*model_.format, normal);
    }
    return Interval::line().hi;
}

void Sweep::backward(State& state) const {
    state.weight.assign(steps_.size(), point(0));
    state.weight.back() = point(1);
    for (std::size_t i = steps_.size(); i-- > 0;)
        for (std::size_t part = 0; part < steps_[i].parts.size(); ++part) {
            Interval& weight = state.weight[steps_[i].parts[part]];
            weight = weight + state.weight[i] * state.slope[i][part];
        }
}

Float Sweep::bound(const Box& box) {
    by_side_.assign(box.size(), Float());
    result_ = Interval::line();
    forward(box, whole_, nullptr);
    if (!whole_.is_known) return Interval::line().hi;
    backward(whole_);
    result_ = whole_.value.back();
    Interval sum = point(0);
    for (std::size_t i = 0; i < steps_.size(); ++i)
        if (!is_point(whole_.added[i], 0)) sum = sum + whole_.weight[i] * whole_.added[i];
    return whole_.is_smooth && sum.is_bounded() ? by_mean_value(box, sum.hi) : sum.hi;
}

/// Let H be the sum of |weight| times d over the operations whose weight has one sign on the box. H(x) is H(c) plus
/// slopes at some place in the box times x - c; c is chosen in the direction in which H increases.
Float Sweep::by_mean_value(const Box& box, const Float& natural) {
    const std::vector<Interval> slopes = slopes_of_sum();
    Box from = box;
    Interval sum = point(0);
    for (std::size_t k = 0; k < box.size(); ++k) {
        const Interval width = Interval::point(box[k].hi) - Interval::point(box[k].lo);
        by_side_[k] = (abs(slopes[k]) * width).hi;
        const Float rise = slopes[k].hi.sign() > 0 ? slopes[k].hi : Float();
        const Float fall = slopes[k].lo.sign() < 0 ? (-slopes[k]).hi : Float();
        const bool is_rising = fall <= rise;
        from[k] = Interval::point(is_rising ? box[k].hi : box[k].lo);
        sum = sum + Interval::point(is_rising ? fall : rise) * width;
    }
    State at;
    forward(from, at, &whole_);
    if (!at.is_known) return natural;
    backward(at);
    for (std::size_t i = 0; i < steps_.size(); ++i)
        sum = sum + (sign_of(whole_.weight[i]) != 0 ? at : whole_).weight[i] * whole_.added[i];
    Interval value = at.value.back();
    for (std::size_t i = 0; i < steps_.size(); ++i)
        if (steps_[i].op == Op::name)
            value = value + whole_.weight[i] * (box[steps_[i].variable] - from[steps_[i].variable]);
    if (value.is_bounded()) result_ = common(result_, value);
    return sum.is_bounded() ? std::min(natural, sum.hi) : natural;
}

/// The slopes of H by each variable: H is the derivative of the result along d, and this differentiates it backward.
std::vector<Interval> Sweep::slopes_of_sum() const {
    const std::size_t count = steps_.size();
    std::vector<Interval> along(count, point(0));
    std::vector<Interval> slopes(count, point(0));
    std::vector<Interval> by_variable(by_side_.size(), point(0));
    for (std::size_t i = 0; i < count; ++i) {
        const int sign = sign_of(whole_.weight[i]);
        if (sign != 0) along[i] = point(sign) * Interval::point(whole_.added[i].hi);
        for (std::size_t part = 0; part < steps_[i].parts.size(); ++part)
            along[i] = along[i] + whole_.slope[i][part] * along[steps_[i].parts[part]];
    }
    for (std::size_t i = count; i-- > 0;) {
        const Step& step = steps_[i];
        if (step.op == Op::name) by_variable[step.variable] = slopes[i];
        for (std::size_t part = 0; part < step.parts.size(); ++part) {
            Interval bend = whole_.bend[i][part * 2] * along[step.parts[part]];
            if (step.parts.size() == 2) bend = bend + whole_.bend[i][1] * along[step.parts[1 - part]];
            Interval& slope = slopes[step.parts[part]];
            slope = slope + slopes[i] * whole_.slope[i][part] + whole_.weight[i] * bend;
        }
    }
    return by_variable;
}

}  // namespace farfield::recheck
