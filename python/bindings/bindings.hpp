// The subjects that the module is made of, one file each.
#pragma once

#include <pybind11/pybind11.h>

#include <farfield/core/diagnostic.hpp>
#include <vector>

namespace farfield::python {

namespace py = pybind11;

/// As farfield.errors.Diagnostic.
py::list diagnostics_of(const std::vector<core::Diagnostic>& diagnostics);

void bind_errors(py::module_& module);
void bind_formulas(py::module_& module);
void bind_schemes(py::module_& module);
void bind_quantities(py::module_& module);
void bind_safe_length(py::module_& module);
void bind_comparison(py::module_& module);
void bind_doctor(py::module_& module);
void bind_studies(py::module_& module);

}  // namespace farfield::python
