// The names of a program's registers in its CUDA source.
#pragma once

#include <string>
#include <vector>

#include <farfield/formula/program.hpp>

namespace farfield::evaluate::cuda {

struct Names {
    std::vector<std::string> reals;     ///< [real register]; constants have none
    std::vector<std::string> booleans;  ///< [boolean register]
    std::vector<std::string> tables;    ///< [table]
};

/// Inputs and tables keep their names. An underscore is appended to names that mean something else in C++ or in
/// kernels.
Names names_of(const formula::Program& program);

/// Uniform values as formulas of the inputs, shortened to one line: for comments.
std::string formula_of(const formula::Program& program, formula::Type type, std::uint32_t index);

}  // namespace farfield::evaluate::cuda
