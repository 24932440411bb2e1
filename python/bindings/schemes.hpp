// A scheme as Python holds it.
#pragma once

#include <farfield/compare/compare.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/registry.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"

namespace farfield::python {

/// A scheme of a registry with values in place of its own.
struct Scheme {
    std::shared_ptr<const scheme::Registry> schemes;
    scheme::Scheme scheme;  ///< with the params below
    std::vector<std::pair<std::string, std::string>> params;
    std::vector<std::pair<std::string, double>> learned;
    std::vector<std::pair<std::string, std::vector<double>>> tables;

    /// A context that has the learned values.
    scheme::Context context() const;

    /// The same with the arguments in `settings`, by the keys of scheme::context_keys(); throws core::UserError for an
    /// unknown one and for a value that no model has.
    scheme::Context context(const py::dict& settings) const;
};

}  // namespace farfield::python
