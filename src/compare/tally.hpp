// Counts of a comparison, number by number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <farfield/numerics/format.hpp>
#include <limits>
#include <span>
#include <string>

namespace farfield::compare {

/// Some numbers of one row of a tensor beside what is expected of them.
template <class Number>
struct StripOf {
    std::span<const Number> found;
    std::span<const Number> value;
    std::span<const Number> per_unit;
    std::span<const std::uint8_t> seen;
    std::size_t first = 0;  ///< flat index of the first number
};
using Strip = StripOf<double>;
using FloatStrip = StripOf<float>;

/// What stands where the mask hides a key.
enum class Hidden { minus_infinity, large_negative, zero, formula, other };

struct Tally {
    double tolerance = 0;
    const numerics::Format* format = nullptr;  ///< of the tensor's numbers
    /// Whether a hidden number must be low, 0 or the formula's: where an edit moved what is hidden, no number that is
    /// wrong may hide there.
    bool is_strict = false;
    std::size_t compared = 0;
    std::size_t beyond = 0;
    double worst = 0;  ///< units
    std::size_t at = 0;
    double found = 0;
    double wanted = 0;
    std::array<std::size_t, 5> hidden{};
    double large_negative = 0;  ///< a number of that kind
    std::size_t first_nan = none;
    std::size_t first_beyond = none;
    /// The largest of the hidden numbers that are large and negative.
    double highest_low = -std::numeric_limits<double>::infinity();
    /// Hidden numbers that are neither -inf nor large and negative, unless `is_strict` has counted them as beyond.
    std::size_t open = 0;
    std::size_t first_open = none;
    double open_found = 0;  ///< the first of those

    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    /// Adds the strip. With `row_constant`, which must be a whole row, the constant that brings it nearest is taken off
    /// first.
    void add(const Strip& strip, bool row_constant);
    /// Adds a strip in which nothing is further off than before nor than the tolerance; false, and nothing added, where
    /// that does not show in floats. Half the bytes and twice the numbers at once.
    bool add_quickly(const FloatStrip& strip);
    /// The same whichever of two is added to the other.
    void merge(const Tally& other);
    /// After all strips: where some hidden numbers are masked, by -inf or by one large negative number, those that are
    /// neither low nor masked are keys that leak, and differ.
    void close();
    /// What masked entries hold: "-inf", "0", "the formula's values", ...; "" if nothing is masked.
    std::string hidden_text() const;

private:
    void add_seen(const Strip& run);
    void add_beyond(const Strip& run);
    void add_one_by_one(const Strip& run);
    void add_hidden(const Strip& run);
    void add_open(std::size_t index, double number, std::size_t count);
    void add_row(const Strip& row);
    void note(std::size_t index, double units, double found_, double wanted_);
};

}  // namespace farfield::compare
