// TOML files that are embedded into the library when it is built.
#pragma once

#include <string_view>

namespace farfield::core {

struct DataFile {
    std::string_view name;  ///< the file's name without its folder
    std::string_view text;
};

}  // namespace farfield::core
