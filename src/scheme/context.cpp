#include <algorithm>
#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/pieces.hpp>
#include <optional>

#include "scheme/folding.hpp"

namespace farfield::scheme {
namespace {

using formula::Node;
using formula::Op;

const char* const always = "1 == 1";

bool uses(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The value of a learned scalar: that of the context, or else the one from which training starts.
double learned_value(const Learned& learned, const Context& context) {
    for (const auto& [name, value] : context.learned) {
        if (name == learned.name) return value;
    }
    return learned.init;
}

std::vector<double> table_values(const Learned& learned, const Context& context) {
    for (const auto& [name, values] : context.tables) {
        if (name == learned.name) return values;
    }
    return std::vector<double>(static_cast<std::size_t>(learned.size), learned.init);
}

std::vector<formula::Replacement> replacements(const Scheme& scheme, const Context& context, double width) {
    const double train_length = context.train_length > 0 ? context.train_length : context.length;
    std::vector<formula::Replacement> list = {
        {"h", formula::make_number(context.head)},   {"H", formula::make_number(context.heads)},
        {"d", formula::make_number(width)},          {"L", formula::make_number(context.length)},
        {"Ltr", formula::make_number(train_length)}, {"layer", formula::make_number(context.layer)},
        {"R", formula::make_number(context.layers)},
    };
    for (const Learned& learned : scheme.learn) {
        if (learned.size > 0) continue;
        list.push_back({learned.name, formula::make_number(learned_value(learned, context))});
    }
    return list;
}

void require_lengths(const Node& tree, const Context& context) {
    const std::vector<std::string> names = formula::free_names(tree);
    const bool needs_length = uses(names, "L") || (uses(names, "Ltr") && !(context.train_length > 0));
    if (needs_length && !(context.length > 0)) {
        throw core::PreconditionError("scheme::in_context", "context.length", std::to_string(context.length),
                                      "a length above zero, since the formula uses it");
    }
}

Node put_in(const Scheme& scheme, const Node& tree, const Context& context, double width) {
    require_lengths(tree, context);
    Node result = formula::substitute(tree, replacements(scheme, context, width));
    for (const Learned& learned : scheme.learn) {
        if (learned.size > 0) result = with_table(result, learned.name, table_values(learned, context));
    }
    return fold_conditions(result);
}

/// `otherwise` where the condition fails.
Node guarded(const Node& condition, const Node& body, const char* otherwise) {
    if (!condition) return body;
    if (const std::optional<bool> truth = constant_truth(condition)) {
        return *truth ? body : formula::parse(std::string(otherwise));
    }
    if (otherwise == always) return formula::make(Op::logical_or, {formula::make(Op::logical_not, {condition}), body});
    return formula::make(Op::select, {condition, body, formula::parse(std::string(otherwise))});
}

Node in_width(const Scheme& scheme, const Piece& piece, const Context& context, double width, const char* otherwise) {
    const Node body = put_in(scheme, piece.formula, context, width);
    const Node condition = piece.when ? put_in(scheme, piece.when, context, width) : nullptr;
    return guarded(condition, body, otherwise);
}

Node distance() {
    return formula::make(Op::subtract, {formula::make_name("q"), formula::make_name("k")});
}

/// What p is replaced by in the scale: public code counts from minus half the length, rounded away from zero.
Node counted_from(Origin origin, double length) {
    Node position = formula::make_name("p");
    if (origin == Origin::start) return position;
    if (!(length > 0)) {
        throw core::PreconditionError("scheme::scale_formula", "context.length", std::to_string(length),
                                      "a length above zero, since the scale counts from the centre or the end");
    }
    const double zero = origin == Origin::centre ? std::ceil(length / 2) : length - 1;
    return formula::make(Op::subtract, {position, formula::make_number(zero)});
}

std::string plain(double number) {
    return formula::make_number(number)->text;
}

std::string shown(double number) {
    return number < 0 ? "-" + plain(-number) : plain(number);
}

constexpr ContextKey keys_of_context[] = {
    {"head", "h", &Context::head},         {"heads", "H", &Context::heads},
    {"head_dim", "d", &Context::head_dim}, {"width", "d", &Context::width},
    {"length", "L", &Context::length},     {"train_length", "Ltr", &Context::train_length},
    {"layer", "layer", &Context::layer},   {"layers", "R", &Context::layers},
};

}  // namespace

std::span<const ContextKey> context_keys() {
    return keys_of_context;
}

std::vector<ContextProblem> check_context(const Scheme* scheme, const Context& context,
                                          const std::function<bool(std::string_view key)>& is_given) {
    std::vector<ContextProblem> problems;
    const auto refuse = [&](std::string_view key, double value, std::string wanted) {
        problems.push_back({key, shown(value), std::move(wanted)});
    };
    for (const ContextKey& each : keys_of_context) {
        const double value = context.*each.member;
        if (is_given(each.key) && !(value >= 1 && value == std::floor(value) && std::isfinite(value)))
            refuse(each.key, value, "a whole number, at least 1");
    }
    if (!problems.empty()) return problems;
    const auto check_most = [&](std::string_view key, double value, std::string_view limit, double most) {
        if (is_given(key) && is_given(limit) && value > most)
            refuse(key, value, "1 to " + shown(most) + ", the value of '" + std::string(limit) + "'");
    };
    check_most("head", context.head, "heads", context.heads);
    check_most("layer", context.layer, "layers", context.layers);
    if (is_given("width") && is_given("heads") && std::fmod(context.width, context.heads) != 0)
        refuse("width", context.width, "a multiple of 'heads', " + shown(context.heads));
    const double rotated = scheme && scheme->rotate ? scheme->rotate->columns(context.head_dim) : 0;
    const bool is_even = std::fmod(rotated, 2) == 0 && (rotated >= 2 || !scheme || !scheme->rotate);
    if (is_given("head_dim") && !is_even && !std::isnan(rotated))
        refuse("head_dim", context.head_dim,
               rotated == context.head_dim
                   ? "an even width: '" + scheme->name + "' rotates pairs of dimensions"
                   : "a width of which '" + scheme->name + "' rotates an even number of dimensions, " +
                         (rotated < 2 ? "at least 2, " : "") + "not " + shown(rotated));
    return problems;
}

Node in_context(const Scheme& scheme, const Piece& piece, const Context& context, const char* otherwise) {
    const bool is_embedding = scheme.embed && ((scheme.embed->even && &piece == &*scheme.embed->even) ||
                                               (scheme.embed->odd && &piece == &*scheme.embed->odd));
    return in_width(scheme, piece, context, is_embedding ? context.width : context.head_dim, otherwise);
}

Node bias_formula(const Scheme& scheme, const Context& context) {
    if (!scheme.bias) return formula::make_number("0");
    const Node tree = in_context(scheme, *scheme.bias, context, "0");
    Node bias = formula::substitute(tree, {{"n", distance()}});
    if (!scheme.bias_scaled) return bias;
    return formula::make(Op::divide, {bias, formula::make(Op::square_root, {formula::make_number(context.head_dim)})});
}

Node mask_formula(const Scheme& scheme, const Context& context) {
    const Node causal = formula::make(Op::less_equal, {formula::make_name("k"), formula::make_name("q")});
    if (!scheme.mask) return scheme.causal ? causal : formula::parse(std::string(always));
    const Node tree = in_context(scheme, *scheme.mask, context, always);
    Node mask = formula::substitute(tree, {{"n", distance()}});
    if (!scheme.causal) return mask;
    return constant_truth(mask) == true ? causal : formula::make(Op::logical_and, {causal, mask});
}

Node angle_formula(const Scheme& scheme, const Context& context) {
    refuse_far(scheme, "this computation does");
    return near_angle_formula(scheme, context);
}

std::optional<FarFormulas> far_formulas(const Scheme& scheme, const Context& context) {
    if (!scheme.rotate || !scheme.rotate->far) return std::nullopt;
    const FarRotation& far = *scheme.rotate->far;
    const double width = scheme.rotate->columns(context.head_dim);
    const Node where =
        formula::substitute(in_width(scheme, far.where, context, context.head_dim, always), {{"n", distance()}});
    const Piece& key = far.key ? *far.key : scheme.rotate->angle;
    return FarFormulas{where, in_width(scheme, far.query, context, width, "0"),
                       in_width(scheme, key, context, width, "0")};
}

Node near_angle_formula(const Scheme& scheme, const Context& context) {
    if (!scheme.rotate) return formula::make_number("0");
    return in_width(scheme, scheme.rotate->angle, context, scheme.rotate->columns(context.head_dim), "0");
}

Node wave_value(const Scheme& scheme, const Node& wave) {
    const bool is_changed = scheme.rotate && scheme.rotate->values;
    return is_changed ? formula::substitute(scheme.rotate->values, {{"it", wave}}) : wave;
}

Node scale_formula(const Scheme& scheme, const Context& context) {
    if (!scheme.rotate || !scheme.rotate->scale) return formula::make_number("1");
    const double width = scheme.rotate->columns(context.head_dim);
    Node tree = in_width(scheme, *scheme.rotate->scale, context, width, "1");
    if (scheme.rotate->origin == Origin::start) return tree;
    return formula::substitute(tree, {{"p", counted_from(scheme.rotate->origin, context.length)}});
}

}  // namespace farfield::scheme
