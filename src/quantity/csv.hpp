// Comma-separated text as fields with places.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace farfield::quantity {

/// One field, and where its first character stands, quotes left out; both count from 1.
struct Field {
    std::string text;
    std::size_t line = 0;
    std::size_t column = 0;
};

/// A table of more fields is refused.
constexpr std::size_t most_fields = 1'000'000;

/// The lines of a CSV file as RFC 4180 has them: commas, fields in double quotes may hold commas, line breaks and
/// doubled quotes. Spaces around an unquoted field are dropped; empty lines and lines that begin with '#' are left out.
/// Throws as core::read_file does, and core::UserError for a quote that is not closed or is followed by more text, and
/// for more than most_fields.
std::vector<std::vector<Field>> read_csv_file(const std::string& path);

}  // namespace farfield::quantity
