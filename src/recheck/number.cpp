#include "recheck/number.hpp"

#include <limits>
#include <utility>

namespace farfield::recheck {
namespace {

constexpr long most_exact_bits = 1 << 17;

/// A rational that has become too long is converted to an interval.
Number kept(Rational value) {
    return value.bits() > most_exact_bits ? Number(enclose(value)) : Number(std::move(value));
}

Truth defined(const Number& a, const Number& b) {
    return both(a.defined(), b.defined());
}

bool is_zero(const Number& a) {
    return a.exact() && a.exact()->sign() == 0;
}

/// 1 or -1 if the sign of a real number is known, otherwise 0.
int sign_of(const Number& a) {
    if (a.infinite() != 0) return a.infinite();
    const Interval x = a.interval();
    return x.lo.sign() > 0 ? 1 : x.hi.sign() < 0 ? -1 : 0;
}

/// Whether values of a are in [lo, hi] (if `open_lo`, above lo): all of them, none of them, or neither.
Truth above(const Number& a, double lo, bool is_open) {
    const Interval x = a.interval();
    const Float least(lo);
    if (is_open ? least < x.lo : least <= x.lo) return Truth::yes;
    if (is_open ? x.hi <= least : x.hi < least) return Truth::no;
    return Truth::maybe;
}

/// A function that is defined on all reals.
Number everywhere(Interval (*function)(const Interval&), const Number& a) {
    if (a.infinite() != 0) return Number::nowhere();
    return Number(function(a.interval()), a.defined());
}

}  // namespace

Number Number::infinity(int sign) {
    Number number(Interval::line(), Truth::no);
    number.infinite_ = sign;
    return number;
}

Number Number::where(Truth defined) const {
    Number number = *this;
    number.defined_ = both(defined_, defined);
    if (number.defined_ != Truth::yes && exact_) {
        number.interval_ = enclose(*exact_);
        number.exact_.reset();
    }
    return number;
}

Number operator+(const Number& a, const Number& b) {
    if (a.infinite() != 0 || b.infinite() != 0) {
        const bool are_apart = a.infinite() * b.infinite() < 0;
        const Number& other = a.infinite() != 0 ? b : a;
        if (are_apart || (other.infinite() == 0 && other.defined() != Truth::yes)) return Number::nowhere();
        return Number::infinity(a.infinite() != 0 ? a.infinite() : b.infinite());
    }
    if (a.exact() && b.exact()) return kept(*a.exact() + *b.exact());
    if (is_zero(a)) return b;
    if (is_zero(b)) return a;
    return Number(a.interval() + b.interval(), defined(a, b));
}

Number operator-(const Number& a) {
    if (a.infinite() != 0) return Number::infinity(-a.infinite());
    if (a.exact()) return Number(-*a.exact());
    return Number(-a.interval(), a.defined());
}

Number operator-(const Number& a, const Number& b) {
    return a + (-b);
}

Number operator*(const Number& a, const Number& b) {
    if (a.infinite() != 0 || b.infinite() != 0) {
        const Number& other = a.infinite() != 0 ? b : a;
        const bool is_real = other.infinite() != 0 || other.defined() == Truth::yes;
        const int sign = sign_of(a) * sign_of(b);
        return is_real && sign != 0 ? Number::infinity(sign) : Number::nowhere();
    }
    if (a.exact() && b.exact()) return kept(*a.exact() * *b.exact());
    const bool is_none = (is_zero(a) && b.interval().is_bounded()) || (is_zero(b) && a.interval().is_bounded());
    if (is_none && defined(a, b) == Truth::yes) return Number(Rational(0));
    return Number(a.interval() * b.interval(), defined(a, b));
}

Number operator/(const Number& a, const Number& b) {
    if (b.infinite() != 0) {
        const bool is_real = a.infinite() == 0 && a.defined() == Truth::yes;
        if (is_real) return Number(Rational(0));
        return a.infinite() != 0 ? Number::nowhere() : Number::unknown();
    }
    if (a.infinite() != 0) {
        const int sign = sign_of(b);
        return sign != 0 && b.defined() == Truth::yes ? Number::infinity(a.infinite() * sign) : Number::nowhere();
    }
    if (is_zero(b)) return Number::nowhere();
    if (a.exact() && b.exact()) return kept(*a.exact() / *b.exact());
    const Interval divisor = b.interval();
    if (!divisor.contains_zero()) {
        if (is_zero(a) && b.defined() == Truth::yes) return a;
        return Number(a.interval() / divisor, defined(a, b));
    }
    return Number(Interval::line(), both(Truth::maybe, defined(a, b)));
}

Number remainder(const Number& a, const Number& b) {
    if (is_zero(b)) return Number::nowhere();
    if (a.infinite() != 0 || b.infinite() != 0) return Number::unknown();
    if (a.exact() && b.exact()) return kept(*a.exact() - *b.exact() * floor(*a.exact() / *b.exact()));
    const Interval divisor = b.interval();
    if (divisor.contains_zero()) return Number(Interval::line(), both(Truth::maybe, defined(a, b)));
    const Interval turns = floor(a.interval() / divisor);
    const Interval range = hull(Interval::of(0, 0), divisor);
    const Interval rest = turns.is_point() ? common(a.interval() - turns * divisor, range) : range;
    return Number(rest, defined(a, b));
}

/// The bits of the largest exponent for which a power is multiplied out.
constexpr mp_bitcnt_t longest_whole_power = 2048;

Number power(const Number& a, const Number& b) {
    if (a.infinite() != 0 || b.infinite() != 0) return Number::unknown();
    if (a.exact() && b.exact()) {
        if (const auto value = power(*a.exact(), *b.exact())) return kept(*value);
        if (a.exact()->sign() == 0) return Number::nowhere();  // 0 to a power below 0
    }
    if (is_zero(b) && a.defined() == Truth::yes) return Number(Rational(1));
    const Interval x = a.interval();
    const Truth known = defined(a, b);
    const bool is_whole = b.exact() && b.exact()->is_whole();
    // Takes a product for each bit of the exponent, of numbers of growing length: seconds at 20,000 bits.
    const bool is_long = is_whole && x.lo.sign() > 0 && fmpz_bits(b.exact()->above()) > longest_whole_power;
    if (is_whole && !is_long) {
        const bool has_pole = b.exact()->sign() < 0 && x.contains_zero();
        return Number(power(x, b.exact()->above()), has_pole ? both(Truth::maybe, known) : known);
    }
    const Interval y = b.interval();
    if (x.lo.sign() > 0) return Number(power(x, y), known);
    // 0^0 is 1. 0 to a negative power has no value, and neither has a negative base with an exponent that is not an
    // integer.
    if (x.lo.sign() == 0) return Number(power(x, y), y.lo.sign() >= 0 ? known : both(Truth::maybe, known));
    const bool is_nowhere = x.hi.sign() < 0 && b.exact();
    return Number(Interval::line(), is_nowhere ? Truth::no : both(Truth::maybe, known));
}

namespace {

/// The smaller (sign 1) or the larger (sign -1).
Number extreme(const Number& a, const Number& b, int sign) {
    for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        if (one->infinite() == 0) continue;
        const bool is_real = other->infinite() != 0 || other->defined() == Truth::yes;
        if (!is_real) return Number::unknown();
        return one->infinite() == sign ? *other : *one;
    }
    if (a.exact() && b.exact()) return Number((*a.exact() < *b.exact()) == (sign > 0) ? *a.exact() : *b.exact());
    const Interval x = a.interval();
    const Interval y = b.interval();
    return Number(sign > 0 ? min(x, y) : max(x, y), defined(a, b));
}

}  // namespace

