// Finds misspelt keys of a study before anything else reads it.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/core/keys.hpp>

namespace farfield::study {

/// The key tables of a quantity by its kind; empty for a kind that is not known.
core::KeyTables quantity_tables(const core::Entries& quantity);

/// Reports the keys of the study that are misspellings of a missing key, and renames them to it (core::correct_keys).
void correct_keys(core::Entries& document, core::Problems& problems);

}  // namespace farfield::study
