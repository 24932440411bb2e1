// Built-in schemes by name.
#pragma once

#include <farfield/scheme/registry.hpp>
#include <string>

namespace farfield::cli {

/// Throws core::UserError with the nearest name if there is none.
const scheme::Scheme& builtin_scheme(const std::string& name);

}  // namespace farfield::cli
