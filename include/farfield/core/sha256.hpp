// The SHA-256 digest of bytes (FIPS 180-4), as 64 hexadecimal digits.
#pragma once

#include <string>
#include <string_view>

namespace farfield::core {

std::string sha256(std::string_view bytes);

}  // namespace farfield::core
