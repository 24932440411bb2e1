#include "recheck/rounded_formula.hpp"

#include <map>
#include <tuple>

#include "recheck/jet.hpp"
#include "recheck/substitute.hpp"

namespace farfield::recheck {
namespace {

constexpr std::size_t most_operations = 20'000;

class Flattened {
public:
    explicit Flattened(const std::vector<std::string>& variables) : variables_(variables) {}

    std::size_t add(const Node& tree) {
        if (tree->op == Op::number) return literal(tree->value);
        if (tree->op == Op::name) return name(*tree);
        if (tree->op == Op::sum || tree->op == Op::product) return reduction(*tree);
        if (is_condition(*tree) || tree->op == Op::select || is_reduction(tree->op) || tree->op == Op::lookup ||
            tree->op == Op::call || tree->op == Op::t5_bucket)
            throw Unprovable("the rounding error of a condition, a lookup or an integral");
        std::vector<std::size_t> parts;
        for (const Node& part : tree->parts) parts.push_back(add(part));
        if (tree->op != Op::clamp) return apply(tree->op, parts);
        return apply(Op::min, {apply(Op::max, {parts[0], parts[1]}), parts[2]});
    }

    std::vector<Step> steps;

private:
    std::size_t apply(Op op, std::vector<std::size_t> parts, std::size_t variable = 0, const std::string& text = "") {
        const auto [known, is_new] = known_.try_emplace({op, parts, variable, text}, steps.size());
        if (!is_new) return known->second;
        if (steps.size() == most_operations)
            throw Unprovable("more than " + std::to_string(most_operations) + " operations");
        steps.push_back({op, std::move(parts), variable, Number()});
        return steps.size() - 1;
    }

    std::size_t literal(const Rational& value) {
        const std::size_t at = apply(Op::number, {}, 0, text(value));
        steps[at].value = Number(value);
        return at;
    }

    std::size_t name(const Tree& tree) {
        for (std::size_t i = 0; i < variables_.size(); ++i)
            if (variables_[i] == tree.name) return apply(Op::name, {}, i);
        if (tree.name != "pi" && tree.name != "e") throw Unprovable("an unknown name '" + tree.name + "'");
        const std::size_t at = apply(Op::number, {}, 0, tree.name);
        const Precision precision(256);
        steps[at].value = Number(tree.name == "pi" ? pi() : euler());
        return at;
    }

    /// Adds the terms in order; the first is not added to anything.
    std::size_t reduction(const Tree& tree) {
        Evaluator evaluator;
        const auto bound = [&](const Node& part) {
            const std::optional<Rational> value = part->free.empty() ? evaluator.value(part, {}).exact() : std::nullopt;
            const auto number = value ? whole_number(*value) : std::nullopt;
            if (!number) throw Unprovable("the rounding error of a loop whose bounds are not numbers");
            return *number;
        };
        const long to = bound(tree.parts[1]);
        std::optional<std::size_t> result;
        for (long at = bound(tree.parts[0]); at <= to; ++at) {
            const std::size_t term = add(substituted(tree.parts[2], {{tree.name, make_number(Rational(at))}}));
            result = result ? apply(tree.op == Op::sum ? Op::add : Op::multiply, {*result, term}) : term;
        }
        return result ? *result : literal(Rational(tree.op == Op::sum ? 0 : 1));
    }

    const std::vector<std::string>& variables_;
    std::map<std::tuple<Op, std::vector<std::size_t>, std::size_t, std::string>, std::size_t> known_;
};

Number value_of(const Step& step, const std::vector<Number>& values) {
    const Number& first = values[step.parts[0]];
    return step.parts.size() == 1 ? unary(step.op, first) : binary(step.op, first, values[step.parts[1]]);
}

}  // namespace

std::vector<Step> steps_of(const Node& tree, const std::vector<std::string>& variables) {
    Flattened flattened(variables);
    const std::size_t root = flattened.add(tree);
    flattened.steps.resize(root + 1);  // the result is the last
    return std::move(flattened.steps);
}

const Format* format_of(Op op) {
    switch (op) {
        case Op::fp32: return &find_format("fp32");
        case Op::fp16: return &find_format("fp16");
        case Op::bf16: return &find_format("bf16");
        case Op::e4m3: return &find_format("e4m3");
        case Op::e5m2: return &find_format("e5m2");
        default: return nullptr;
    }
}

Float half_unit(const Format& format, const Float& magnitude) {
    if (magnitude.sign() == 0) return magnitude;
    if (!magnitude.is_finite() || !(magnitude <= enclose(format.largest).lo)) return Interval::line().hi;
    // The magnitude is at most 2^top; numbers below a power of two have the smaller unit.
    fmpz_t bound;
    fmpz_init(bound);
    arf_abs_bound_le_2exp_fmpz(bound, magnitude.get());
    const long top = fmpz_get_si(bound);
    fmpz_clear(bound);
    Float result(1);
    arf_mul_2exp_si(result.get(), result.get(), std::max(top - 1, format.lowest) - format.bits);
    return result;
}

AtPoint at_point(const std::vector<Step>& steps, const RoundingModel& model, const std::vector<Rational>& point) {
    const Precision precision(256);
    std::vector<Number> computed;
    std::vector<Number> exact;
    const auto round_to = [](const Format& format, const Number& x) {
        const std::optional<Number> value = rounded(format, x);
        if (!value || !value->exact()) throw Unprovable("a rounding that is not decided, or that overflows");
        return *value;
    };
    for (const Step& step : steps) {
        const bool is_variable = step.op == Op::name;
        if (step.parts.empty()) {
            const Number value = is_variable ? Number(point.at(step.variable)) : step.value;
            computed.push_back(model.format ? round_to(*model.format, value) : value);
            exact.push_back(model.rounds_inputs ? value : computed.back());
            if (is_variable && !model.rounds_inputs && !(*computed.back().exact() == *value.exact()))
                throw Unprovable("a point that is not of the format's numbers");
            continue;
        }
        const Format* own = format_of(step.op);
        Number value = own ? round_to(*own, computed[step.parts[0]]) : value_of(step, computed);
        computed.push_back(model.format ? round_to(*model.format, value) : std::move(value));
        exact.push_back(own ? exact[step.parts[0]] : value_of(step, exact));
    }
    return {computed.back(), exact.back()};
}

}  // namespace farfield::recheck
