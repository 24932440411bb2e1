// Lists of integers in a quantity's settings.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/measure/kind.hpp>

namespace farfield::measure {

/// The list `lengths`: integers from 1 on, each once. Other values are problems at their places.
std::vector<std::size_t> read_lengths(const core::Entries& settings, core::Problems& problems);

/// Reports a `window` that is larger than every length.
void require_window_within(const std::vector<std::size_t>& lengths, const core::Entries& settings,
                           core::Problems& problems);

/// Rows of `length` or `lengths`, `count` of each; `key`, a text that must stay alive, is the key of the count.
Feed read_feed(const core::Entries& settings, std::string_view key, std::size_t count);

/// Reports a key that is 0 or 1, because the answer is then known without a measurement.
void require_between(const core::Entries& settings, std::string_view key, core::Problems& problems);

}  // namespace farfield::measure
