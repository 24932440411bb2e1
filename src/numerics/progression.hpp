// The exact values of a grid: from, from + step, from + 2 step, ...
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <farfield/core/table.hpp>

#include "numerics/rational.hpp"

namespace farfield::numerics {

/// The most binary digits of a range's number of points: those of a double, or of an index if it has fewer.
inline constexpr int most_count_bits = std::min(53, std::numeric_limits<std::size_t>::digits);

class Progression {
public:
    /// No value.
    Progression() = default;
    Progression(Rational from, Rational step, std::uint64_t count);

    /// All values from `from` to `to`; `to` is one of them only if the distance is a whole number of steps. Nothing if
    /// there are more than 2^most_count_bits values. The step must lead from one towards the other.
    static std::optional<Progression> between(const Rational& from, const Rational& to, const Rational& step);

    std::size_t count() const { return count_; }
    const Rational& from() const { return from_; }
    const Rational& step() const { return step_; }

    Rational exact(std::size_t index) const;
    double at(std::size_t index) const;         ///< the nearest double
    Interval enclose(std::size_t index) const;  ///< a point where the value is a double
    /// The values from index `first` on.
    Progression part(std::size_t first, std::size_t count) const;
    /// The values from `lo` to `hi`, both included, of a positive step: the index of the first, and one after the last.
    std::pair<std::size_t, std::size_t> between(const Rational& lo, const Rational& hi) const;
    /// All values as their nearest doubles.
    std::vector<double> points() const;
    /// All values as doubles, rounded to odd: a value that is not a double becomes the neighbour with an odd last bit.
    /// Rounding it again to a format of fewer bits gives the same result as rounding the value itself.
    std::vector<double> points_to_round() const;

    /// Whether from + step * index in double arithmetic gives every value without error.
    bool is_exact_in_doubles() const;

private:
    long long numerator_at(std::size_t index) const { return first_ + stride_ * static_cast<long long>(index); }

    Rational from_ = 0;
    Rational step_ = 1;
    std::size_t count_ = 0;
    // Where all numerators over one denominator are integers below 2^53, a value is their quotient rounded once.
    bool is_small_ = false;
    long long first_ = 0;
    long long stride_ = 0;
    long long divisor_ = 1;
};

/// The grid of a column of coordinates, if it is known to be one.
std::optional<Progression> progression_of(const core::Column& column);

}  // namespace farfield::numerics
