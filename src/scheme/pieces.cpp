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

}  // namespace farfield::scheme
