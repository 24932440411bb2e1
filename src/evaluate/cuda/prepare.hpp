// The host computes everything that is the same for all points before a kernel runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <farfield/evaluate/cuda/source.hpp>
#include <farfield/evaluate/evaluate.hpp>

namespace farfield::evaluate::cuda {

/// A program that is ready for a device: its kernel and the kernel's uniform parameters, as bytes of the kernel's
/// Number.
struct Prepared {
    std::optional<double> constant;  ///< the result, if it is the same at all points; then there is no kernel
    Source source;
    std::vector<unsigned char> uniform;
    std::vector<unsigned char> remembered;
};

/// Runs the uniform rows in the arithmetic of the number system, and at the first point the rows of loops that are the
/// same at every point. `inputs` match the signature.
Prepared prepare(const formula::Program& program, const Inputs& inputs, const NumberSystem& system,
                 const std::string& kernel, const std::string& title);

/// All registers of a program with their uniform values, as bytes of the arithmetic's Number: the state with which the
/// interpreter kernel begins at each point.
struct Registers {
    std::optional<double> constant;  ///< as above
    std::vector<unsigned char> reals;
    std::vector<unsigned char> truths;  ///< 0 and 1
};

Registers prepare_registers(const formula::Program& program, const Inputs& inputs, const NumberSystem& system);

}  // namespace farfield::evaluate::cuda
