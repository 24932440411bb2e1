// The operators with the same source in all Python array libraries: Python's own infixes, and helpers with the same
// name.
#pragma once

#include "export/python.hpp"

namespace farfield::exporting::alike {

inline constexpr Translation add{"#1 + #2", a_sum, a_sum, a_product};
inline constexpr Translation subtract{"#1 - #2", a_sum, a_sum, a_product};
inline constexpr Translation multiply{"#1 * #2", a_product, a_product, a_sign};
inline constexpr Translation divide{"#1 / #2", a_product, a_product, a_sign, Arrays::one};
inline constexpr Translation modulo{"#1 % #2", a_product, a_product, a_sign, Arrays::one};
inline constexpr Translation negate{"-#1", a_sign, a_sign, a_sign};
inline constexpr Translation power{"#1 ** #2", a_power, an_atom, a_sign, Arrays::one};
inline constexpr Translation less{"#1 < #2", a_comparison, a_sum, a_sum, Arrays::one};
inline constexpr Translation less_equal{"#1 <= #2", a_comparison, a_sum, a_sum, Arrays::one};
inline constexpr Translation greater{"#1 > #2", a_comparison, a_sum, a_sum, Arrays::one};
inline constexpr Translation greater_equal{"#1 >= #2", a_comparison, a_sum, a_sum, Arrays::one};
inline constexpr Translation equals{"#1 == #2", a_comparison, a_sum, a_sum, Arrays::one};
inline constexpr Translation differs{"#1 != #2", a_comparison, a_sum, a_sum, Arrays::one};
inline constexpr Translation logical_and{"#1 & #2", a_bitwise_and, a_bitwise_and, a_sum};
inline constexpr Translation logical_or{"#1 | #2", a_conjunction, a_conjunction, a_bitwise_and};
inline constexpr Translation t5_bucket{"_t5_bucket(#1, #2)"};

}  // namespace farfield::exporting::alike
