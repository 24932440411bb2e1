#include "recheck/interval.hpp"

#include <arb.h>
#include <arb_hypgeom.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace farfield::recheck {
namespace {

thread_local long working_bits = 128;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Owns a ball of Arb.
class Ball {
public:
    Ball() { arb_init(x_); }
    explicit Ball(const Float& value) : Ball() { arb_set_arf(x_, value.get()); }
    explicit Ball(const Interval& x) : Ball() { arb_set_interval_arf(x_, x.lo.get(), x.hi.get(), working_bits); }
    Ball(const Ball&) = delete;
    Ball& operator=(const Ball&) = delete;
    ~Ball() { arb_clear(x_); }

    arb_ptr get() { return x_; }
    Interval interval() const {
        if (arb_is_finite(x_) == 0) return Interval::line();
        Interval result;
        arb_get_interval_arf(result.lo.get(), result.hi.get(), x_, working_bits);
        return result;
    }

private:
    arb_t x_;
};

using BallFunction = void (*)(arb_t, const arb_t, slong);

Interval at(BallFunction function, const Float& x) {
    Ball ball(x);
    function(ball.get(), ball.get(), working_bits);
    return ball.interval();
}

/// Whether the interval is so narrow relative to its distance from zero that one ball is as good as two ends.
bool is_narrow(const Interval& x) {
    if (!x.is_bounded() || x.contains_zero()) return false;
    Float width;
    arf_sub(width.get(), x.hi.get(), x.lo.get(), 30, ARF_RND_UP);
    return arf_cmpabs_2exp_si(width.get(), -40) < 0 && arf_cmpabs_2exp_si(x.hi.get(), 30) < 0 &&
           arf_cmpabs_2exp_si(x.lo.get(), -30) > 0 && arf_cmpabs_2exp_si(x.hi.get(), -30) > 0;
}

/// A function that never falls, with its limits at both infinities.
Interval rising(BallFunction function, const Interval& x, double at_minus, double at_plus) {
    if (is_narrow(x)) {
        Ball ball(x);
        function(ball.get(), ball.get(), working_bits);
        if (arb_is_finite(ball.get()) != 0) return ball.interval();
    }
    Interval result;
    result.lo = x.lo.is_finite() ? at(function, x.lo).lo : Float(x.lo.sign() < 0 ? at_minus : at_plus);
    result.hi = x.hi.is_finite() ? at(function, x.hi).hi : Float(x.hi.sign() < 0 ? at_minus : at_plus);
    return result;
}

Interval within(const Interval& x, double lo, double hi) {
    return common(x, Interval::of(lo, hi));
}

using RoundedOperation = int (*)(arf_t, const arf_t, const arf_t, slong, arf_rnd_t);

/// NaN, from inf - inf or 0 * inf, is not a bound.
void bounded(Float& end, double otherwise) {
    if (arf_is_nan(end.get()) != 0) end = Float(otherwise);
}

void erf_of(arb_t result, const arb_t x, slong bits) {
    arb_hypgeom_erf(result, x, bits);
}

/// log(1 + exp(x)), where x itself is split off if it is above zero.
void softplus_of(arb_t result, const arb_t x, slong bits) {
    Ball part;
    const bool is_above = arf_sgn(arb_midref(x)) > 0;
    if (is_above)
        arb_neg(part.get(), x);
    else
        arb_set(part.get(), x);
    arb_exp(part.get(), part.get(), bits);
    arb_log1p(part.get(), part.get(), bits);
    if (is_above)
        arb_add(result, x, part.get(), bits);
    else
        arb_set(result, part.get());
}

void sigmoid_of(arb_t result, const arb_t x, slong bits) {
    Ball part;
    arb_neg(part.get(), x);
    arb_exp(part.get(), part.get(), bits);
    arb_add_ui(part.get(), part.get(), 1, bits);
    arb_inv(result, part.get(), bits);
}

void log2_of(arb_t result, const arb_t x, slong bits) {
    arb_log_base_ui(result, x, 2, bits);
}

/// floor((x + shift)/pi) for shift = 0 or pi/2: its smallest and largest possible value. False if they cannot be
/// computed.
bool half_turns(const Float& x, bool shifted, fmpz_t least, fmpz_t largest) {
    constexpr slong most_bits = 100'000;
    const slong size = std::max<slong>(0, arf_abs_bound_lt_2exp_si(x.get()));  // the largest slong of exp(1e300)
    if (size > most_bits) return false;
    const slong bits = working_bits + size + 30;
    Ball turns(x);
    Ball pi;
    arb_const_pi(pi.get(), bits);
    arb_div(turns.get(), turns.get(), pi.get(), bits);
    if (shifted) {
        Ball half;
        arb_set_d(half.get(), 0.5);
        arb_add(turns.get(), turns.get(), half.get(), bits);
    }
    Float lo;
    Float hi;
    arb_get_interval_arf(lo.get(), hi.get(), turns.get(), bits);
    arf_floor(lo.get(), lo.get());
    arf_floor(hi.get(), hi.get());
    arf_get_fmpz(least, lo.get(), ARF_RND_FLOOR);
    arf_get_fmpz(largest, hi.get(), ARF_RND_FLOOR);
    return true;
}

/// cos(x), or with `shifted` sin(x), whose extremes are pi/2 earlier: from its values at the ends and the extremes
/// between.
Interval wave(BallFunction function, const Interval& x, bool shifted) {
    Interval all = Interval::of(-1, 1);
    if (!x.is_bounded()) return all;
    if (x.is_point()) return common(at(function, x.lo), all);
    if (is_narrow(x)) {
        Ball ball(x);
        function(ball.get(), ball.get(), working_bits);
        return common(ball.interval(), all);
    }
    fmpz_t first;
    fmpz_t ignored;
    fmpz_t last;
    fmpz_init(first);
    fmpz_init(ignored);
    fmpz_init(last);
    Interval result = all;
    // Extremes are at k pi (for a sine at (k - 1/2) pi), where k are the integers in (first, last].
    if (half_turns(x.lo, shifted, first, ignored) && half_turns(x.hi, shifted, ignored, last)) {
        fmpz_sub(ignored, last, first);
        if (fmpz_cmp_si(ignored, 2) < 0) {
            result = common(hull(at(function, x.lo), at(function, x.hi)), all);
            // At k pi the cosine is 1 for an even k; at (k - 1/2) pi the sine is 1 for an odd k.
            const bool is_greatest = shifted ? fmpz_is_odd(last) != 0 : fmpz_is_even(last) != 0;
            if (fmpz_is_one(ignored) != 0) (is_greatest ? result.hi : result.lo) = Float(is_greatest ? 1.0 : -1.0);
        }
    }
    fmpz_clear(first);
    fmpz_clear(ignored);
    fmpz_clear(last);
    return result;
}

}  // namespace

