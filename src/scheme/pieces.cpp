#include <algorithm>
#include <farfield/scheme/pieces.hpp>

namespace farfield::scheme {

std::vector<NamedPiece> pieces_of(const Scheme& scheme) {
    std::vector<NamedPiece> pieces;
    const auto add = [&](const char* name, const std::optional<Piece>& piece) {
        if (piece) pieces.push_back({name, &*piece});
    };
    if (scheme.embed) {
        add("embed.even", scheme.embed->even);
        add("embed.odd", scheme.embed->odd);
    }
    if (scheme.rotate) {
        pieces.push_back({"rotate.angle", &scheme.rotate->angle});
        if (const std::optional<FarRotation>& far = scheme.rotate->far) {
            pieces.push_back({"rotate.far.where", &far->where});
            pieces.push_back({"rotate.far.query", &far->query});
            add("rotate.far.key", far->key);
        }
        add("rotate.scale", scheme.rotate->scale);
    }
    add("bias", scheme.bias);
    add("mask", scheme.mask);
    add("temperature", scheme.temperature);
    return pieces;
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
