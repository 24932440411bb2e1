// Numbers of as many decimal digits as asked for, with every operator of the formula language.
//
// Each operation rounds once to nearest, ties to even, at the larger precision of its operands, and has a practically
// unlimited exponent range (to about 10^(10^18)). Zeros keep their sign and infinities and NaN behave as in IEEE 754.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace farfield::numerics {

/// A number of fixed precision; a value type.
class Multiprecision {
public:
    static constexpr int largest_digits = 100000;

    /// `value` exactly where `digits` decimal digits hold it (17 always do), otherwise rounded to nearest.
    /// The number carries ceil(digits * log2(10)) + 8 bits: eight guard bits, so that a few operations in a row still
    /// print `digits` right digits. Throws core::PreconditionError unless 1 <= digits <= largest_digits.
    Multiprecision(double value, int digits);

    /// The same with the precision in bits, 2 at least.
    static Multiprecision with_bits(double value, long bits);

    /// The decimal number `text` (`3`, `0.4`, `1e-7`, a sign allowed), rounded once.
    /// Throws core::PreconditionError when `text` is anything else.
    static Multiprecision from_text(std::string_view text, int digits);

    /// The circle constant and Euler's number, rounded once.
    static Multiprecision pi(int digits);
    static Multiprecision e(int digits);

    Multiprecision(const Multiprecision& other);
    Multiprecision(Multiprecision&& other) noexcept;
    Multiprecision& operator=(const Multiprecision& other);
    Multiprecision& operator=(Multiprecision&& other) noexcept;
    ~Multiprecision();

    /// The precision in bits.
    long bits() const;
    /// The nearest double, ties to even; subnormals and overflow as IEEE 754.
    double to_double() const;
    /// `digits` significant decimal digits, correctly rounded, without trailing zeros, in plain or exponent notation
    /// as printf's %g chooses; `inf`, `-inf` or `nan` otherwise.
    std::string to_string(int digits) const;

    bool is_nan() const;
    bool is_infinite() const;

private:
    struct Uninitialised {
        long bits;
    };
    explicit Multiprecision(Uninitialised wanted);
    friend struct MultiprecisionAccess;

    // An mpfr_t lives here (a source file asserts size and alignment), so that no header of the library shows MPFR.
    alignas(8) std::byte storage_[32];
};

Multiprecision operator-(const Multiprecision& x);
Multiprecision operator+(const Multiprecision& a, const Multiprecision& b);
Multiprecision operator-(const Multiprecision& a, const Multiprecision& b);
Multiprecision operator*(const Multiprecision& a, const Multiprecision& b);
Multiprecision operator/(const Multiprecision& a, const Multiprecision& b);

/// a - b floor(a/b): the remainder with the sign of the divisor, a zero included; NaN for b = 0 or infinite a.
/// Correctly rounded, hence possibly equal to b when a is a tiny number of the other sign.
Multiprecision mod(const Multiprecision& a, const Multiprecision& b);

/// a to the power b; 0^0 = 1, NaN for a negative base with an exponent that is not an integer; IEEE 754 pow otherwise.
Multiprecision pow(const Multiprecision& a, const Multiprecision& b);

bool operator<(const Multiprecision& a, const Multiprecision& b);
bool operator<=(const Multiprecision& a, const Multiprecision& b);
bool operator>(const Multiprecision& a, const Multiprecision& b);
bool operator>=(const Multiprecision& a, const Multiprecision& b);
/// Equal as numbers: -0 equals 0, NaN equals nothing.
bool operator==(const Multiprecision& a, const Multiprecision& b);

/// |x|.
Multiprecision abs(const Multiprecision& x);
/// Square root; NaN below zero.
Multiprecision sqrt(const Multiprecision& x);
/// exp, expm1, log, ...: one of each function of functions.def. A logarithm is -inf at zero and NaN below. Those of
/// radians are NaN at infinity and beyond 2^65536, where an argument is no longer reduced: the digits of pi that it
/// takes would outgrow memory.
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) Multiprecision stem(const Multiprecision& x);
#include "farfield/numerics/functions.def"
/// The angle of the point (x, y) in [-pi, pi]; signed zeros as in IEEE 754.
Multiprecision atan2(const Multiprecision& y, const Multiprecision& x);
Multiprecision floor(const Multiprecision& x);
Multiprecision ceil(const Multiprecision& x);
/// The nearest integer, ties to even.
Multiprecision round(const Multiprecision& x);
/// -1, 0 or 1; NaN at NaN.
Multiprecision sign(const Multiprecision& x);
/// The smaller (larger) of both; NaN when either is.
Multiprecision min(const Multiprecision& a, const Multiprecision& b);
Multiprecision max(const Multiprecision& a, const Multiprecision& b);
/// min(max(x, low), high).
Multiprecision clamp(const Multiprecision& x, const Multiprecision& low, const Multiprecision& high);
/// log(1 + exp(x)); error below 0.51 units of the last bit.
Multiprecision softplus(const Multiprecision& x);
Multiprecision sine_integral(const Multiprecision& x);
Multiprecision binomial(const Multiprecision& n, const Multiprecision& k);
/// 1/(1 + exp(-x)); error below 0.51 units of the last bit.
Multiprecision sigmoid(const Multiprecision& x);

}  // namespace farfield::numerics
