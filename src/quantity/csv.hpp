// Comma-separated text as fields with places.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace farfield::quantity {

/// One field, and the line and column of its first character without the quotes; both are counted from 1.
struct Field {
    std::string text;
    std::size_t line = 0;
    std::size_t column = 0;
};

/// A table with more fields is refused.
constexpr std::size_t most_fields = 1'000'000;

/// The lines of a CSV file according to RFC 4180: fields are separated by commas, and fields in double quotes may
/// contain commas, line breaks and doubled quotes. Spaces around an unquoted field are removed; empty lines and lines
/// that begin with '#' are skipped. Throws as core::read_file does, and core::UserError for a quote that is not closed
/// or is followed by more text, and for more than most_fields.
std::vector<std::vector<Field>> read_csv_file(const std::string& path);

}  // namespace farfield::quantity