Number min(const Number& a, const Number& b) {
    return extreme(a, b, 1);
}

Number max(const Number& a, const Number& b) {
    return extreme(a, b, -1);
}

Number abs(const Number& a) {
    if (a.infinite() != 0) return Number::infinity(1);
    if (a.exact()) return Number(a.exact()->sign() < 0 ? -*a.exact() : *a.exact());
    return Number(abs(a.interval()), a.defined());
}

Number sign(const Number& a) {
    if (a.infinite() != 0) return Number(Rational(a.infinite()));
    if (a.exact()) return Number(Rational(a.exact()->sign()));
    const Interval x = a.interval();
    const int least = x.lo.sign();
    const int most = x.hi.sign();
    if (least == most && a.defined() == Truth::yes) return Number(Rational(least));
    return Number(Interval::of(least, most), a.defined());
}

namespace {

/// The most bits of an integer that is kept as a fraction; larger ones stay intervals.
constexpr long most_whole_bits = 100'000;

/// A function with integer values: if both ends give the same integer, the value is this integer.
Number stepped(Interval (*function)(const Interval&), const Number& a) {
    if (a.infinite() != 0) return Number::nowhere();
    const Interval x = function(a.interval());
    if (!x.is_point() || !x.is_bounded() || a.defined() != Truth::yes) return Number(x, a.defined());
    if (arf_abs_bound_lt_2exp_si(x.lo.get()) > most_whole_bits) return Number(x, a.defined());
    Rational value;
    arf_get_fmpq(value.get(), x.lo.get());
    return Number(std::move(value));
}

}  // namespace

