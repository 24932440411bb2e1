#include "study/formulas.hpp"

#include <algorithm>
#include <array>
#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <set>

namespace farfield::study {

namespace {

using NamedSources = std::vector<std::pair<std::string, formula::Source>>;

void add(NamedSources& written, const std::string& name, const std::optional<scheme::Piece>& piece) {
    if (!piece) return;
    written.emplace_back(name, piece->source);
}

std::string mathml_of(const std::string& text) {
    try {
        return formula::mathml(formula::parse(text));
    } catch (const core::UserError&) {
        return {};
    }
}

}  // namespace

std::vector<std::pair<std::string, formula::Source>> sources_of(const scheme::Scheme& scheme) {
    NamedSources written;
    for (const auto& [name, source] : scheme.let) written.emplace_back("let." + name, source);
    if (scheme.embed) {
        add(written, "embed.even", scheme.embed->even);
        add(written, "embed.odd", scheme.embed->odd);
    }
    if (scheme.rotate) {
        written.emplace_back("rotate.angle", scheme.rotate->angle.source);
        if (const std::optional<scheme::FarRotation>& far = scheme.rotate->far) {
            written.emplace_back("rotate.far.where", far->where.source);
            written.emplace_back("rotate.far.query", far->query.source);
            add(written, "rotate.far.key", far->key);
        }
        add(written, "rotate.scale", scheme.rotate->scale);
    }
    add(written, "bias", scheme.bias);
    add(written, "mask", scheme.mask);
    add(written, "temperature", scheme.temperature);
    return written;
}

std::vector<core::FormulaRecord> formulas_of(const Study::Body& body, const std::vector<bool>& wanted) {
    static constexpr std::array keys = {"formula", "model", "left", "right", "mask"};
    std::vector<core::FormulaRecord> formulas;
    std::set<std::string> seen;
    const auto record = [&](const std::string& where, const std::string& text) {
        if (text.empty() || !seen.insert(where).second) return;
        formulas.push_back({where, text, mathml_of(text)});
    };
    for (std::size_t i = 0; i < body.items.size(); ++i) {
        if (!wanted[i]) continue;
        const Item& item = body.items[i];
        const auto name = core::read_text(item.settings, "scheme");
        const scheme::Scheme* scheme = name ? body.schemes.find(*name) : nullptr;
        if (scheme) {
            for (const auto& [piece, source] : sources_of(*scheme))
                record("scheme." + *name + "." + piece, source.text);
        }
        for (const char* key : keys)
            record("quantity." + item.base + "." + key, core::read_text(item.settings, key).value_or(""));
    }
    return formulas;
}

}  // namespace farfield::study
