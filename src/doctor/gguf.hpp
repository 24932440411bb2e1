// The header of a GGUF file as the keys of a configuration.
#pragma once

#include <string>

#include "doctor/value.hpp"

namespace farfield::doctor {

/// Reads the key-value pairs and the names of tensors of versions 2 and 3, but never a tensor's numbers. Keys get the
/// names that config.json has for them; `Member::shown` is their GGUF name. Throws core::UserError for a file that is
/// not GGUF, is truncated, or whose counts and lengths exceed the file; core::MissingError if it cannot be read.
/// Source: docs/gguf.md of github.com/ggml-org/ggml.
Document read_gguf(const std::string& path);

}  // namespace farfield::doctor
