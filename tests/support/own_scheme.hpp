// A scheme that a test writes itself.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>
#include <string>

namespace farfield::tests {

/// The scheme of these lines of a [scheme.NAME], which is called "own". Throws core::UserError for what is wrong there.
inline scheme::Scheme scheme_of(const std::string& toml) {
    scheme::Registry registry = scheme::Registry::builtin();
    core::Problems problems;
    registry.add(scheme::read_toml("[own]\n" + toml, "s.toml"), problems);
    problems.raise();
    return *registry.find("own");
}

}  // namespace farfield::tests
