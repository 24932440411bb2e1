#include "farfield/numerics/format.hpp"

#include <array>

#include "farfield/numerics/interval.hpp"
#include "numerics/precondition.hpp"

namespace farfield::numerics {

namespace {

constexpr std::array format_rows{
#define FORMAT(name, alias, exponent_bits, mantissa_bits, overflow, source) known::name,
#include <farfield/numerics/formats.def>
};

constexpr std::uint32_t sign_bit(const Format& format) {
    return std::uint32_t{1} << (width_in_bits(format) - 1);
}

constexpr std::uint32_t fraction_mask(const Format& format) {
    return (std::uint32_t{1} << format.mantissa_bits) - 1;
}

constexpr std::uint32_t exponent_mask(const Format& format) {
    return ((std::uint32_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
}

constexpr std::uint32_t nan_pattern(const Format& format) {
    const bool ieee = format.overflow == OverflowRule::infinite;
    const std::uint32_t fraction = ieee ? std::uint32_t{1} << (format.mantissa_bits - 1) : fraction_mask(format);
    return exponent_mask(format) | fraction;
}

// Patterns of nonnegative numbers are ordered as the numbers are, so this is also the number's rank.
std::uint32_t encode_magnitude(const Format& format, double magnitude) {
    if (std::isinf(magnitude)) return exponent_mask(format);
    if (magnitude < smallest_normal(format)) {
        return static_cast<std::uint32_t>(magnitude / smallest_subnormal(format));
    }
    const auto bits = std::bit_cast<std::uint64_t>(magnitude);
    const auto field = static_cast<std::uint32_t>(static_cast<int>(bits >> 52) - 1022 - lowest_exponent(format));
    const auto fraction = static_cast<std::uint32_t>(bits >> (52 - format.mantissa_bits)) & fraction_mask(format);
    return (field << format.mantissa_bits) | fraction;
}

// Rank of the smallest number of the format at or above `value`, for 0 <= value <= largest_finite.
std::uint32_t rank_at_or_above(const Format& format, double value) {
    const double nearest = round_to(format, value);
    return encode_magnitude(format, nearest) + (nearest < value ? 1 : 0);
}

}  // namespace

std::span<const Format> formats() {
    return format_rows;
}

std::vector<std::string> Format::names() const {
    std::vector<std::string> all{std::string(name)};
    for (std::size_t begin = 0; begin < aliases.size();) {
        const std::size_t end = std::min(aliases.find('|', begin), aliases.size());
        all.emplace_back(aliases.substr(begin, end - begin));
        begin = end + 1;
    }
    return all;
}

bool Format::is_called(std::string_view other) const {
    const std::vector<std::string> all = names();
    return std::find(all.begin(), all.end(), other) != all.end();
}

const Format* find_format(std::string_view name) {
    const auto found =
        std::find_if(format_rows.begin(), format_rows.end(), [name](const Format& row) { return row.is_called(name); });
    return found == format_rows.end() ? nullptr : &*found;
}

void round_all(const Format& format, std::span<double> values) {
    const Format row = format;
    for (double& value : values) value = round_to(row, value);
}

std::uint32_t encode(const Format& format, double value) {
    const double rounded = round_to(format, value);
    const std::uint32_t sign = std::signbit(rounded) ? sign_bit(format) : 0;
    if (std::isnan(rounded)) return sign | nan_pattern(format);
    return sign | encode_magnitude(format, std::fabs(rounded));
}

double decode(const Format& format, std::uint32_t bits) {
    const std::uint64_t width_mask = (std::uint64_t{1} << width_in_bits(format)) - 1;
    if ((bits & ~width_mask) != 0) {
        refuse("numerics::decode", "bits", std::to_string(bits),
               "at most " + std::to_string(width_in_bits(format)) + " bits");
    }
    const double sign = (bits & sign_bit(format)) != 0 ? -1.0 : 1.0;
    const std::uint32_t field = (bits & exponent_mask(format)) >> format.mantissa_bits;
    const std::uint32_t fraction = bits & fraction_mask(format);
    const bool all_ones = (bits & exponent_mask(format)) == exponent_mask(format);
    if (all_ones && format.overflow == OverflowRule::infinite) {
        return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                             : std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    }
    if (all_ones && fraction == fraction_mask(format)) {
        return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    }
    if (field == 0) return sign * (fraction * smallest_subnormal(format));
    const double significand = 1 + fraction * power_of_two(-format.mantissa_bits);
    return sign * significand * power_of_two(static_cast<int>(field) - 1 + lowest_exponent(format));
}

double next_above(const Format& format, double value) {
    const double largest = largest_finite(format);
    if (std::isnan(value) || value == infinity) return std::numeric_limits<double>::quiet_NaN();
    if (value >= largest) {
        return format.overflow == OverflowRule::infinite ? infinity : std::numeric_limits<double>::quiet_NaN();
    }
    if (value < -largest) return -largest;
    if (value < 0) return -decode(format, rank_at_or_above(format, -value) - 1);
    const std::uint32_t rank = rank_at_or_above(format, value);
    return decode(format, decode(format, rank) > value ? rank : rank + 1);
}

double next_below(const Format& format, double value) {
    return -next_above(format, -value);
}

}  // namespace farfield::numerics
