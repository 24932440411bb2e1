// A program as CUDA C++ that a person can read and NVRTC or nvcc compiles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <farfield/evaluate/number_system.hpp>
#include <farfield/formula/program.hpp>

namespace farfield::evaluate::cuda {

/// The settings of a kernel, in addition to its program.
struct SourceOptions {
    std::string kernel = "formula";  ///< its name: a C++ identifier
    std::string title;               ///< what it computes, for the comment above it; the formula's text, say
    std::vector<bool> is_array;      ///< for each varying input whether it has a value a point; else it is a range
    bool remember = true;            ///< read what loops compute alike at every point instead of computing it there
};

/// A uniform value that the kernel reads: a register of the program.
struct UniformValue {
    formula::Type type;
    std::uint32_t index;
};

/// One kernel: a thread for each point, or for more of them where there are more points than threads. Its parameters
/// are, in this order,
///   unsigned long long first, points   it computes points [first, first + points) of its ranges
///   double* result                     [points]; conditions are 1 and 0
///   const Number* uniform              the values that `uniform` lists; conditions are 1 and 0
///   const Number* remembered           if any row is: what Interpreter::remembered() has of the rows `remembered`
///   for each varying input             a range: double from, double step; an array: const double* values, [points]
///   for each table                     const double* entries, double count
/// where Number is float in float and double in all other systems. Inputs in low precision are rounded by the kernel.
struct Source {
    std::string text;  ///< the kernel alone; source_prologue() goes before the first
    std::vector<UniformValue> uniform;
    std::vector<std::uint8_t> remembered;  ///< [row] whether the kernel reads it instead of computing it; may be empty
};

/// The text that must precede every kernel: an include of language.cuh.
std::string source_prologue();

/// Throws core::PreconditionError for multiprecision and intervals, which stay on the processor.
Source source(const formula::Program& program, const NumberSystem& system, const SourceOptions& options);

}  // namespace farfield::evaluate::cuda
