#include "compare/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <farfield/formula/parser.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/pieces.hpp>

#include "compare/lanes.hpp"
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
    if ((name == "angle" || is_rotation) && scheme.embed && scheme.embed->even) {
        pieces.push_back(&*scheme.embed->even);
        pieces.push_back(&*scheme.embed->odd);
    }
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

/// The angle at position 1.
Node frequency_of(const Node& angle) {
    return formula::substitute(angle, {{"p", formula::make_number("1")}});
}

/// Changes a piece or a key of the scheme; false where there is none, or none that changes.
bool change_scheme(const Choice& choice, Scheme& scheme) {
    const Edit& edit = *choice.edit;
    switch (edit.action) {
        case Action::substitute: {
            const std::size_t colon = edit.from.find(':');
            const std::string name(edit.from.substr(colon + 1));
            bool is_changed = false;
            for (Piece* piece : pieces_of(scheme, edit.from.substr(0, colon))) {
                const Node changed = formula::substitute(piece->formula, {{name, choice.formula()}});
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
            angle = formula::substitute(parsed(edit.to), {{"it", frequency_of(angle)}});
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
        case Action::twice: {
            if (!scheme.rotate) return false;
            const auto change = [](Piece& piece, std::string_view to) {
                piece.formula = formula::substitute(parsed(to), {{"it", piece.formula}});
            };
            change(scheme.rotate->angle, "2 * it");
            if (scheme.rotate->scale) change(*scheme.rotate->scale, "it * it");
            return true;
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

/// One set of formulas serves all heads: the head is a name of its own, which no context puts in; or a number, where it
/// is supposed to be one.
void put_in_head(Scheme& scheme, const Node& number) {
    const std::vector<formula::Replacement> head = {{"h", number}};
    for (const std::string_view name : {"bias", "mask", "rotation"}) {
        for (Piece* piece : pieces_of(scheme, name)) {
            piece->formula = formula::substitute(piece->formula, head);
            if (piece->when) piece->when = formula::substitute(piece->when, head);
        }
    }
}

/// [entries, heads] as [heads, entries], and the reverse.
std::vector<double> transposed(const std::vector<double>& table, std::size_t columns) {
    const std::size_t rows = table.size() / columns;
    std::vector<double> result(table.size());
    for (std::size_t at = 0; at < table.size(); ++at) result[at % columns * rows + at / columns] = table[at];
    return result;
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

/// Refuses values that are not as many as a learned name has, or whose axes are not entries and heads.
void check_values(const Case& all, const scheme::Learned& learned, const Values& values, double heads) {
    const double size = std::max(1.0, static_cast<double>(learned.size));
    const auto count = static_cast<double>(values.numbers.size());
    std::vector<std::size_t> shape = values.shape;
    std::erase(shape, 1);
    const bool is_flat = shape.size() < 2;
    const auto extent = [&](std::size_t axis) { return static_cast<double>(shape[axis]); };
    const bool is_table =
        shape.size() == 2 && ((extent(0) == heads && extent(1) == size) || (extent(0) == size && extent(1) == heads));
    const bool is_shared = learned.size != 0 && count == size;
    if (is_flat ? count == size * heads || is_shared : is_table) return;
    const std::string found =
        is_flat ? fmt::format("{} values", count) : "values of shape " + tensor::shape_text(values.shape);
    refuse(all.file, fmt::format("{} of '{}'", found, learned.name),
           fmt::format("{} for each of {} heads", size, heads));
}

/// Puts the question's learned values in; each name must be the scheme's, and have as many as its size and heads ask.
void put_in_values(const Case& all, double heads, bool by_entry, Scheme& scheme) {
    for (const auto& [name, values] : all.question.learned) {
        const auto learned = std::find_if(scheme.learn.begin(), scheme.learn.end(),
                                          [&name = name](const scheme::Learned& each) { return each.name == name; });
        if (learned == scheme.learn.end()) refuse(all.file, "scheme '" + scheme.name + "' learns no '" + name + "'");
        check_values(all, *learned, values, all.layout.heads);
        const bool is_table = values.numbers.size() == static_cast<double>(learned->size) * heads;
        const std::vector<double> numbers =
            by_entry && is_table ? transposed(values.numbers, static_cast<std::size_t>(heads)) : values.numbers;
        for (const std::string_view piece : {"bias", "mask", "rotation"})
            for (Piece* each : pieces_of(scheme, piece))
                each->formula = with_values(each->formula, *learned, numbers, heads);
        scheme.learn.erase(learned);
    }
}

struct Parts3 {
    Node angle;
    Node scale;
    Node temperature;
};

/// The argument of the first sine or cosine; null where there is none.
Node angle_in(const Node& tree) {
    if (tree->kind == formula::Kind::operation && (tree->op == Op::sine || tree->op == Op::cosine))
        return tree->children[0];
    for (const Node& child : tree->children)
        if (Node angle = angle_in(child)) return angle;
    return nullptr;
}

Parts3 parts_of(const Scheme& scheme, const scheme::Context& context, Part part) {
    Node angle = scheme::angle_formula(scheme, context);
    if (part == Part::embedding) angle = angle_in(scheme::in_context(scheme, *scheme.embed->even, context, "0"));
    return {angle, scheme::scale_formula(scheme, context),
            scheme.temperature ? scheme::in_context(scheme, *scheme.temperature, context, "1") : parsed("1")};
}

bool has(std::span<const Choice> choices, Action action) {
    return std::any_of(choices.begin(), choices.end(),
                       [&](const Choice& choice) { return choice.edit->action == action; });
}

/// What the implementation is said to hold, before edits of the value.
Node base_value(Part part, const Scheme& scheme, const scheme::Context& context, const Parts3& rotation,
                std::span<const Choice> choices) {
    Node cosine = formula::make(Op::cosine, {rotation.angle ? rotation.angle : parsed("0")});
    Node sine = formula::make(Op::sine, {rotation.angle ? rotation.angle : parsed("0")});
    if (part == Part::embedding) {
        sine = scheme::in_context(scheme, *scheme.embed->even, context, "0");
        cosine = scheme::in_context(scheme, *scheme.embed->odd, context, "0");
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

/// What `format` costs an angle: eight roundings, each half a unit, and two of the frequency's logarithm, since code
/// that takes the exponential of a product rounds that. Where it is a tenth of a radian or more, the angle says nothing
/// any more, and no slack is allowed.
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

/// The head that each stands for.
Node order_of(const std::vector<std::string>& heads) {
    std::vector<double> numbers;
    numbers.reserve(heads.size());
    for (const std::string& each : heads) numbers.push_back(std::strtod(each.c_str(), nullptr));
    return scheme::with_table(formula::make_index("order", {parsed("head - 1")}), "order", numbers);
}

/// What stands for the head: a name that lanes fill, or the number of a head that is supposed.
Node head_of(const scheme::Context& context, std::span<const Choice> choices) {
    if (has(choices, Action::one_head)) return formula::make_number(context.head);
    if (!has(choices, Action::some_heads)) return formula::make_name("head");
    return formula::substitute(parsed("head + first - 1"), {{"first", formula::make_number(context.head)}});
}

/// Whether some learned values have no shape, or as many columns as there are heads.
bool may_be_transposed(const Case& all) {
    const std::vector<std::pair<std::string, Values>>& learned = all.question.learned;
    return std::any_of(learned.begin(), learned.end(), [&](const auto& each) {
        const std::vector<std::size_t>& shape = each.second.shape;
        return shape.size() < 2 || static_cast<double>(shape.back()) == all.layout.heads;
    });
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
    // A constant a row explains rows of one or two numbers whatever they are.
    if (has(choices, Action::row_constant) &&
        !(has_pairs && layout.axes.back() == Axis::key && layout.extent(Axis::key) > 2))
        return false;
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
    if (context.head_dim == 0) context.head_dim = 64;  // used by no formula: compare() asks for it otherwise
    return context;
}

Columns other(Columns columns) {
    return columns == Columns::halves ? Columns::interleaved : Columns::halves;
}

/// The value of `to` for a param that is `before`. A param that is not a number is left unchanged.
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

/// Of vectors, the columns that the scheme turns; tables have no others.
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

std::optional<Params> Builder::params_of(std::span<const Choice> choices) {
    Params params = all_.question.params;
    const Scheme& declared = with_params(params);
    const std::vector<std::string> used = scheme::names_in_use(declared);
    const auto value = [&](std::string_view name) -> const std::string* {
        const auto found = std::find_if(declared.params.begin(), declared.params.end(),
                                        [&](const auto& each) { return each.first == name; });
        const bool is_used = std::find(used.begin(), used.end(), name) != used.end();
        return found != declared.params.end() && is_used ? &found->second : nullptr;
    };
    const double width = context_of(all_, choices).head_dim;
    for (const Choice& choice : choices) {
        const bool is_exchange = choice.edit->action == Action::exchange_params;
        const bool is_fitted = choice.edit->action == Action::fitted;
        if (choice.edit->action != Action::param && !is_fitted && !is_exchange) continue;
        const std::string name(is_fitted ? choice.param : choice.edit->from);
        const std::string* before = value(name);
        const std::string* other = is_exchange ? value(choice.edit->to) : before;
        if (!before || !other) return std::nullopt;
        std::string after = is_exchange ? *other : is_fitted ? choice.constants.front() : std::string(choice.edit->to);
        if (choice.edit->action == Action::param) after = changed_param(after, *before, width);
        if (std::strtod(before->c_str(), nullptr) == std::strtod(after.c_str(), nullptr)) return std::nullopt;
        put(params, name, after);
        if (is_exchange) put(params, std::string(choice.edit->to), *before);
    }
    return params;
}

std::optional<Scheme> Builder::scheme_of(std::span<const Choice> choices) {
    const std::optional<Params> params = params_of(choices);
    if (!params) return std::nullopt;
    Scheme scheme = with_params(*params);
    for (const Choice& choice : choices)
        if (!change_scheme(choice, scheme)) return std::nullopt;
    return scheme;
}

std::vector<std::pair<std::string, double>> Builder::params_in_use() {
    const Scheme& declared = with_params(all_.question.params);
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
    return frequency_of(parts_of(*scheme_of(others), context_of(all_, others), all_.layout.part).angle);
}

std::optional<Model> Builder::build(std::span<const Choice> choices) {
    if (!fits(all_, choices)) return std::nullopt;
    std::optional<Scheme> scheme = scheme_of(choices);
    if (!scheme) return std::nullopt;
    const Part part = all_.layout.part;
    const scheme::Context context = context_of(all_, choices);
    put_in_head(*scheme, head_of(context, choices));
    put_in_values(all_, context.heads, has(choices, Action::table_transposed), *scheme);
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
    // The formula's own angles are no better than those of a float64 tensor.
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
