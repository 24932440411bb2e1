// Python's values as those of a file.
#pragma once

#include <pybind11/pybind11.h>

#include <farfield/core/document.hpp>
#include <string>

namespace farfield::python {

namespace py = pybind11;

/// A dict as the entries of a table: booleans, whole numbers, numbers (a Decimal by its digits), texts, lists, dicts.
/// What is None is left out. The place of a text is within it, under the key's name in place of a file's. Throws
/// core::UserError for a value that a file could not hold.
core::Entries entries_of(const py::dict& values);

}  // namespace farfield::python
