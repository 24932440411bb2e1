// Checks inputs against a program's signature.
#pragma once

#include <cstddef>
#include <string_view>

#include <farfield/formula/program.hpp>

namespace farfield::evaluate {

/// How many of each kind of input were given.
struct InputCounts {
    std::size_t uniform;
    std::size_t varying;
    std::size_t tables;
};

/// Throws core::PreconditionError that names `function` if the counts differ from the signature's.
void check_inputs(std::string_view function, const formula::Program& program, const InputCounts& given);

/// Throws core::PreconditionError unless a varying input has as many values as there are points.
void check_lane(std::string_view function, std::string_view name, std::size_t values, std::size_t points);

}  // namespace farfield::evaluate