Precision::Precision(long bits) : before_(std::exchange(working_bits, bits)) {}
Precision::~Precision() {
    working_bits = before_;
}
long Precision::bits() {
    return working_bits;
}

Interval Interval::line() {
    return Interval::of(-infinity, infinity);
}

Interval operator+(const Interval& a, const Interval& b) {
    Interval r;
    arf_add(r.lo.get(), a.lo.get(), b.lo.get(), working_bits, ARF_RND_FLOOR);
    arf_add(r.hi.get(), a.hi.get(), b.hi.get(), working_bits, ARF_RND_CEIL);
    bounded(r.lo, -infinity);
    bounded(r.hi, infinity);
    return r;
}

Interval operator-(const Interval& a) {
    Interval r;
    arf_neg(r.lo.get(), a.hi.get());
    arf_neg(r.hi.get(), a.lo.get());
    return r;
}

Interval operator-(const Interval& a, const Interval& b) {
    return a + (-b);
}

namespace {

/// The smallest and largest result of an operation over the four corners.
Interval over_corners(RoundedOperation operation, const Interval& a, const Interval& b) {
    Interval r;
    bool is_first = true;
    for (const Float* x : {&a.lo, &a.hi}) {
        for (const Float* y : {&b.lo, &b.hi}) {
            Float down;
            Float up;
            operation(down.get(), x->get(), y->get(), working_bits, ARF_RND_FLOOR);
            operation(up.get(), x->get(), y->get(), working_bits, ARF_RND_CEIL);
            if (arf_is_nan(down.get()) != 0) return Interval::line();
            if (is_first || down < r.lo) r.lo = down;
            if (is_first || r.hi < up) r.hi = up;
            is_first = false;
            if (b.is_point()) break;
        }
        if (a.is_point()) break;
    }
    return r;
}

int multiply(arf_t r, const arf_t x, const arf_t y, slong bits, arf_rnd_t rounding) {
    return arf_mul(r, x, y, bits, rounding);
}

int divide(arf_t r, const arf_t x, const arf_t y, slong bits, arf_rnd_t rounding) {
    return arf_div(r, x, y, bits, rounding);
}

}  // namespace

