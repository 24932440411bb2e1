// The settings of a quantity as facts of its evidence.
#pragma once

#include <farfield/core/document.hpp>
#include <farfield/core/table.hpp>

namespace farfield::study {

/// What the study asks: "setting.over.x.from" is the text of that number, "setting.masks.0" that of a list's first
/// entry. A list of lists is left out: it holds the cells of a table, which the result has too.
core::Evidence asked_of(const core::Entries& settings);

}  // namespace farfield::study
