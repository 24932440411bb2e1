#include "recheck/rational.hpp"

#include <arb.h>

#include <cctype>
#include <cmath>
#include <cstdlib>

namespace farfield::recheck {
namespace {

constexpr long most_power_bits = 1 << 16;
constexpr long largest_exponent = 100'000;

}  // namespace

Rational operator+(const Rational& a, const Rational& b) {
    Rational r;
    fmpq_add(r.get(), a.get(), b.get());
    return r;
}

Rational operator-(const Rational& a, const Rational& b) {
    Rational r;
    fmpq_sub(r.get(), a.get(), b.get());
    return r;
}

Rational operator*(const Rational& a, const Rational& b) {
    Rational r;
    fmpq_mul(r.get(), a.get(), b.get());
    return r;
}

Rational operator/(const Rational& a, const Rational& b) {
    Rational r;
    fmpq_div(r.get(), a.get(), b.get());
    return r;
}

Rational operator-(const Rational& a) {
    Rational r;
    fmpq_neg(r.get(), a.get());
    return r;
}

Rational floor(const Rational& a) {
    Rational r;
    fmpz_fdiv_q(r.above(), a.above(), a.below());
    return r;
}

Rational round(const Rational& a) {
    const Rational below = floor(a);
    const Rational rest = a - below;
    const Rational half(1, 2);
    const bool goes_up = half < rest || (rest == half && fmpz_is_odd(below.above()) != 0);
    return goes_up ? below + Rational(1) : below;
}

std::optional<long> whole_number(const Rational& a) {
    if (!a.is_whole() || fmpz_fits_si(a.above()) == 0) return std::nullopt;
    return fmpz_get_si(a.above());
}

namespace {

/// The n-th root of a nonnegative integer, if it is an integer.
bool root(fmpz_t result, const fmpz_t a, long n) {
    if (fmpz_sgn(a) < 0) return false;
    fmpz_root(result, a, n);
    fmpz_t back;
    fmpz_init(back);
    fmpz_pow_ui(back, result, static_cast<ulong>(n));
    const bool is_exact = fmpz_equal(back, a) != 0;
    fmpz_clear(back);
    return is_exact;
}

std::optional<Rational> root(const Rational& a, long n) {
    Rational above;
    Rational below;
    if (!root(above.above(), a.above(), n) || !root(below.above(), a.below(), n)) return std::nullopt;
    return above / below;
}

}  // namespace

std::optional<Rational> power(const Rational& a, const Rational& b) {
    if (a.sign() == 0) return b.sign() < 0 ? std::nullopt : std::optional(Rational(b.sign() == 0 ? 1 : 0));
    if (fmpz_fits_si(b.above()) == 0 || fmpz_cmp_si(b.below(), 1000) > 0) return std::nullopt;
    const long n = fmpz_get_si(b.above());
    if (n > most_power_bits || n < -most_power_bits || std::labs(n) * a.bits() > most_power_bits) return std::nullopt;
    std::optional<Rational> base = a;
    if (!b.is_whole()) base = root(a, fmpz_get_si(b.below()));
    if (!base) return std::nullopt;
    Rational r;
    fmpq_pow_si(r.get(), base->get(), n);
    return r;
}

namespace {

struct Cursor {
    std::string_view text;
    std::size_t at = 0;

    char now() const { return at < text.size() ? text[at] : '\0'; }
    bool take(char c) {
        if (now() != c) return false;
        ++at;
        return true;
    }
    std::string digits() {
        std::string found;
        while (std::isdigit(static_cast<unsigned char>(now())) != 0) found += text[at++];
        return found;
    }
};

std::optional<Rational> decimal(std::string_view text) {
    Cursor cursor{text};
    const bool is_negative = cursor.take('-');
    if (!is_negative) cursor.take('+');
    std::string digits = cursor.digits();
    long exponent = 0;
    if (cursor.take('.')) {
        const std::string decimals = cursor.digits();
        digits += decimals;
        exponent = -static_cast<long>(decimals.size());
    }
    if (digits.empty()) return std::nullopt;
    if (cursor.take('e') || cursor.take('E')) {
        const bool is_down = cursor.take('-');
        if (!is_down) cursor.take('+');
        const std::string written = cursor.digits();
        if (written.empty() || written.size() > 6) return std::nullopt;
        exponent += (is_down ? -1 : 1) * std::stol(written);
    }
    if (cursor.at != text.size() || std::labs(exponent) > largest_exponent) return std::nullopt;
    Rational r;
    if (fmpz_set_str(r.above(), digits.c_str(), 10) != 0) return std::nullopt;
    Rational ten;
    fmpz_ui_pow_ui(ten.above(), 10, static_cast<ulong>(std::labs(exponent)));
    r = exponent < 0 ? r / ten : r * ten;
    return is_negative ? -r : r;
}

}  // namespace

Rational of_double(double value) {
    Float number(value);
    Rational r;
    arf_get_fmpq(r.get(), number.get());
    return r;
}

std::optional<Rational> read_rational(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash != std::string_view::npos) {
        const auto above = decimal(text.substr(0, slash));
        const auto below = decimal(text.substr(slash + 1));
        if (!above || !below || below->sign() == 0) return std::nullopt;
        return *above / *below;
    }
    if (text.find('x') == std::string_view::npos && text.find('X') == std::string_view::npos) return decimal(text);
    const std::string copy(text);
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    if (end != copy.c_str() + copy.size() || !std::isfinite(value)) return std::nullopt;
    return of_double(value);
}

Interval enclose(const Rational& a) {
    Interval r;
    arf_fmpz_div_fmpz(r.lo.get(), a.above(), a.below(), Precision::bits(), ARF_RND_FLOOR);
    arf_fmpz_div_fmpz(r.hi.get(), a.above(), a.below(), Precision::bits(), ARF_RND_CEIL);
    return r;
}

std::string text(const Rational& a) {
    char* shown = fmpq_get_str(nullptr, 10, a.get());
    std::string result(shown);
    flint_free(shown);
    return result;
}

}  // namespace farfield::recheck