Interval operator*(const Interval& a, const Interval& b) {
    return over_corners(multiply, a, b);
}

Interval operator/(const Interval& a, const Interval& b) {
    if (b.contains_zero()) return Interval::line();
    return over_corners(divide, a, b);
}

Interval min(const Interval& a, const Interval& b) {
    return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
}

Interval max(const Interval& a, const Interval& b) {
    return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
}

Interval hull(const Interval& a, const Interval& b) {
    return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

Interval common(const Interval& a, const Interval& b) {
    Interval r{std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
    return r.hi < r.lo ? a : r;
}

Interval abs(const Interval& a) {
    if (a.lo.sign() >= 0) return a;
    Interval opposite = -a;
    if (a.hi.sign() <= 0) return opposite;
    return {Float(0), std::max(a.hi, opposite.hi)};
}

namespace {

Interval whole_power(const Float& x, const fmpz_t n) {
    Ball ball(x);
    arb_pow_fmpz(ball.get(), ball.get(), n, working_bits);
    return ball.interval();
}

}  // namespace

Interval power(const Interval& x, const fmpz_t n) {
    if (fmpz_sgn(n) < 0) {
        if (x.contains_zero()) return Interval::line();
        fmpz_t m;
        fmpz_init(m);
        fmpz_neg(m, n);
        Interval r = Interval::of(1, 1) / power(x, m);
        fmpz_clear(m);
        return r;
    }
    if (!x.is_bounded()) {
        if (fmpz_is_zero(n) != 0) return Interval::of(1, 1);
        if (fmpz_is_even(n) != 0) return Interval::of(0, infinity);
        return Interval::line();
    }
    const bool is_even = fmpz_is_even(n) != 0;
    const Interval base = is_even ? abs(x) : x;
    const Interval low = whole_power(base.lo, n);
    const Interval high = base.is_point() ? low : whole_power(base.hi, n);
    Interval r{low.lo, high.hi};
    if (is_even && r.lo.sign() < 0) r.lo = Float(0);
    return r;
}

Interval power(const Interval& x, const Interval& y) {
    const Interval base{std::max(x.lo, Float(0)), std::max(x.hi, Float(0))};
    if (base.lo.sign() > 0) return exp(y * log(base));
    // 0^y is 0 for y > 0, and 0^0 is 1; bases between 0 and hi give all values between.
    if (y.lo.sign() < 0) return Interval::of(0, infinity);
    const Interval high = base.hi.sign() > 0 ? exp(y * log(Interval::point(base.hi))) : Interval::of(0, 0);
    const Interval zero = y.lo.sign() > 0 ? Interval::of(0, 0) : Interval::of(0, 1);
    return hull(zero, high);
}

Interval sqrt(const Interval& x) {
    const Interval part{std::max(x.lo, Float(0)), std::max(x.hi, Float(0))};
    return within(rising(arb_sqrt, part, 0, infinity), 0, infinity);
}

Interval exp(const Interval& x) {
    return within(rising(arb_exp, x, 0, infinity), 0, infinity);
}

Interval expm1(const Interval& x) {
    return within(rising(arb_expm1, x, -1, infinity), -1, infinity);
}

namespace {

/// A logarithm on the part above its pole; -inf at the pole and below.
Interval logarithm(BallFunction function, const Interval& x, double pole) {
    const Float least(pole);
    if (x.hi <= least) return Interval::line();
    Interval part = x;
    if (least < x.lo) return rising(function, part, -infinity, infinity);
    part.lo = x.hi;
    Interval r = rising(function, part, -infinity, infinity);
    r.lo = Float(-infinity);
    return r;
}

}  // namespace

Interval log(const Interval& x) {
    return logarithm(arb_log, x, 0);
}
Interval log1p(const Interval& x) {
    return logarithm(arb_log1p, x, -1);
}
Interval log2(const Interval& x) {
    return logarithm(log2_of, x, 0);
}

Interval sin(const Interval& x) {
    return wave(arb_sin, x, true);
}
Interval cos(const Interval& x) {
    return wave(arb_cos, x, false);
}
Interval tanh(const Interval& x) {
    return within(rising(arb_tanh, x, -1, 1), -1, 1);
}
Interval erf(const Interval& x) {
    return within(rising(erf_of, x, -1, 1), -1, 1);
}
Interval softplus(const Interval& x) {
    return within(rising(softplus_of, x, 0, infinity), 0, infinity);
}
Interval sigmoid(const Interval& x) {
    return within(rising(sigmoid_of, x, 0, 1), 0, 1);
}

Interval tan(const Interval& x, bool& has_pole) {
    has_pole = true;
    if (!x.is_bounded()) return Interval::line();
    fmpz_t numbers[4];
    for (auto& number : numbers) fmpz_init(number);
    // Poles are at (k - 1/2) pi.
    const bool known = half_turns(x.lo, true, numbers[0], numbers[1]) && half_turns(x.hi, true, numbers[2], numbers[3]);
    has_pole = !known || fmpz_equal(numbers[0], numbers[3]) == 0;
    for (auto& number : numbers) fmpz_clear(number);
    if (has_pole) return Interval::line();
    return {at(arb_tan, x.lo).lo, at(arb_tan, x.hi).hi};
}

Interval pi() {
    Ball ball;
    arb_const_pi(ball.get(), working_bits);
    return ball.interval();
}

Interval euler() {
    Ball ball;
    arb_const_e(ball.get(), working_bits);
    return ball.interval();
}

Interval atan2(const Interval& y, const Interval& x, bool& touches_cut) {
    touches_cut = (x.lo.sign() <= 0 && y.contains_zero()) || !x.is_bounded() || !y.is_bounded();
    if (touches_cut) {
        const Interval half = pi();
        return {(-half).lo, half.hi};
    }
    // If the box does not touch the origin or the cut, the extreme angles are at corners.
    Interval r;
    bool is_first = true;
    for (const Float* a : {&y.lo, &y.hi}) {
        for (const Float* b : {&x.lo, &x.hi}) {
            Ball angle(*a);
            const Ball other(*b);
            arb_atan2(angle.get(), angle.get(), const_cast<Ball&>(other).get(), working_bits);
            r = is_first ? angle.interval() : hull(r, angle.interval());
            is_first = false;
        }
    }
    return r;
}

namespace {

Float floor_of(const Float& x) {
    Float r;
    arf_floor(r.get(), x.get());
    return r;
}

Float ceil_of(const Float& x) {
    Float r;
    arf_ceil(r.get(), x.get());
    return r;
}

Float round_of(const Float& x) {
    if (!x.is_finite()) return x;
    if (arf_cmpabs_2exp_si(x.get(), -1) < 0) return Float(0);  // the remainder of -2^-1e16 has 1e16 bits
    Float below = floor_of(x);
    Float rest;
    arf_sub(rest.get(), x.get(), below.get(), ARF_PREC_EXACT, ARF_RND_DOWN);
    const int side = arf_cmp_d(rest.get(), 0.5);
    Float half;
    arf_mul_2exp_si(half.get(), below.get(), -1);
    const bool is_even = arf_is_int(half.get()) != 0;
    if (side > 0 || (side == 0 && !is_even)) arf_add_ui(below.get(), below.get(), 1, ARF_PREC_EXACT, ARF_RND_DOWN);
    return below;
}

}  // namespace

Interval floor(const Interval& x) {
    return {floor_of(x.lo), floor_of(x.hi)};
}
Interval ceil(const Interval& x) {
    return {ceil_of(x.lo), ceil_of(x.hi)};
}
Interval round(const Interval& x) {
    return {round_of(x.lo), round_of(x.hi)};
}

Truth less(const Interval& a, const Interval& b) {
    if (a.hi < b.lo) return Truth::yes;
    return b.hi <= a.lo ? Truth::no : Truth::maybe;
}

Truth less_equal(const Interval& a, const Interval& b) {
    return negated(less(b, a));
}

std::string text(const Float& value, int digits) {
    char* shown = arf_get_str(value.get(), digits);
    std::string result(shown);
    flint_free(shown);
    return result;
}

}  // namespace farfield::recheck
