#include "farfield/numerics/rounding.hpp"

#include "numerics/mpfr_value.hpp"

namespace farfield::numerics {

// Rounding to odd at 53 bits preserves on which side of every midpoint the value lies, which the second rounding needs:
// 53 bits are at least two more than any format has, and far finer than its smallest subnormal number.
double round_to(const Format& format, mpfr_srcptr value) {
    const double truncated = mpfr_get_d(value, MPFR_RNDZ);
    if (!std::isfinite(truncated) || mpfr_cmp_d(value, truncated) == 0) return round_to(format, truncated);
    return round_to(format, std::bit_cast<double>(std::bit_cast<std::uint64_t>(truncated) | 1));
}

double round_to(const Format& format, const Multiprecision& value) {
    return round_to(format, raw(value));
}

std::optional<double> round_to(const Format& format, const Interval& enclosure) {
    if (is_undefined(enclosure)) return std::nullopt;
    const double low = round_to(format, enclosure.lo);
    if (std::bit_cast<std::uint64_t>(enclosure.lo) == std::bit_cast<std::uint64_t>(enclosure.hi)) return low;
    const double high = round_to(format, enclosure.hi);
    const bool alike = std::bit_cast<std::uint64_t>(low) == std::bit_cast<std::uint64_t>(high);
    return alike ? std::optional(low) : std::nullopt;
}

}  // namespace farfield::numerics
