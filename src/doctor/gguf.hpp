// The header of a GGUF file as the keys of a configuration.
#pragma once

#include <string>

#include "doctor/value.hpp"

namespace farfield::doctor {

/// Reads the key-value pairs and the names of tensors, versions 2 and 3, never a tensor's numbers. Keys get the names
/// that config.json has for them; `Member::shown` is their own. Throws core::UserError for a file that is not GGUF, is
/// cut short, or whose counts and lengths are more than the file holds; core::MissingError if it cannot be read.
/// Source: docs/gguf.md of github.com/ggml-org/ggml.
Document read_gguf(const std::string& path);

}  // namespace farfield::doctor
