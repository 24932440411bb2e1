#include "compare/change.hpp"

#include <algorithm>
#include <cstdlib>
#include <farfield/formula/parser.hpp>
#include <utility>

#include "scheme/folding.hpp"

namespace farfield::compare {

namespace {

using formula::Node;
using scheme::Piece;
using scheme::Scheme;

scheme::Origin origin_named(std::string_view name) {
    if (name == "centre") return scheme::Origin::centre;
    return name == "end" ? scheme::Origin::end : scheme::Origin::start;
}

/// The edit's `to`, with the piece and the scheme's params substituted; null if it names a param that the scheme lacks.
Node wrapped(const Scheme& scheme, const Edit& edit, const Node& piece) {
    std::vector<formula::Replacement> names = {{"it", piece}};
    for (const std::string& name : formula::free_names(parsed(edit.to))) {
        if (name == "it" || name == "p" || name == "i" || name == "d") continue;
        const auto param = std::find_if(scheme.params.begin(), scheme.params.end(),
                                        [&](const auto& each) { return each.first == name; });
        if (param == scheme.params.end()) return nullptr;
        names.push_back({name, parsed(param->second)});
    }
    return formula::substitute(parsed(edit.to), names);
}

}  // namespace

Node parsed(std::string_view text) {
    return formula::parse(std::string(text));
}

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

Node frequency_of(const Node& angle) {
    return formula::substitute(angle, {{"p", formula::make_number("1")}});
}

// Half of the angles use the first coordinate, half the second.
bool change_to_grid(const Choice& choice, Scheme& scheme) {
    if (!scheme.rotate) return false;
    const std::vector<formula::Replacement> places = {
        {"first", choice.formula()},
        {"second", formula::substitute(parsed(choice.edit->from), {{"a", parsed(choice.constants.front())}})}};
    Node& angle = scheme.rotate->angle.formula;
    angle = formula::substitute(angle, {{"p", formula::substitute(parsed("i < d/4 ? first : second"), places)},
                                        {"i", parsed("i % (d/4)")},
                                        {"d", parsed("d/2")}});
    return true;
}

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
            for (Piece* piece : pieces) {
                const Node changed = wrapped(scheme, edit, piece->formula);
                if (!changed) return false;
                piece->formula = changed;
            }
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
        case Action::grid: return change_to_grid(choice, scheme);
        case Action::not_causal: return std::exchange(scheme.causal, false);
        default: return true;
    }
}

void move(const std::string& axis, const Node& place, Scheme& scheme) {
    const bool is_rotation = axis == "positions";
    for (const std::string_view name : is_rotation ? std::vector{"rotation"} : std::vector{"bias", "mask"})
        for (Piece* piece : pieces_of(scheme, name))
            piece->formula = formula::substitute(piece->formula, {{is_rotation ? "p" : "n", place}});
}

void put_in_head(Scheme& scheme, const Node& number) {
    const std::vector<formula::Replacement> head = {{"h", number}};
    for (const std::string_view name : {"bias", "mask", "rotation"}) {
        for (Piece* piece : pieces_of(scheme, name)) {
            piece->formula = formula::substitute(piece->formula, head);
            if (piece->when) piece->when = formula::substitute(piece->when, head);
        }
    }
}

}  // namespace farfield::compare