Number floor(const Number& a) {
    if (a.exact()) return Number(floor(*a.exact()));
    return stepped(floor, a);
}

Number ceil(const Number& a) {
    if (a.exact()) return Number(-floor(-*a.exact()));
    return stepped(ceil, a);
}

Number round(const Number& a) {
    if (a.exact()) return Number(round(*a.exact()));
    return stepped(round, a);
}

Number sqrt(const Number& a) {
    if (a.exact() && a.exact()->sign() >= 0) {
        if (const auto root = power(*a.exact(), Rational(1, 2UL))) return Number(*root);
    }
    if (a.infinite() != 0) return Number::nowhere();
    return Number(sqrt(a.interval()), both(a.defined(), above(a, 0, false)));
}

Number exp(const Number& a) {
    if (a.infinite() < 0) return Number(Rational(0));
    if (a.infinite() > 0) return Number::infinity(1);
    if (is_zero(a)) return Number(Rational(1));
    return everywhere(exp, a);
}

Number expm1(const Number& a) {
    if (a.infinite() < 0) return Number(Rational(-1));
    if (is_zero(a)) return a;
    return everywhere(expm1, a);
}

namespace {

Number logarithm(Interval (*function)(const Interval&), const Number& a, double pole) {
    if (a.infinite() != 0) return Number::nowhere();
    if (a.exact() && *a.exact() == Rational(1 + static_cast<long>(pole))) return Number(Rational(0));
    return Number(function(a.interval()), both(a.defined(), above(a, pole, true)));
}

}  // namespace

Number log(const Number& a) {
    return logarithm(log, a, 0);
}

Number log1p(const Number& a) {
    return logarithm(log1p, a, -1);
}

/// Exact at integer powers of two.
Number log2(const Number& a) {
    if (a.exact() && a.exact()->sign() > 0) {
        const long up = fmpz_flog_ui(a.exact()->above(), 2);
        const long down = fmpz_flog_ui(a.exact()->below(), 2);
        const auto back = power(Rational(2), Rational(up - down));
        if (back && *back == *a.exact()) return Number(Rational(up - down));
    }
    return logarithm(log2, a, 0);
}

Number sin(const Number& a) {
    return is_zero(a) ? a : everywhere(sin, a);
}

Number cos(const Number& a) {
    return is_zero(a) ? Number(Rational(1)) : everywhere(cos, a);
}

Number tan(const Number& a) {
    if (is_zero(a)) return a;
    if (a.infinite() != 0) return Number::nowhere();
    bool has_pole = false;
    const Interval value = tan(a.interval(), has_pole);
    return Number(value, has_pole ? both(Truth::maybe, a.defined()) : a.defined());
}

Number tanh(const Number& a) {
    if (a.infinite() != 0) return Number(Rational(a.infinite()));
    return is_zero(a) ? a : everywhere(tanh, a);
}

Number erf(const Number& a) {
    if (a.infinite() != 0) return Number(Rational(a.infinite()));
    return is_zero(a) ? a : everywhere(erf, a);
}

Number sine_integral(const Number& a) {
    return is_zero(a) ? a : everywhere(sine_integral, a);
}

/// Defined for exactly known integers.
Number binomial(const Number& n, const Number& k) {
    constexpr long most = 16384;
    if (!n.exact() || !k.exact()) return Number::unknown();
    if (!n.exact()->is_whole() || !k.exact()->is_whole() || n.exact()->sign() < 0) return Number::nowhere();
    const std::optional<long> whole = whole_number(*n.exact());
    if (!whole) return Number::nowhere();
    const Rational rest = *n.exact() - *k.exact();
    if (k.exact()->sign() < 0 || rest.sign() < 0) return Number(Rational(0));
    const long part = *whole_number(*k.exact());
    const long fewer = std::min(part, *whole - part);
    if (fewer > most) return Number::nowhere();
    Rational product(1);
    for (long i = 1; i <= fewer; ++i) product = product * Rational(*whole - fewer + i) / Rational(i);
    return Number(product);
}

