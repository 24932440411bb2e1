// Converts a result to bytes and back, without any loss.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <farfield/core/table.hpp>

namespace farfield::study {

std::string to_bytes(const core::Result& result);

/// Nothing if the bytes are not a valid result, for example truncated or of another version of the format.
std::optional<core::Result> from_bytes(std::string_view bytes);

}  // namespace farfield::study
