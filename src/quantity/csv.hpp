// Comma-separated text as fields with places.
#pragma once

#include <string>
#include <vector>

#include <farfield/core/place.hpp>

namespace farfield::quantity {

/// One field. `place` is that of its first character, quotes left out.
struct Field {
    std::string text;
    core::Place place;
};

/// The lines of a CSV text as RFC 4180 has them: commas, fields in double quotes may hold commas, line breaks and
/// doubled quotes. Spaces around an unquoted field are dropped; empty lines and lines that begin with '#' are left out.
/// `file` is the name shown in messages. Throws core::UserError for a quote that is not closed or is followed by more
/// text.
std::vector<std::vector<Field>> read_csv(const std::string& text, const std::string& file);

}  // namespace farfield::quantity
