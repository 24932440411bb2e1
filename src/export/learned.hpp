// Learned values: PyTorch's module and JAX's dictionary, their initial values, and how functions receive them.
#pragma once

#include <farfield/scheme/scheme.hpp>
#include <string>
#include <vector>

#include "export/module.hpp"

namespace farfield::exporting {

/// Whether the scheme has learned names or vectors.
bool learns(const scheme::Scheme& scheme);

/// A torch.nn.Module with the learned values and a method for each function that uses them; "" if nothing is learned.
std::string module_class(const scheme::Scheme& scheme, const std::vector<Function>& functions);
/// The part of the docstring about the module.
std::string module_note(const scheme::Scheme& scheme);

/// The class's first lines, up to its methods: its name and __init__.
std::string module_head(const scheme::Scheme& scheme);
/// The attribute that holds a learned name: "raw_r1", "learned_weight".
std::string attribute(const scheme::Learned& learned);
/// Whether the class has the number of heads.
bool needs_heads(const scheme::Scheme& scheme);
/// The method of the class that calls the function with what is learned.
std::string method(const scheme::Scheme& scheme, const Function& function);
/// Methods that use learned vectors; for FlexAttention, of the embedding alone.
std::string vector_methods(const scheme::Scheme& scheme, bool is_flex);
/// Keyword arguments that pass the learned names to a function: "r1=_softplus(self.raw_r1)".
std::string handed_on(const scheme::Scheme& scheme, const Function& function);

/// JAX's function that creates the dictionary; "" if nothing is learned.
std::string initial_parameters(const scheme::Scheme& scheme);
std::string parameters_note(const scheme::Scheme& scheme);

}  // namespace farfield::exporting
