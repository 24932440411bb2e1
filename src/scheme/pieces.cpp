#include <algorithm>
#include <farfield/scheme/pieces.hpp>

namespace farfield::scheme {

namespace {

/// Calls `use` with the key and the piece of each piece. AnyScheme: Scheme or const Scheme.
template <class AnyScheme, class Use>
void for_each_piece(AnyScheme& scheme, Use use) {
    const auto use_if = [&](const char* name, auto& piece) {
        if (piece) use(name, *piece);
    };
    if (scheme.embed) {
        use_if("embed.even", scheme.embed->even);
        use_if("embed.odd", scheme.embed->odd);
    }
    if (scheme.rotate) {
        use("rotate.angle", scheme.rotate->angle);
        if (auto& far = scheme.rotate->far) {
            use("rotate.far.where", far->where);
            use("rotate.far.query", far->query);
            use_if("rotate.far.key", far->key);
        }
        use_if("rotate.scale", scheme.rotate->scale);
    }
    use_if("bias", scheme.bias);
    use_if("mask", scheme.mask);
    use_if("temperature", scheme.temperature);
}

}  // namespace

std::vector<NamedPiece> pieces_of(const Scheme& scheme) {
    std::vector<NamedPiece> pieces;
    for_each_piece(scheme, [&](const char* name, const Piece& piece) { pieces.push_back({name, &piece}); });
    return pieces;
}

void change_formulas(Scheme& scheme, const std::function<formula::Node(const formula::Node&)>& change) {
    for_each_piece(scheme, [&](const char*, Piece& piece) {
        piece.formula = change(piece.formula);
        if (piece.when) piece.when = change(piece.when);
    });
}

std::vector<NamedFormula> formulas_of(const Scheme& scheme) {
    std::vector<NamedFormula> formulas;
    for (const auto& [name, piece] : pieces_of(scheme)) {
        formulas.push_back({name, piece->formula});
        if (piece->when) formulas.push_back({name + ".when", piece->when});
    }
    return formulas;
}

std::vector<std::string> names_in_use(const Scheme& scheme) {
    std::vector<std::string> names;
    for (const NamedPiece& each : pieces_of(scheme)) {
        for (const std::string& name : each.piece->depends)
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
}

std::optional<core::Diagnostic> far_problem(const Scheme& scheme, std::string_view what, const core::Place& place) {
    if (!scheme.rotate || !scheme.rotate->far) return std::nullopt;
    return core::Diagnostic{
        place,
        "scheme '" + scheme.name + "' has 'rotate.far', which " + std::string(what) + " not support",
        "a scheme with one angle for each position",
        {}};
}

void refuse_far(const Scheme& scheme, std::string_view what) {
    if (const std::optional<core::Diagnostic> problem = far_problem(scheme, what)) throw core::UserError({*problem});
}

}  // namespace farfield::scheme
