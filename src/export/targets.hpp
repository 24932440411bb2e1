// The functions that write a scheme's source, one for each target.
#pragma once

#include <farfield/scheme/scheme.hpp>
#include <string>

namespace farfield::exporting {

std::string numpy_source(const scheme::Scheme& scheme);
std::string torch_source(const scheme::Scheme& scheme);
std::string flex_attention_source(const scheme::Scheme& scheme);
std::string jax_source(const scheme::Scheme& scheme);
std::string latex_source(const scheme::Scheme& scheme);

}  // namespace farfield::exporting
