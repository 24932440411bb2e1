// The SHA-256 digest of bytes (FIPS 180-4), as 64 hexadecimal digits.
#pragma once

#include <string>
#include <string_view>

namespace farfield::core {

/// Which instructions are used: the SHA-256 instructions if the processor has them, or only those that every processor
/// has, for tests.
enum class Instructions { any, common };

std::string sha256(std::string_view bytes, Instructions instructions = Instructions::any);

}  // namespace farfield::core
