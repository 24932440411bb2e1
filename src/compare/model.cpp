#include "compare/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <farfield/formula/parser.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/pieces.hpp>

#include "compare/change.hpp"
#include "compare/lanes.hpp"
#include "compare/learned.hpp"
#include "compare/magnitude.hpp"
#include "scheme/folding.hpp"

namespace farfield::compare {

namespace {

using formula::Node;
using formula::Op;
using scheme::Piece;
using scheme::Scheme;

struct Parts3 {
    Node angle;
    Node scale;
    Node temperature;
};

/// The argument of the first sine or cosine; null if there is none.
Node angle_in(const Node& tree) {
    if (tree->kind == formula::Kind::operation && (tree->op == Op::sine || tree->op == Op::cosine))
        return tree->children[0];
    for (const Node& child : tree->children)
        if (Node angle = angle_in(child)) return angle;
    return nullptr;
}

/// What the scheme adds to even or odd dimensions of an embedding.
Node in_embedding(const Scheme& scheme, const std::optional<scheme::Piece>& piece, const scheme::Context& context) {
    return piece ? scheme::in_context(scheme, *piece, context, "0") : parsed("0");
}

Parts3 parts_of(const Scheme& scheme, const scheme::Context& context, Part part) {
    // For tables of a rotation, compare() refuses a scheme with a second rotation.
    Node angle = scheme::near_angle_formula(scheme, context);
    if (part == Part::embedding) angle = angle_in(in_embedding(scheme, scheme.embed->even, context));
    if (part == Part::embedding && !angle) angle = angle_in(in_embedding(scheme, scheme.embed->odd, context));
    return {angle, scheme::scale_formula(scheme, context),
            scheme.temperature ? scheme::in_context(scheme, *scheme.temperature, context, "1") : parsed("1")};
}

/// The formula of the declared part, before edits of the value.
Node base_value(Part part, const Scheme& scheme, const scheme::Context& context, const Parts3& rotation,
                std::span<const Choice> choices) {
    Node cosine = formula::make(Op::cosine, {rotation.angle ? rotation.angle : parsed("0")});
    Node sine = formula::make(Op::sine, {rotation.angle ? rotation.angle : parsed("0")});
    cosine = scheme::wave_value(scheme, cosine);
    sine = scheme::wave_value(scheme, sine);
    if (part == Part::embedding) {
        sine = in_embedding(scheme, scheme.embed->even, context);
        cosine = in_embedding(scheme, scheme.embed->odd, context);
    }
    if (has(choices, Action::exchange) || has(choices, Action::exchange_sides)) std::swap(cosine, sine);
    const std::vector<formula::Replacement> pieces = {{"sine", sine}, {"cosine", cosine}, {"scale", rotation.scale}};
    const auto of_rotation = [&](std::string_view text) { return formula::substitute(parsed(text), pieces); };
    const std::string_view turned =
        has(choices, Action::exchange_output) ? "y*cosine - turned*(x*sine)" : "x*cosine + turned*(y*sine)";
    switch (part) {
        case Part::bias: return scheme::bias_formula(scheme, context);
        case Part::mask:
            return formula::substitute(
                formula::make(Op::select, {scheme::mask_formula(scheme, context), parsed("1"), parsed("0")}), {});
        case Part::cosine: return cosine;
        case Part::sine: return sine;
        case Part::turn: return of_rotation("component > 0.5 ? sine : cosine");
        case Part::both: return of_rotation("turned < 0 ? cosine : sine");
        case Part::embedding: return of_rotation("turned < 0 ? sine : cosine");
        case Part::scale: return rotation.scale;
        case Part::angle: return rotation.angle;
        case Part::query: return of_rotation(fmt::format("({}) * scale", turned));
        case Part::key: return of_rotation(fmt::format("({}) / scale", turned));
    }
    return nullptr;
}

/// Along distances: the query at n, the key at 0.
Node along(const Layout& layout, const Node& tree) {
    if (!tree || !layout.has(Axis::distance)) return tree;
    return formula::substitute(tree, {{"q", formula::make_name("n")}, {"k", formula::make_number("0")}});
}

Node with_query_as_key(const Node& tree) {
    if (!tree) return tree;
    return formula::substitute(tree, {{"q", formula::make_name("k")}, {"k", formula::make_name("q")}});
}

/// The error of an angle that is computed in `format`: eight roundings, each half a unit, and two of the frequency's
/// logarithm, because code that computes the exponential of a product rounds this product. If the error is a tenth of a
/// radian or more, the angle is meaningless, and no slack is allowed.
Node slack_of(Part part, const numerics::Format& format, const Node& angle, const Node& frequency,
              const Node& magnitude) {
    const Node error = formula::substitute(parsed("half_unit * (8 + 2*abs(log(abs(frequency)))) * abs(angle)"),
                                           {{"half_unit", formula::make_number(std::ldexp(0.5, -format.mantissa_bits))},
                                            {"frequency", frequency},
                                            {"angle", angle}});
    const Node share = part == Part::angle ? parsed("error") : parsed("error*magnitude");
    return formula::substitute(formula::make(Op::select, {parsed("error < 0.1"), share, parsed("0")}),
                               {{"error", error}, {"magnitude", magnitude}});
}

/// A formula that gives, for each head of the tensor, the head of the scheme.
Node order_of(const std::vector<std::string>& heads) {
    std::vector<double> numbers;
    numbers.reserve(heads.size());
    for (const std::string& each : heads) numbers.push_back(std::strtod(each.c_str(), nullptr));
    return scheme::with_table(formula::make_index("order", {parsed("head - 1")}), "order", numbers);
}

/// The formula of the head: a name that lanes fill, or the number of an assumed head.
Node head_of(const scheme::Context& context, std::span<const Choice> choices) {
    if (has(choices, Action::one_head)) return formula::make_number(context.head);
    if (!has(choices, Action::some_heads)) return formula::make_name("head");
    return formula::substitute(parsed("head + first - 1"), {{"first", formula::make_number(context.head)}});
}

/// Whether the edits can act on a tensor of this layout. A slack must be finer than the tensor's own rounding.
bool fits(const Case& all, std::span<const Choice> choices) {
    const Layout& layout = all.layout;
    if (!all.format && has(choices, Action::angle_error)) return false;
    if (has(choices, Action::table_transposed) && !may_be_transposed(all)) return false;
    const bool has_pairs = layout.has(Axis::query) && layout.has(Axis::key);
    if (has(choices, Action::transpose) && !(has_pairs && layout.extent(Axis::query) == layout.extent(Axis::key) &&
                                             layout.stands(Axis::query) == layout.stands(Axis::key)))
        return false;
    // A constant per row explains any rows of one or two numbers.
    if (has(choices, Action::row_constant) &&
        !(has_pairs && layout.axes.back() == Axis::key && layout.extent(Axis::key) > 2))
        return false;
    if (has(choices, Action::grid) && std::fmod(layout.head_dim, 4) != 0) return false;
    const bool needs_columns = has(choices, Action::other_pairing) || has(choices, Action::arrangement);
    if (needs_columns && layout.pairing.columns == Columns::pairs) return false;
    const std::size_t width = layout.extent(Axis::dimension);
    if (std::any_of(choices.begin(), choices.end(), [&](const Choice& choice) {
            return choice.edit->action == Action::fraction && !turned_columns(number_of(*choice.edit), width);
        }))
        return false;
    return !has(choices, Action::power_as_quotient) || has(choices, Action::arithmetic);
}

scheme::Context context_of(const Case& all, std::span<const Choice> choices) {
    scheme::Context context = all.question.context;
    context.heads = all.layout.heads;
    context.head = static_cast<double>(all.layout.first_head);
    context.length = all.layout.length;
    context.head_dim = all.layout.head_dim;
    if (all.layout.part == Part::embedding) context.width = all.layout.head_dim;
    for (const Choice& choice : choices) {
        if (choice.head_dim != 0) context.head_dim = choice.head_dim;
        if (choice.heads != 0) context.heads = choice.heads;
        if (choice.head != 0) context.head = choice.head;
    }
    if (has(choices, Action::learned))
        for (auto& [name, number] : context.learned)
            for (const scheme::Learned& each : all.schemes.find(all.question.scheme)->learn)
                if (each.name == name) number = value_of_raw(choices, each, number);
    if (context.head_dim == 0) context.head_dim = 64;  // not used by any formula; otherwise compare() requires it
    return context;
}

Columns other(Columns columns) {
    return columns == Columns::halves ? Columns::interleaved : Columns::halves;
}

/// The value of `to` for a param with the value `before`. A param that is not a number is left unchanged.
std::string changed_param(const std::string& to, const std::string& before, double width) {
    char* end = nullptr;
    const double number = std::strtod(before.c_str(), &end);
    if (end == before.c_str() || *end != '\0') return before;
    return fmt::format(
        "{}", value_of(parsed(to), {{"it", formula::make_number(number)}, {"d", formula::make_number(width)}}));
}

void put(Params& params, const std::string& name, const std::string& value) {
    std::erase_if(params, [&](const auto& each) { return each.first == name; });
    params.emplace_back(name, value);
}

/// For vectors, the columns that the scheme rotates; tables have no other columns.
Pairing pairing_of(const Layout& layout, const Scheme& scheme, std::span<const Choice> choices) {
    Pairing pairing = layout.pairing;
    if (has(choices, Action::other_pairing)) pairing.columns = other(pairing.columns);
    if (has(choices, Action::regroup)) {
        pairing.before = pairing.columns;
        pairing.columns = other(pairing.columns);
    }
    if (has(choices, Action::fraction))
        pairing.turned = *turned_columns(scheme.rotate->fraction, layout.extent(Axis::dimension));
    return pairing;
}

/// `tree` where a vector's column is rotated, and `otherwise` where it is not.
Node where_turned(const Layout& layout, const Pairing& pairing, const Node& tree, std::string_view otherwise) {
    if (!layout.is_vector() || pairing.turned == layout.extent(Axis::dimension)) return tree;
    return formula::make(Op::select, {parsed("turned == 0"), parsed(otherwise), tree});
}

}  // namespace

const Scheme* Builder::with_params(const Params& params) {
    auto known = schemes_.find(params);
    if (known == schemes_.end()) {
        core::Problems problems;
        Scheme scheme = all_.schemes.with_params(all_.question.scheme, params, {}, problems);
        if (params == all_.question.params) problems.raise();
        const bool is_allowed = problems.empty();
        known = schemes_.emplace(params, is_allowed ? std::optional(std::move(scheme)) : std::nullopt).first;
    }
    return known->second ? &*known->second : nullptr;
}

std::optional<Params> Builder::params_of(std::span<const Choice> choices) {
    Params params = all_.question.params;
    const Scheme& declared = *with_params(params);
    const std::vector<std::string> used = scheme::names_in_use(declared);
    const auto value = [&](std::string_view name) -> const std::string* {
        const auto found = std::find_if(declared.params.begin(), declared.params.end(),
                                        [&](const auto& each) { return each.first == name; });
        const bool is_used = std::find(used.begin(), used.end(), name) != used.end();
        return found != declared.params.end() && is_used ? &found->second : nullptr;
    };
    const double width = context_of(all_, choices).head_dim;
    for (const Choice& choice : choices) {
        const bool is_fitted = choice.edit->action == Action::fitted;
        if (choice.edit->action != Action::param && !is_fitted) continue;
        const std::string name(is_fitted ? choice.param : choice.edit->from);
        const std::string* before = value(name);
        if (!before) return std::nullopt;
        const std::string after =
            is_fitted ? choice.constants.front() : changed_param(std::string(choice.edit->to), *before, width);
        if (std::strtod(before->c_str(), nullptr) == std::strtod(after.c_str(), nullptr)) return std::nullopt;
        put(params, name, after);
    }
    if (!with_params(params)) return std::nullopt;
    return params;
}

std::optional<Scheme> Builder::scheme_of(std::span<const Choice> choices, bool moves) {
    const std::optional<Params> params = params_of(choices);
    if (!params) return std::nullopt;
    Scheme scheme = *with_params(*params);
    // Edits of places come last, because others may replace an angle by a new formula of p.
    const auto change = [&](bool places) {
        return std::all_of(choices.begin(), choices.end(), [&](const Choice& choice) {
            const bool is_place = choice.edit->group == "position" || choice.edit->group == "distance";
            return is_place != places || change_scheme(choice, scheme);
        });
    };
    if (!change(false)) return std::nullopt;
    if (moves)
        for (const auto& [axis, text] : all_.question.moved) move(axis, parsed(text), scheme);
    if (!change(true)) return std::nullopt;
    return scheme;
}

std::vector<std::pair<std::string, double>> Builder::params_in_use() {
    const Scheme& declared = *with_params(all_.question.params);
    const std::vector<std::string> used = scheme::names_in_use(declared);
    std::vector<std::pair<std::string, double>> params;
    for (const auto& [name, text] : declared.params) {
        char* end = nullptr;
        const double number = std::strtod(text.c_str(), &end);
        const bool is_number = end != text.c_str() && *end == '\0' && std::isfinite(number) && number != 0;
        if (is_number && std::find(used.begin(), used.end(), name) != used.end()) params.emplace_back(name, number);
    }
    return params;
}

Node Builder::frequency_without_places(std::span<const Choice> choices) {
    std::vector<Choice> others(choices.begin(), choices.end());
    std::erase_if(others, [](const Choice& each) { return each.edit->group == "position"; });
    return frequency_of(parts_of(*scheme_of(others, false), context_of(all_, others), all_.layout.part).angle);
}

std::optional<Model> Builder::build(std::span<const Choice> choices) {
    if (!fits(all_, choices)) return std::nullopt;
    std::optional<Scheme> scheme = scheme_of(choices, true);
    if (!scheme) return std::nullopt;
    const Part part = all_.layout.part;
    const scheme::Context context = context_of(all_, choices);
    put_in_head(*scheme, head_of(context, choices));
    put_in_values(all_, context.heads, choices, *scheme);
    const Parts3 rotation = parts_of(*scheme, context, part);
    Model model;
    model.pairing = pairing_of(all_.layout, *scheme, choices);
    model.value = where_turned(all_.layout, model.pairing, base_value(part, *scheme, context, rotation, choices), "x");
    for (const Choice& choice : choices) {
        if (choice.edit->action != Action::value && choice.edit->action != Action::arrangement) continue;
        model.value = formula::substitute(choice.formula(), {{"it", model.value},
                                                             {"d", formula::make_number(context.head_dim)},
                                                             {"scale", rotation.scale},
                                                             {"temperature", rotation.temperature}});
    }
    if (part == Part::bias && (scheme->causal || scheme->mask)) model.visible = scheme::mask_formula(*scheme, context);
    for (const Choice& choice : choices) {
        std::optional<formula::Replacement> change;
        if (choice.edit->action == Action::queries) change = {"q", choice.formula()};
        if (choice.edit->action == Action::order_of_heads) change = {"head", order_of(choice.constants)};
        if (!change) continue;
        model.value = formula::substitute(model.value, {*change});
        if (model.visible) model.visible = formula::substitute(model.visible, {*change});
    }
    model.moves_hidden = has(choices, Action::transpose) || has(choices, Action::queries);
    if (has(choices, Action::transpose)) {
        model.value = with_query_as_key(model.value);
        model.visible = with_query_as_key(model.visible);
    }
    model.value = along(all_.layout, model.value);
    model.visible = along(all_.layout, model.visible);
    if (has(choices, Action::power_as_quotient)) model.value = powers_as_quotients(model.value);
    // The formula's own angles are not more accurate than those of a float64 tensor.
    model.magnitude = magnitude_of(model.value, all_.format == nullptr);
    model.has_row_constant = has(choices, Action::row_constant);
    for (const Choice& choice : choices) {
        const numerics::Format* format = numerics::find_format(choice.edit->to);
        if (choice.edit->action == Action::arithmetic)
            model.system = {evaluate::NumberSystem::Kind::low_precision, std::string(format->name), 0};
        if (choice.edit->action == Action::angle_error && rotation.angle)
            model.slack = where_turned(
                all_.layout, model.pairing,
                slack_of(part, *format, rotation.angle, frequency_without_places(choices), model.magnitude), "0");
    }
    return model;
}

}  // namespace farfield::compare
