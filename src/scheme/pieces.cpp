#include <algorithm>
#include <farfield/scheme/pieces.hpp>
#include <functional>

namespace farfield::scheme {

namespace {

void for_each_piece(const Scheme& scheme, const std::function<void(const std::string&, const Piece&)>& use) {
    const auto visit = [&](const std::string& name, const std::optional<Piece>& piece) {
        if (piece) use(name, *piece);
    };
    if (scheme.embed) {
        visit("embed.even", scheme.embed->even);
        visit("embed.odd", scheme.embed->odd);
    }
    if (scheme.rotate) {
        use("rotate.angle", scheme.rotate->angle);
        visit("rotate.scale", scheme.rotate->scale);
    }
    visit("bias", scheme.bias);
    visit("mask", scheme.mask);
    visit("temperature", scheme.temperature);
}

}  // namespace

std::vector<NamedFormula> formulas_of(const Scheme& scheme) {
    std::vector<NamedFormula> formulas;
    for_each_piece(scheme, [&](const std::string& name, const Piece& piece) {
        formulas.push_back({name, piece.formula});
        if (piece.when) formulas.push_back({name + ".when", piece.when});
    });
    return formulas;
}

std::vector<std::string> names_in_use(const Scheme& scheme) {
    std::vector<std::string> names;
    for_each_piece(scheme, [&](const std::string&, const Piece& piece) {
        for (const std::string& name : piece.depends)
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    });
    return names;
}

}  // namespace farfield::scheme
