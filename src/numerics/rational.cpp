#include "numerics/rational.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <farfield/numerics/interval.hpp>
#include <limits>

#include "numerics/counting.hpp"

namespace farfield::numerics {
namespace {
constexpr std::size_t most_digits = 2000;
constexpr int most_exponent = 2000;
constexpr std::size_t longest_decimal = 60;

Integer power_of_ten(int exponent) {
    return boost::multiprecision::pow(Integer(10), static_cast<unsigned>(exponent));
}

/// Digits with a point somewhere, perhaps an exponent: "12", "0.5", "1e-3".
std::optional<Rational> read_unsigned(std::string_view text) {
    const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
    int exponent = 0;
    if (mark < text.size()) {
        std::string_view power = text.substr(mark + 1);
        if (power.starts_with('+') && !power.starts_with("+-")) power.remove_prefix(1);
        const char* const last = text.data() + text.size();
        const auto [end, failure] = std::from_chars(power.data(), last, exponent);
        if (failure != std::errc() || end != last || std::abs(exponent) > most_exponent) return std::nullopt;
    }
    Integer digits = 0;
    int places = 0;
    bool after_point = false;
    bool has_digit = false;
    if (mark > most_digits) return std::nullopt;
    for (const char letter : text.substr(0, mark)) {
        if (letter == '.' && !after_point) {
            after_point = true;
            continue;
        }
        if (letter < '0' || letter > '9') return std::nullopt;
        digits = digits * 10 + (letter - '0');
        places += after_point ? 1 : 0;
        has_digit = true;
    }
    if (!has_digit) return std::nullopt;
    exponent -= places;
    return exponent < 0 ? Rational(digits, power_of_ten(-exponent))
                        : Rational(Integer(digits * power_of_ten(exponent)));
}

/// A magnitude as quotient * 2^-shift and a remainder. The quotient has 53 bits, or fewer for subnormal numbers.
struct BinaryOfRationals {
    std::uint64_t quotient = 0;
    int shift = 0;
    Integer twice_rest;  ///< its comparison with the divisor tells on which side of a tie the number is
    Integer divisor;
};

BinaryOfRationals binary_of(const Integer& above, const Integer& below) {
    constexpr int digits = std::numeric_limits<double>::digits;
    constexpr int finest = 1074;  // 2^-1074 is the least subnormal number
    const int length = static_cast<int>(msb(above)) - static_cast<int>(msb(below));
    int shift = std::min(digits - 1 - length, finest);
    const auto scaled = [&](int by) {
        return by >= 0 ? std::pair(Integer(above << by), below) : std::pair(above, Integer(below << -by));
    };
    auto [top, bottom] = scaled(shift);
    Integer quotient = top / bottom;
    if (quotient < (Integer(1) << (digits - 1)) && shift < finest) {
        std::tie(top, bottom) = scaled(++shift);
        quotient = top / bottom;
    }
    const Integer rest = top - quotient * bottom;
    return {static_cast<std::uint64_t>(quotient), shift, Integer(rest * 2), bottom};
}

std::optional<std::string> exact_decimal(const Rational& value) {
    Integer rest = denominator(value);
    constexpr auto longest = static_cast<unsigned>(longest_decimal);
    const unsigned twos = lsb(rest);
    if (twos > longest) return std::nullopt;
    rest >>= twos;
    unsigned fives = 0;
    for (; fives <= longest && rest % 5 == 0; ++fives) rest /= 5;
    if (rest != 1 || fives > longest) return std::nullopt;
    const int places = static_cast<int>(std::max(twos, fives));
    std::string digits = Integer(numerator(Rational(abs(value) * Rational(power_of_ten(places))))).str();
    if (places > 0) {
        const auto wanted = static_cast<std::size_t>(places) + 1;
        if (digits.size() < wanted) digits.insert(0, wanted - digits.size(), '0');
        digits.insert(digits.size() - static_cast<std::size_t>(places), ".");
    }
    if (digits.size() > longest_decimal) return std::nullopt;
    return (value < 0 ? "-" : "") + digits;
}

std::string shortest_text(double value) {
    char buffer[32];
    const auto written = std::to_chars(buffer, buffer + sizeof buffer, value);
    return {static_cast<const char*>(buffer), static_cast<const char*>(written.ptr)};
}

}  // namespace

std::optional<Rational> read_rational(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    const std::size_t slash = text.find('/');
    std::optional<Rational> value = read_unsigned(text.substr(0, slash));
    if (value && slash != std::string_view::npos) {
        const std::optional<Rational> below = read_unsigned(text.substr(slash + 1));
        if (!below || *below == 0) return std::nullopt;
        value = Rational(*value / *below);
    }
    if (value && negative) value = Rational(-*value);
    return value;
}

std::string rational_text(const Rational& value) {
    constexpr long long exact_integers = 1LL << std::numeric_limits<double>::digits;
    if (denominator(value) == 1) {
        const Integer whole = numerator(value);
        if (abs(whole) <= exact_integers) return shortest_text(static_cast<double>(whole));
    }
    std::string shortest = shortest_text(nearest(value));
    if (read_rational(shortest) == value) return shortest;
    if (const auto decimal = exact_decimal(value)) return *decimal;
    return value.str();
}

std::optional<std::string> rational_text(const Rational& value, std::size_t longest) {
    std::string text = shortest_text(nearest(value));
    if (read_rational(text) != value) {
        // A decimal digit has less than four bits.
        const std::size_t most_bits = 4 * longest;
        if (value != 0 && (msb(abs(numerator(value))) > most_bits || msb(denominator(value)) > most_bits))
            return std::nullopt;
        text = rational_text(value);
    }
    return text.size() <= longest ? std::optional(std::move(text)) : std::nullopt;
}

Rational exactly(double value) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    const Integer digits = static_cast<long long>(std::ldexp(fraction, 53));
    exponent -= 53;
    return exponent < 0 ? Rational(digits, Integer(1) << -exponent) : Rational(Integer(digits << exponent));
}