Number softplus(const Number& a) {
    if (a.infinite() < 0) return Number(Rational(0));
    return everywhere(softplus, a);
}

Number sigmoid(const Number& a) {
    if (a.infinite() != 0) return Number(Rational(a.infinite() > 0 ? 1 : 0));
    return is_zero(a) ? Number(Rational(1, 2UL)) : everywhere(sigmoid, a);
}

Number atan2(const Number& y, const Number& x) {
    if (y.infinite() != 0 || x.infinite() != 0) return Number::unknown();
    if (is_zero(y) && sign_of(x) > 0 && x.defined() == Truth::yes) return y;
    const Interval high = y.interval();
    const Interval wide = x.interval();
    if (is_zero(y) && sign_of(x) < 0) return Number(pi(), x.defined());
    bool touches_cut = false;
    const Interval angle = atan2(high, wide, touches_cut);
    const bool has_origin = high.contains_zero() && wide.contains_zero();
    return Number(angle, has_origin ? both(Truth::maybe, defined(y, x)) : defined(y, x));
}

/// The T5 bucket of docs/formula.md: n itself below half the buckets, then buckets whose widths grow logarithmically.
Number t5_bucket(const Number& n, const Number& buckets, const Number& largest) {
    const auto count = buckets.exact() ? whole_number(*buckets.exact()) : std::nullopt;
    if (!count || *count < 2 || n.infinite() != 0 || largest.infinite() != 0) return Number::unknown();
    const Rational near(*count / 2);
    if (less_equal(largest, Number(near)) != Truth::no)
        return Number(Interval::of(0, static_cast<double>(*count - 1)), Truth::maybe);
    const Truth is_near = less(n, Number(near));
    Number first = max(floor(n), Number(Rational(0)));
    if (is_near == Truth::yes) return first;
    const Number last(Rational(*count - 1));
    const Number above_near = max(n, Number(near));
    const Number far(Rational(*count) - near);
    const Number position = far * log(above_near / Number(near)) / log(largest / Number(near));
    const Number reached = less_equal(largest, n) == Truth::yes ? last : min(Number(near) + floor(position), last);
    return is_near == Truth::no ? reached : joined(min(first, Number(near)), reached);
}

Number joined(const Number& a, const Number& b) {
    if (a.infinite() != 0 || b.infinite() != 0) {
        if (a.infinite() == b.infinite()) return a;
        const Number& real = a.infinite() != 0 ? b : a;
        return Number(real.infinite() != 0 ? Interval::line() : real.interval(),
                      real.defined() == Truth::no ? Truth::no : Truth::maybe);
    }
    if (a.exact() && b.exact() && *a.exact() == *b.exact()) return a;
    return Number(hull(a.interval(), b.interval()), joined(a.defined(), b.defined()));
}

namespace {

/// Whether both are numbers of the extended line that can be compared.
bool are_comparable(const Number& a, const Number& b) {
    const auto is_known = [](const Number& x) { return x.infinite() != 0 || x.defined() == Truth::yes; };
    const bool are_alike = a.infinite() != 0 && a.infinite() == b.infinite();
    return is_known(a) && is_known(b) && !are_alike;
}

}  // namespace

Truth less(const Number& a, const Number& b) {
    if (!are_comparable(a, b)) return Truth::maybe;
    if (a.infinite() != 0) return truth_of(a.infinite() < 0);
    if (b.infinite() != 0) return truth_of(b.infinite() > 0);
    if (a.exact() && b.exact()) return truth_of(*a.exact() < *b.exact());
    return less(a.interval(), b.interval());
}

Truth less_equal(const Number& a, const Number& b) {
    return negated(less(b, a));
}

Truth equal(const Number& a, const Number& b) {
    if (!are_comparable(a, b)) return Truth::maybe;
    if (a.infinite() != 0 || b.infinite() != 0) return Truth::no;
    if (a.exact() && b.exact()) return truth_of(*a.exact() == *b.exact());
    const Interval x = a.interval();
    const Interval y = b.interval();
    if (x.is_point() && y.is_point() && x.lo == y.lo) return Truth::yes;
    return x.hi < y.lo || y.hi < x.lo ? Truth::no : Truth::maybe;
}

}  // namespace farfield::recheck
