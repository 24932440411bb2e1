#include <farfield/scheme/pieces.hpp>

namespace farfield::scheme {

std::vector<NamedFormula> formulas_of(const Scheme& scheme) {
    std::vector<NamedFormula> formulas;
    const auto add = [&](const std::string& name, const std::optional<Piece>& piece) {
        if (!piece) return;
        formulas.push_back({name, piece->formula});
        if (piece->when) formulas.push_back({name + ".when", piece->when});
    };
    if (scheme.embed) {
        add("embed.even", scheme.embed->even);
        add("embed.odd", scheme.embed->odd);
    }
    if (scheme.rotate) {
        add("rotate.angle", scheme.rotate->angle);
        add("rotate.scale", scheme.rotate->scale);
    }
    add("bias", scheme.bias);
    add("mask", scheme.mask);
    add("temperature", scheme.temperature);
    return formulas;
}

}  // namespace farfield::scheme
