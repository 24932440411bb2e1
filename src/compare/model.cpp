#include "compare/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <farfield/formula/parser.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/pieces.hpp>

#include "compare/magnitude.hpp"
#include "compare/refuse.hpp"
#include "scheme/folding.hpp"

namespace farfield::compare {

namespace {

using formula::Node;
using formula::Op;
using scheme::Piece;
using scheme::Scheme;

Node parsed(std::string_view text) {
    return formula::parse(std::string(text));
}

/// The pieces that an edit's `from` names.
std::vector<Piece*> pieces_of(Scheme& scheme, std::string_view name) {
    std::vector<Piece*> pieces;
    if (name == "bias" && scheme.bias) pieces.push_back(&*scheme.bias);
    if (name == "mask" && scheme.mask) pieces.push_back(&*scheme.mask);
    const bool is_rotation = name == "rotation";
    if ((name == "angle" || is_rotation) && scheme.rotate) pieces.push_back(&scheme.rotate->angle);
    if ((name == "scale" || is_rotation) && scheme.rotate && scheme.rotate->scale)
        pieces.push_back(&*scheme.rotate->scale);
    return pieces;
}

double number_of(const Edit& edit) {
    return std::strtod(std::string(edit.to).c_str(), nullptr);
}

scheme::Origin origin_named(std::string_view name) {
    if (name == "centre") return scheme::Origin::centre;
    return name == "end" ? scheme::Origin::end : scheme::Origin::start;
}

/// Changes a piece or a key of the scheme; false where there is none, or none that changes.
bool change_scheme(const Edit& edit, Scheme& scheme) {
    switch (edit.action) {
        case Action::substitute: {
            const std::size_t colon = edit.from.find(':');
            const std::string name(edit.from.substr(colon + 1));
            bool is_changed = false;
            for (Piece* piece : pieces_of(scheme, edit.from.substr(0, colon))) {
                const Node changed = formula::substitute(piece->formula, {{name, parsed(edit.to)}});
                is_changed = is_changed || !formula::equal(changed, piece->formula);
                piece->formula = changed;
            }
            return is_changed;
        }
        case Action::wrap: {
            const std::vector<Piece*> pieces = pieces_of(scheme, edit.from);
            for (Piece* piece : pieces) piece->formula = formula::substitute(parsed(edit.to), {{"it", piece->formula}});
            return !pieces.empty();
        }
        case Action::frequency: {
            if (!scheme.rotate) return false;
            Node& angle = scheme.rotate->angle.formula;
            const Node at_1 = formula::substitute(angle, {{"p", formula::make_number("1")}});
            angle = formula::substitute(parsed(edit.to), {{"it", at_1}});
            return true;
        }
        case Action::origin: {
            const scheme::Origin origin = origin_named(edit.to);
            if (!scheme.rotate || !scheme.rotate->scale || scheme.rotate->origin == origin) return false;
            scheme.rotate->origin = origin;
            return true;
        }
        case Action::fraction: {
            const double fraction = number_of(edit);
            return scheme.rotate && std::exchange(scheme.rotate->fraction, fraction) != fraction;
        }
        case Action::not_causal: return std::exchange(scheme.causal, false);
        default: return true;
    }
}

/// name[index] as name[index + size*(head - 1)]; an index outside the table stays outside.
Node of_each_head(const Node& tree, const scheme::Learned& learned) {
    const auto change = [&](const Node& node) { return of_each_head(node, learned); };
    Node inner = scheme::rebuilt(tree, change);
    if (inner->kind != formula::Kind::index || inner->text != learned.name) return inner;
    const Node moved = formula::substitute(
        parsed("index >= 0 and index < size ? index + size*(head - 1) : -1"),
        {{"index", inner->children[0]}, {"size", formula::make_number(static_cast<double>(learned.size))}});
    return formula::make_index(learned.name, {moved});
}

/// One set of formulas serves all heads: the head is a name of its own, which no context puts in.
void free_the_head(Scheme& scheme) {
    const std::vector<formula::Replacement> head = {{"h", formula::make_name("head")}};
    for (const std::string_view name : {"bias", "mask", "rotation"}) {
        for (Piece* piece : pieces_of(scheme, name)) {
            piece->formula = formula::substitute(piece->formula, head);
            if (piece->when) piece->when = formula::substitute(piece->when, head);
        }
    }
}

/// `tree` with a learned name's values put in: those of `head` where each head has its own.
Node with_values(const Node& tree, const scheme::Learned& learned, const std::vector<double>& values, double heads) {
    const auto size = static_cast<std::size_t>(learned.size);
    const Node head = parsed("head - 1");
    if (size == 0) {
        const Node entry = formula::make_index(learned.name, {head});
        return scheme::with_table(formula::substitute(tree, {{learned.name, entry}}), learned.name, values);
    }
    if (values.size() == size || heads == 1) return scheme::with_table(tree, learned.name, values);
    return scheme::with_table(of_each_head(tree, learned), learned.name, values);
}

/// Puts the question's learned values in; each name must be the scheme's, and have as many as its size and heads ask.
void put_in_values(const Case& all, Scheme& scheme) {
    const double heads = all.layout.heads;
    for (const auto& [name, values] : all.question.learned) {
        const auto learned = std::find_if(scheme.learn.begin(), scheme.learn.end(),
                                          [&name = name](const scheme::Learned& each) { return each.name == name; });
        if (learned == scheme.learn.end()) refuse(all.file, "scheme '" + scheme.name + "' learns no '" + name + "'");
        const double size = std::max(1.0, static_cast<double>(learned->size));
        const auto count = static_cast<double>(values.size());
        if (count != size * heads && (learned->size == 0 || count != size))
            refuse(all.file, fmt::format("{} values of '{}'", count, name),
                   fmt::format("{} for each of {} heads", size, heads));
        for (const std::string_view piece : {"bias", "mask", "rotation"})
            for (Piece* each : pieces_of(scheme, piece))
                each->formula = with_values(each->formula, *learned, values, heads);
        scheme.learn.erase(learned);
    }
}

struct Parts3 {
    Node angle;
    Node scale;
    Node temperature;
};

/// What the implementation is said to hold, before edits of the value.
Node base_value(Part part, const Scheme& scheme, const scheme::Context& context, const Parts3& rotation) {
    const std::vector<formula::Replacement> pieces = {{"angle", rotation.angle}, {"scale", rotation.scale}};
    const auto of_rotation = [&](std::string_view text) { return formula::substitute(parsed(text), pieces); };
    switch (part) {
        case Part::bias: return scheme::bias_formula(scheme, context);
        case Part::mask:
            return formula::substitute(
                formula::make(Op::select, {scheme::mask_formula(scheme, context), parsed("1"), parsed("0")}), {});
        case Part::cosine: return of_rotation("cos(angle)");
        case Part::sine: return of_rotation("sin(angle)");
        case Part::turn: return of_rotation("component > 0.5 ? sin(angle) : cos(angle)");
        case Part::scale: return rotation.scale;
        case Part::angle: return rotation.angle;
        case Part::query: return of_rotation("(x*cos(angle) + turned*(y*sin(angle))) * scale");
        case Part::key: return of_rotation("(x*cos(angle) + turned*(y*sin(angle))) / scale");
    }
    return nullptr;
}

/// Along distances: the query at n, the key at 0.
Node along(const Layout& layout, const Node& tree) {
    if (!tree || !layout.has(Axis::distance)) return tree;
    return formula::substitute(tree, {{"q", formula::make_name("n")}, {"k", formula::make_number("0")}});
}

Node transposed(const Node& tree) {
    if (!tree) return tree;
    return formula::substitute(tree, {{"q", formula::make_name("k")}, {"k", formula::make_name("q")}});
}

/// What `format` costs an angle: eight roundings, each half a unit.
Node slack_of(Part part, const numerics::Format& format, const Node& angle, const Node& magnitude) {
    const Node relative = formula::make_number(8 * std::ldexp(0.5, -format.mantissa_bits));
    Node error = formula::make(Op::multiply, {relative, magnitude});
    if (part == Part::angle) return error;
    return formula::make(Op::multiply, {error, formula::make(Op::absolute, {angle})});
}

bool has(std::span<const Choice> choices, Action action) {
    return std::any_of(choices.begin(), choices.end(),
                       [&](const Choice& choice) { return choice.edit->action == action; });
}

/// Whether the edits can act on a tensor of this layout.
bool fits(const Layout& layout, std::span<const Choice> choices) {
    const bool has_pairs = layout.has(Axis::query) && layout.has(Axis::key);
    if (has(choices, Action::transpose) && !(has_pairs && layout.extent(Axis::query) == layout.extent(Axis::key) &&
                                             layout.stands(Axis::query) == layout.stands(Axis::key)))
        return false;
    if (has(choices, Action::row_constant) && !(has_pairs && layout.axes.back() == Axis::key)) return false;
    if (has(choices, Action::other_pairing) && layout.pairing.columns == Columns::pairs) return false;
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
    context.length = all.layout.length;
    context.head_dim = all.layout.head_dim;
    for (const Choice& choice : choices)
        if (choice.head_dim != 0) context.head_dim = choice.head_dim;
    if (context.head_dim == 0) context.head_dim = 64;  // used by no formula: compare() asks for it otherwise
    return context;
}

Columns other(Columns columns) {
    return columns == Columns::halves ? Columns::interleaved : Columns::halves;
}

/// Of vectors, the columns that the scheme turns; tables have no others.
Pairing pairing_of(const Layout& layout, const Scheme& scheme, std::span<const Choice> choices) {
    Pairing pairing = layout.pairing;
    if (has(choices, Action::other_pairing)) pairing.columns = other(pairing.columns);
    if (has(choices, Action::fraction))
        pairing.turned = *turned_columns(scheme.rotate->fraction, layout.extent(Axis::dimension));
    return pairing;
}

/// `tree` where a vector's column is turned, `otherwise` where it is not.
Node where_turned(const Layout& layout, const Pairing& pairing, const Node& tree, std::string_view otherwise) {
    if (!layout.is_vector() || pairing.turned == layout.extent(Axis::dimension)) return tree;
    return formula::make(Op::select, {parsed("turned == 0"), parsed(otherwise), tree});
}

}  // namespace

const Scheme& Builder::with_params(const Params& params) {
    const auto known = schemes_.find(params);
    if (known != schemes_.end()) return known->second;
    core::Problems problems;
    Scheme scheme = all_.schemes.with_params(all_.question.scheme, params, {}, problems);
    problems.raise();
    return schemes_.emplace(params, std::move(scheme)).first->second;
}

std::optional<Scheme> Builder::scheme_of(std::span<const Choice> choices) {
    Params params = all_.question.params;
    const Scheme& declared = with_params(params);
    const std::vector<std::string> used = scheme::names_in_use(declared);
    for (const Choice& choice : choices) {
        if (choice.edit->action != Action::param) continue;
        const std::string name(choice.edit->from);
        const std::string after(choice.edit->to);
        const auto before = std::find_if(declared.params.begin(), declared.params.end(),
                                         [&](const auto& each) { return each.first == name; });
        if (before == declared.params.end() || std::find(used.begin(), used.end(), name) == used.end() ||
            std::strtod(before->second.c_str(), nullptr) == std::strtod(after.c_str(), nullptr))
            return std::nullopt;
        std::erase_if(params, [&](const auto& each) { return each.first == name; });
        params.emplace_back(name, after);
    }
    Scheme scheme = with_params(params);
    for (const Choice& choice : choices)
        if (!change_scheme(*choice.edit, scheme)) return std::nullopt;
    return scheme;
}

std::optional<Model> Builder::build(std::span<const Choice> choices) {
    if (!fits(all_.layout, choices)) return std::nullopt;
    std::optional<Scheme> scheme = scheme_of(choices);
    if (!scheme) return std::nullopt;
    free_the_head(*scheme);
    put_in_values(all_, *scheme);
    const Part part = all_.layout.part;
    const scheme::Context context = context_of(all_, choices);
    const Parts3 rotation = {
        scheme::angle_formula(*scheme, context), scheme::scale_formula(*scheme, context),
        scheme->temperature ? scheme::in_context(*scheme, *scheme->temperature, context, "1") : parsed("1")};
    Model model;
    model.pairing = pairing_of(all_.layout, *scheme, choices);
    model.value = where_turned(all_.layout, model.pairing, base_value(part, *scheme, context, rotation), "x");
    for (const Choice& choice : choices) {
        if (choice.edit->action != Action::value) continue;
        model.value = formula::substitute(parsed(choice.edit->to), {{"it", model.value},
                                                                    {"d", formula::make_number(context.head_dim)},
                                                                    {"angle", rotation.angle},
                                                                    {"scale", rotation.scale},
                                                                    {"temperature", rotation.temperature}});
    }
    if (part == Part::bias && (scheme->causal || scheme->mask)) model.visible = scheme::mask_formula(*scheme, context);
    model.is_transposed = has(choices, Action::transpose);
    if (model.is_transposed) {
        model.value = transposed(model.value);
        model.visible = transposed(model.visible);
    }
    model.value = along(all_.layout, model.value);
    model.visible = along(all_.layout, model.visible);
    if (has(choices, Action::power_as_quotient)) model.value = powers_as_quotients(model.value);
    model.magnitude = magnitude_of(model.value);
    model.has_row_constant = has(choices, Action::row_constant);
    for (const Choice& choice : choices) {
        const numerics::Format* format = numerics::find_format(choice.edit->to);
        if (choice.edit->action == Action::arithmetic)
            model.system = {evaluate::NumberSystem::Kind::low_precision, std::string(format->name), 0};
        if (choice.edit->action == Action::angle_error)
            model.slack =
                where_turned(all_.layout, model.pairing, slack_of(part, *format, rotation.angle, model.magnitude), "0");
    }
    return model;
}

}  // namespace farfield::compare
