// The arithmetic a formula is evaluated in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <farfield/core/diagnostic.hpp>

namespace farfield::evaluate {

/// `double` (default), `float`, a low-precision format ("fp16", "bf16", "e4m3", "e5m2", every operation rounded),
/// `mpN` with N decimal digits, `interval` (rigorous outward rounding).
struct NumberSystem {
    enum class Kind { binary64, binary32, low_precision, multiprecision, interval };
    Kind kind = Kind::binary64;
    std::string format;  ///< name of the low-precision format
    int digits = 0;      ///< decimal digits of mpN, 2 to 10000

    std::string name() const;
};

/// Reads a name; throws core::UserError at `place` with the known names otherwise.
NumberSystem read_number_system(std::string_view name, const core::Place& place = {});
/// "double", "float", "fp16", ..., for a list to choose from.
std::vector<std::string> number_system_names();

}  // namespace farfield::evaluate
