// The built-in schemes and one more, for tests.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>
#include <string>

namespace farfield::compare {

/// The built-in schemes and rotary with a fraction of each head turned, under the name "partial".
inline scheme::Registry with_partial_rotation(const std::string& fraction) {
    scheme::Registry schemes = scheme::Registry::builtin();
    const core::Entries document = scheme::read_toml(
        "[scheme.partial]\nextends = 'rotary'\nrotate = { angle = 'p * base^(-2*i/d)', fraction = " + fraction + " }\n",
        "partial.toml");
    core::Problems problems;
    schemes.add(*document.find("scheme")->value.entries(), problems);
    problems.raise();
    return schemes;
}

}  // namespace farfield::compare
