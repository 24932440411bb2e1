#include <farfield/evaluate/reference.hpp>

#include <array>
#include <cstdint>
#include <optional>

#include <farfield/core/error.hpp>
#include <farfield/formula/program.hpp>

#include "evaluate/standard_arithmetic.hpp"
#include "evaluate/value_over_none.hpp"

namespace farfield::evaluate {

namespace {

using Arithmetic = StandardArithmetic<double>;
using formula::Node;
using formula::Op;

// Calls the operator's function with its list of arguments; a boolean argument is 1 or 0.
template <Shape shape, class Function>
double call(Function function, const std::array<double, 3>& x) {
    if constexpr (shape == Shape::r_r) return function(x[0]);
    if constexpr (shape == Shape::r_rr || shape == Shape::b_rr) return function(x[0], x[1]);
    if constexpr (shape == Shape::r_rrr) return function(x[0], x[1], x[2]);
    if constexpr (shape == Shape::r_brr) return function(x[0] != 0, x[1], x[2]);
    if constexpr (shape == Shape::b_b) return function(x[0] != 0);
    if constexpr (shape == Shape::b_bb) return function(x[0] != 0, x[1] != 0);
}

double apply_operator(Op op, const std::array<double, 3>& arguments) {
    switch (op) {
// The formatter would join the two macros.
// clang-format off
#define OPERATOR(name, spelling, fixity, precedence, result, parameters, latex, meaning) \
    case Op::name: \
        return call<shape_of(formula::Type::result, parameters)>( \
            [](auto... values) { return Arithmetic::name(values...); }, arguments);
#define REDUCTION(name, spelling, type, empty, latex, meaning) \
    case Op::name: \
        break;
#define CHOICE(name, ...) \
    case Op::name: \
        break;
#define INTEGRAL(name, ...) \
    case formula::Op::name: \
        break;
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
        // clang-format on
    }
    return Arithmetic::undefined();
}

double fold(Op op, double accumulator, double body) {
    switch (op) {
// The formatter would join the two macros.
// clang-format off
#define OPERATOR(name, spelling, fixity, precedence, result, parameters, latex, meaning) \
    case Op::name: break;
#define REDUCTION(name, spelling, type, empty, latex, meaning) \
    case Op::name: \
        return Arithmetic::name(accumulator, body);
#define CHOICE(name, ...) \
    case Op::name: \
        break;
#define INTEGRAL(name, ...) \
    case formula::Op::name: \
        break;
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
        // clang-format on
    }
    return Arithmetic::undefined();
}

/// The first integer with the best body, by its definition.
double choose(const Node& tree, double first, double last, Environment inner) {
    double chosen = Arithmetic::undefined();
    double best = Arithmetic::undefined();
    for (double at = first; at <= last; ++at) {  // NOLINT(clang-analyzer-security.FloatLoopCounter): at is an integer
        inner.values[tree->text] = at;
        const double body = reference(tree->children[2], inner);
        if (std::isnan(body)) return Arithmetic::undefined();
        const bool is_better = std::isnan(best) || (tree->op == Op::argmin ? body < best : body > best);
        if (!is_better) continue;
        best = body;
        chosen = at;
    }
    return chosen;
}

/// Uses the Gauss-Legendre rule with three points on many parts.
double integrate(const Node& tree, double from, double to, Environment inner) {
    constexpr int parts = 4096;
    const double half = (to - from) / (2 * parts);
    double total = 0;
    for (int part = 0; part < parts; ++part) {
        for (const double place : {-1.0, 0.0, 1.0}) {
            inner.values[tree->text] = from + half * (2 * part + 1 + place * std::sqrt(0.6));
            total += half * (place == 0 ? 8.0 : 5.0) / 9 * reference(tree->children[2], inner);
        }
    }
    return total;
}

double reduce(const Node& tree, const Environment& environment) {
    if (formula::row(tree->op).integral)
        return integrate(tree, reference(tree->children[0], environment), reference(tree->children[1], environment),
                         environment);
    const auto bound = [&](const Node& node) {
        const std::optional<formula::LiteralBound> literal = formula::literal_bound(node);
        return as_integer(literal ? literal->number : reference(node, environment));
    };
    const auto first = bound(tree->children[0]);
    const auto last = bound(tree->children[1]);
    if (!first || !last) {
        return formula::row(tree->op).result == formula::Type::boolean ? 0 : Arithmetic::undefined();
    }
    if (formula::row(tree->op).choice) return choose(tree, *first, *last, environment);
    Environment inner = environment;
    double& variable = inner.values[tree->text];
    double accumulator = value_over_none(tree->op);
    const auto end = static_cast<std::int64_t>(*last);
    for (auto value = static_cast<std::int64_t>(*first); value <= end; ++value) {
        variable = static_cast<double>(value);
        accumulator = fold(tree->op, accumulator, reference(tree->children[2], inner));
    }
    return accumulator;
}

double value_of(const std::string& name, const Environment& environment) {
    if (const auto found = environment.values.find(name); found != environment.values.end()) return found->second;
    if (name == "pi") return std::numbers::pi;
    if (name == "e") return std::numbers::e;
    if (name == "inf") return std::numeric_limits<double>::infinity();
    throw core::PreconditionError("evaluate::reference", "environment", name, "a value for every name");
}

double look_up(const Node& tree, const Environment& environment) {
    const auto table = environment.tables.find(tree->text);
    if (table == environment.tables.end() || tree->children.size() != 1) {
        throw core::PreconditionError("evaluate::reference", "environment", tree->text, "a table of one index");
    }
    const auto index = as_integer(reference(tree->children[0], environment));
    if (!index || *index < 0 || *index >= static_cast<double>(table->second.size())) return Arithmetic::undefined();
    return table->second[static_cast<std::size_t>(*index)];
}

}  // namespace

double reference(const Node& tree, const Environment& environment) {
    switch (tree->kind) {
        case formula::Kind::number: return tree->number;
        case formula::Kind::name: return value_of(tree->text, environment);
        case formula::Kind::index: return look_up(tree, environment);
        case formula::Kind::reduction: return reduce(tree, environment);
        case formula::Kind::operation: {
            // min and max take two or more arguments and fold from the left; all others take three at most.
            std::array<double, 3> arguments{};
            const std::size_t arity = formula::row(tree->op).arguments.size();
            for (std::size_t i = 0; i < arity; ++i) arguments[i] = reference(tree->children[i], environment);
            double value = apply_operator(tree->op, arguments);
            for (std::size_t i = arity; i < tree->children.size(); ++i) {
                value = apply_operator(tree->op, {value, reference(tree->children[i], environment), 0});
            }
            return value;
        }
        case formula::Kind::call:
        case formula::Kind::text: break;
    }
    throw core::PreconditionError("evaluate::reference", "tree", tree->text, "a formula without calls and texts");
}

}  // namespace farfield::evaluate
