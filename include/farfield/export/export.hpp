// A scheme as source for other programs: Python for numpy, PyTorch and JAX, and LaTeX. (The namespace has another name
// because `export` is a keyword of C++.)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/scheme/scheme.hpp>

namespace farfield::exporting {

enum class Target { numpy, torch, flex_attention, jax, latex };

/// "numpy", "torch", "flex-attention", "jax", "latex".
std::string_view target_name(Target target);
std::optional<Target> find_target(std::string_view name);
std::vector<std::string> target_names();

/// Source with a function for each part the scheme has (bias, mask, temperature, rotation, embedding, relative
/// vectors), under a docstring with formulas, source and parameters. Params are arguments whose defaults are the
/// scheme's, learned names start at their `init`.
/// Errors: core::UserError with all problems, if the target cannot express an operator; the message names the operator
/// and the target.
std::string source(const scheme::Scheme& scheme, Target target);

}  // namespace farfield::exporting
