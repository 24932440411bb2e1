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

/// Some numbers of one row of a tensor, with their expected values.
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

/// The kind of value at a masked key.
enum class Hidden { minus_infinity, large_negative, zero, formula, other };

struct Tally {
    double tolerance = 0;
    const numerics::Format* format = nullptr;  ///< of the tensor's numbers
    /// Whether a masked number must be low, 0 or the formula's value. If an edit changed which keys are masked, a wrong
    /// number must not be ignored there.
    bool is_strict = false;
    std::size_t compared = 0;  ///< visible numbers, and masked ones that count as beyond
    std::size_t beyond = 0;
    double worst = 0;  ///< units
    std::size_t at = 0;
    double found = 0;
    double wanted = 0;
    std::array<std::size_t, 5> hidden{};
    double large_negative = 0;         ///< the lowest number of that kind
    std::size_t first_invalid = none;  ///< NaN, or inf at a masked key
    std::size_t first_beyond = none;
    /// The largest of the large negative masked numbers.
    double highest_low = -std::numeric_limits<double>::infinity();
    /// Masked numbers that are neither -inf nor large and negative, unless `is_strict` has counted them as beyond.
    std::size_t open = 0;
    std::size_t first_open = none;
    double open_found = 0;  ///< the first of those

    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    /// Adds the strip. With `row_constant`, the strip must be a whole row, and the constant that brings it nearest is
    /// subtracted first.
    void add(const Strip& strip, bool row_constant);
    /// Adds a strip in which no error exceeds the previous ones or the tolerance. If floats do not show this, returns
    /// false and adds nothing. Floats need half the bytes and allow twice the numbers at once.
    bool add_quickly(const FloatStrip& strip);
    /// Merging is symmetric.
    void merge(const Tally& other);
    /// Call after all strips. If some masked numbers are -inf, or large and negative and within a factor of two, then
    /// those that are neither are keys that leak, and count as differences.
    void close();
    /// The values of masked entries: "-inf", "0", "the formula's values", ...; "" if nothing is masked.
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
