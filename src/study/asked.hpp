// Records the settings of a quantity in its evidence.
#pragma once

#include <farfield/core/document.hpp>
#include <farfield/core/table.hpp>

namespace farfield::study {

/// The settings of the study: "setting.over.x.from" is the text of that number, "setting.masks.0" that of a list's
/// first entry. A list of lists is omitted, because it has the cells of a table, which the result contains too.
core::Evidence asked_of(const core::Entries& settings);

}  // namespace farfield::study
