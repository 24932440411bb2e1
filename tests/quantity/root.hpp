// Where the project's files are.
#pragma once

#include <filesystem>
#include <stdexcept>

namespace farfield::quantity {

/// The project's root: tests run in its build folder.
inline std::filesystem::path root() {
    std::filesystem::path folder = std::filesystem::current_path();
    while (!std::filesystem::exists(folder / "src/quantity/catalogue.cpp")) {
        if (!folder.has_relative_path()) throw std::runtime_error("the tests do not run inside the project");
        folder = folder.parent_path();
    }
    return folder;
}

}  // namespace farfield::quantity
