#include <algorithm>

#include "formula/normal_form.hpp"

namespace farfield::formula::normal {
namespace {

/// The most decimal places that are written, and the bits of 10 to that power. With more places a formula is not
/// readable.
constexpr int most_places = 120;
constexpr unsigned longest_written = 399;

Integer power_of_ten(int exponent) {
    return boost::multiprecision::pow(Integer(10), static_cast<unsigned>(exponent));
}

/// Divides `value` by `prime` as often as possible, and returns how often.
int divide_out(Integer& value, int prime) {
    int count = 0;
    while (value % prime == 0) {
        value /= prime;
        ++count;
    }
    return count;
}

}  // namespace

std::optional<Rational> rational_from_decimal(const std::string& text) {
    std::optional<Rational> value = numerics::read_rational(text);
    if (!value || *value == 0) return value;
    const auto bits = std::max(msb(Integer(abs(numerator(*value)))), msb(denominator(*value)));
    if (bits >= longest_written) value.reset();
    return value;
}

std::optional<std::string> short_decimal(const Rational& value, std::size_t longest) {
    Integer below = denominator(value);
    const int places = std::max(divide_out(below, 2), divide_out(below, 5));
    if (below != 1 || places > most_places) return std::nullopt;
    const Rational shifted = value * Rational(power_of_ten(places));
    std::string digits = numerator(shifted).str();
    if (places > 0) {
        const auto wanted = static_cast<std::size_t>(places) + 1;
        if (digits.size() < wanted) digits.insert(0, wanted - digits.size(), '0');
        digits.insert(digits.size() - static_cast<std::size_t>(places), ".");
    }
    constexpr std::size_t longest_plain = 20;
    if (digits.size() <= std::min(longest, longest_plain)) return digits;
    std::string compact = numerator(shifted).str();
    const std::size_t last = compact.find_last_not_of('0');
    const auto zeros = static_cast<int>(compact.size() - last - 1);
    compact.erase(last + 1);
    const int exponent = zeros - places + static_cast<int>(compact.size()) - 1;
    if (compact.size() > 1) compact.insert(1, ".");
    compact += "e" + std::to_string(exponent);
    return compact.size() <= longest ? std::optional(compact) : std::nullopt;
}

Node rational_node(const Rational& value) {
    if (value < 0) {
        const Rational opposite = -value;
        const Node positive = rational_node(opposite);
        if (positive->kind == Kind::number) return make(Op::negate, {positive});
        return make(Op::divide, {make(Op::negate, {positive->children[0]}), positive->children[1]});
    }
    constexpr std::size_t readable = 10;
    constexpr std::size_t unlimited = 1000;
    if (const auto text = short_decimal(value, is_integer(value) ? unlimited : readable)) {
        // If the text would be parsed as another number, give up.
        if (!rational_from_decimal(*text)) throw GivenUp();
        return make_number(*text);
    }
    const Rational above(numerator(value));
    const Rational below(denominator(value));
    return make(Op::divide, {rational_node(above), rational_node(below)});
}

}  // namespace farfield::formula::normal
