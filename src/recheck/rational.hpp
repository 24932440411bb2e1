// Exact rationals, by FLINT.
#pragma once

#include <flint/fmpq.h>

#include <optional>
#include <string>
#include <string_view>

#include "recheck/interval.hpp"

namespace farfield::recheck {

class Rational {
public:
    Rational() { fmpq_init(q_); }
    Rational(long value) : Rational() { fmpq_set_si(q_, value, 1); }  // NOLINT(google-explicit-constructor)
    Rational(long above, unsigned long below) : Rational() { fmpq_set_si(q_, above, below); }
    Rational(const Rational& other) : Rational() { fmpq_set(q_, other.q_); }
    Rational(Rational&& other) noexcept : Rational() { fmpq_swap(q_, other.q_); }
    Rational& operator=(const Rational& other) {
        fmpq_set(q_, other.q_);
        return *this;
    }
    Rational& operator=(Rational&& other) noexcept {
        fmpq_swap(q_, other.q_);
        return *this;
    }
    ~Rational() { fmpq_clear(q_); }

    fmpq* get() { return q_; }
    const fmpq* get() const { return q_; }
    fmpz* above() { return fmpq_numref(q_); }
    const fmpz* above() const { return fmpq_numref(q_); }
    const fmpz* below() const { return fmpq_denref(q_); }
    int sign() const { return fmpq_sgn(q_); }
    bool is_whole() const { return fmpz_is_one(below()) != 0; }
    /// Bits of numerator and denominator together.
    long bits() const { return static_cast<long>(fmpz_bits(above()) + fmpz_bits(below())); }

    bool operator==(const Rational& other) const { return fmpq_equal(q_, other.q_) != 0; }
    bool operator<(const Rational& other) const { return fmpq_cmp(q_, other.q_) < 0; }

private:
    fmpq_t q_;
};

Rational operator+(const Rational& a, const Rational& b);
Rational operator-(const Rational& a, const Rational& b);
Rational operator*(const Rational& a, const Rational& b);
/// b is not zero.
Rational operator/(const Rational& a, const Rational& b);
Rational operator-(const Rational& a);
Rational floor(const Rational& a);
/// Ties to even.
Rational round(const Rational& a);

/// The number, if it is an integer that fits.
std::optional<long> whole_number(const Rational& a);

/// a^b if it is a rational of moderate size; otherwise nothing.
std::optional<Rational> power(const Rational& a, const Rational& b);

/// A decimal ("-0.4", "1e-3"), a fraction ("1/3") or a double in hexadecimal ("0x1.8p+1"); nothing otherwise.
std::optional<Rational> read_rational(std::string_view text);

Rational of_double(double value);
Interval enclose(const Rational& a);
std::string text(const Rational& a);

}  // namespace farfield::recheck
