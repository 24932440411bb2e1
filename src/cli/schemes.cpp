#include "cli/schemes.hpp"

#include <farfield/core/diagnostic.hpp>

namespace farfield::cli {

const scheme::Scheme& builtin_scheme(const std::string& name) {
    const scheme::Registry& registry = scheme::Registry::builtin();
    if (const scheme::Scheme* scheme = registry.find(name)) return *scheme;
    throw core::UserError(
        {core::Diagnostic{{}, "unknown scheme '" + name + "'", "", core::known_here(name, registry.names())}});
}

}  // namespace farfield::cli
