// Fast sines and cosines of exact angles, with a proven bound.
#pragma once

#include <array>
#include <cstddef>

#include "evaluate/waves.hpp"

namespace farfield::evaluate {

struct CosineSine {
    double cosine = 0;
    double sine = 0;
};

/// Cosine and sine of an angle in multiples of 2^-128 of a turn, each within 2^-51.
///
/// The angle is a + r, where a is the nearest multiple of 2^-8 of a turn and |r| < 0.0123. cos(a) and sin(a) come from
/// a table that MPFR fills, each within 2^-54. r is a double within 2^-57. With p = cos(r), q = sin(r) by their series
/// up to r^6 and r^7, whose rests are below 2^-66, cos(a) p - sin(a) q is within 2^-54 (of cos(a)) + 2^-54 (of p) +
/// 2^-54 (of the first product) + 2^-53 (of the difference) + 2^-55 (of all that |q| < 2^-6 multiplies, and q itself),
/// less than 2^-51. The sum of the sine has the same bound.
class TurnTable {
public:
    static const TurnTable& shared();

    CosineSine at(Turns angle) const {
        const std::size_t nearest = static_cast<std::size_t>((angle + half_step) >> 120) % entries;
        const auto rest = static_cast<Turns>(angle - (static_cast<Turns>(nearest) << 120));
        const double r = static_cast<double>(static_cast<long long>(rest >> 64)) * (6.283185307179586 * 0x1p-64);
        const double square = r * r;
        const double p = 1 - square * (0.5 - square * (1.0 / 24 - square * (1.0 / 720)));
        const double q = r - r * square * (1.0 / 6 - square * (1.0 / 120 - square * (1.0 / 5040)));
        const CosineSine& a = table_[nearest];
        return {a.cosine * p - a.sine * q, a.sine * p + a.cosine * q};
    }

private:
    static constexpr std::size_t entries = 256;
    static constexpr Turns half_step = Turns{1} << 119;

    TurnTable();

    std::array<CosineSine, entries> table_;
};

}  // namespace farfield::evaluate
