// JSON in the format of results.json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace farfield::report {

using Json = nlohmann::ordered_json;

/// Indentation is two spaces. A list or object of scalars that fits into 120 characters is on one line. Numbers have 17
/// significant digits. Ends with a line break. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Json& value);

/// A number for results.json: non-finite ones are the strings "inf", "-inf", "nan".
Json json_number(double value);

/// The inverse; throws std::invalid_argument if the value is not a number.
double number_of(const Json& value);

}  // namespace farfield::report