Rational shortest_decimal(double value) {
    return *read_rational(shortest_text(value));
}

double nearest(const Rational& value) {
    if (value == 0) return 0;
    const BinaryOfRationals binary = binary_of(abs(numerator(value)), denominator(value));
    const int side = binary.twice_rest.compare(binary.divisor);
    const bool up = side > 0 || (side == 0 && binary.quotient % 2 == 1);
    const double magnitude = std::ldexp(static_cast<double>(binary.quotient + (up ? 1 : 0)), -binary.shift);
    return value < 0 ? -magnitude : magnitude;
}

Interval enclose(const Rational& value) {
    if (value == 0) return point(0);
    const BinaryOfRationals binary = binary_of(abs(numerator(value)), denominator(value));
    const double low = std::ldexp(static_cast<double>(binary.quotient), -binary.shift);
    const double down = std::isinf(low) ? std::numeric_limits<double>::max() : low;
    const bool is_double = !std::isinf(low) && binary.twice_rest == 0;
    const double up = is_double ? down : std::nextafter(down, infinity);
    return value < 0 ? Interval{-up, -down} : Interval{down, up};
}

bool is_integer(const Rational& value) {
    return denominator(value) == 1;
}

Integer floor_of(const Rational& value) {
    const Integer quotient = numerator(value) / denominator(value);
    const bool below = numerator(value) < 0 && quotient * denominator(value) != numerator(value);
    return below ? Integer(quotient - 1) : quotient;
}

std::optional<std::int64_t> counted(const Rational& value) {
    if (!is_integer(value) || abs(numerator(value)) > largest_counted) return std::nullopt;
    return static_cast<std::int64_t>(numerator(value));
}

}  // namespace farfield::numerics
