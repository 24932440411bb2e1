// Runs a quantity written as in a study, for tests.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/quantity/kind.hpp>
#include <farfield/scheme/toml.hpp>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace farfield::quantity {

/// Results of other quantities, by name, that a tested one may read.
using Known = std::map<std::string, core::Result, std::less<>>;

/// The quantity of the kind for the keys in `toml`, whose places are lines of "study.toml". Throws what prepare does.
inline std::unique_ptr<Prepared> prepared(const Kind& kind, const std::string& toml, const Known& known = {},
                                          const scheme::Registry& schemes = scheme::Registry::builtin(),
                                          const std::string& folder = ".") {
    const core::Entries settings = scheme::read_toml(toml, "study.toml");
    core::Place heading;
    heading.file = "study.toml";
    heading.line = 1;
    heading.column = 1;
    Declaration declaration{"tested", heading, settings, schemes, {}, folder};
    for (const auto& [name, result] : known) declaration.known.push_back(name);
    declaration.items = declaration.known;
    core::Problems problems;
    if (kind.takes_scheme)
        core::check_keys(settings, {kind.keys, scheme_selection_keys()}, heading, problems);
    else
        core::check_keys(settings, {kind.keys}, heading, problems);
    std::unique_ptr<Prepared> result = prepare(kind, declaration, problems);
    problems.raise();
    if (!result) throw std::logic_error("prepare() gave nothing and reported nothing");
    return result;
}

/// Its result. Throws what prepare and run do.
inline core::Result compute(const Kind& kind, const std::string& toml, const Known& known = {},
                            const scheme::Registry& schemes = scheme::Registry::builtin(),
                            const std::string& folder = ".") {
    Inputs inputs;
    inputs.result = [&](std::string_view name) -> const core::Result& { return known.find(name)->second; };
    return prepared(kind, toml, known, schemes, folder)->run(inputs);
}

/// All problems of a refused quantity as the user reads them; "" if it was not refused.
inline std::string refusal(const Kind& kind, const std::string& toml, const Known& known = {},
                           const scheme::Registry& schemes = scheme::Registry::builtin(),
                           const std::string& folder = ".") {
    try {
        compute(kind, toml, known, schemes, folder);
    } catch (const core::UserError& error) {
        return core::format(error.diagnostics());
    }
    return {};
}

}  // namespace farfield::quantity
