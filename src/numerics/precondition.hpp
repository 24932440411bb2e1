// How this module refuses an argument.
#pragma once

#include <string>
#include <string_view>

#include "farfield/core/error.hpp"

namespace farfield::numerics {

/// Throws: `function` was called with `argument` equal to `value`, where `wanted` was required.
[[noreturn]] inline void refuse(std::string_view function, std::string_view argument, const std::string& value,
                                std::string_view wanted) {
    throw core::PreconditionError(function, argument, value, wanted);
}

}  // namespace farfield::numerics
