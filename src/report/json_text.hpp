// JSON as results.json writes it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace farfield::report {

using Json = nlohmann::ordered_json;

/// Two spaces of indentation; a list or object of scalars that fits into a line of 120 stays on one. Numbers carry 17
/// significant digits. Ends with a line break. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Json& value);

/// A number as results.json holds it: non-finite ones are the strings "inf", "-inf", "nan".
Json json_number(double value);

/// The inverse; throws std::invalid_argument for what is not a number.
double number_of(const Json& value);

}  // namespace farfield::report
