// How this room refuses an argument.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace farfield::numerics {

/// Throws: `function` was called with `argument` equal to `value`, where `wanted` was required.
[[noreturn]] inline void refuse(std::string_view function, std::string_view argument, const std::string& value,
                                std::string_view wanted) {
    throw std::invalid_argument(std::string(function) + ": " + std::string(argument) + " is " + value + ", wanted " +
                                std::string(wanted));
}

}  // namespace farfield::numerics
