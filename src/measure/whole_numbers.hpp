// Lists of whole numbers in a quantity's settings.
#pragma once

#include <cstddef>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>

namespace farfield::measure {

/// The list `lengths`: whole numbers from 1 on, each once. What is none is a problem at its place.
std::vector<std::size_t> read_lengths(const core::Entries& settings, core::Problems& problems);

}  // namespace farfield::measure
