// Where configurations are read from.
#pragma once

#include <string>

#include "doctor/value.hpp"

namespace farfield::doctor {

/// A config.json, a folder with one, a .gguf, a .safetensors, or "-" for standard input.
Document read_input(const std::string& path);

}  // namespace farfield::doctor
