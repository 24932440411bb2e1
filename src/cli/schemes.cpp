#include "cli/schemes.hpp"

#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/toml.hpp>

namespace farfield::cli {

const scheme::Scheme& builtin_scheme(const std::string& name) {
    const scheme::Registry& registry = scheme::Registry::builtin();
    if (const scheme::Scheme* scheme = registry.find(name)) return *scheme;
    throw core::UserError(
        {core::Diagnostic{{}, "unknown scheme '" + name + "'", "", core::known_here(name, registry.names())}});
}

scheme::Registry schemes_with(const std::string& path) {
    scheme::Registry registry = scheme::Registry::builtin();
    if (path.empty()) return registry;
    core::Problems problems;
    const core::Entries document = scheme::read_toml_file(path);
    if (const core::Entry* entry = document.find("scheme"); entry && entry->value.entries())
        registry.add(*entry->value.entries(), problems);
    problems.raise();
    return registry;
}

std::string param_of(const std::string& path, const std::string& scheme) {
    const std::string before = "scheme." + scheme + ".params.";
    return path.starts_with(before) ? path.substr(before.size()) : path;
}

}  // namespace farfield::cli
