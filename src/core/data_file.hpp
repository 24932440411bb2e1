// TOML files as they were when the library was built.
#pragma once

#include <string_view>

namespace farfield::core {

struct DataFile {
    std::string_view name;  ///< without its folder
    std::string_view text;
};

}  // namespace farfield::core
