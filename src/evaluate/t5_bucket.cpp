#include "evaluate/t5_bucket.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <farfield/numerics/fast/interval_functions.hpp>
#include <farfield/numerics/interval.hpp>

namespace farfield::evaluate {

namespace {

using numerics::Interval;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double most_buckets = 65536;

// An MPFR number with enough bits for its product to be exact.
class ExactBucket {
public:
    explicit ExactBucket(mpfr_prec_t bits) { mpfr_init2(value_, std::max<mpfr_prec_t>(bits, MPFR_PREC_MIN)); }
    ExactBucket(const ExactBucket&) = delete;
    ExactBucket& operator=(const ExactBucket&) = delete;
    ~ExactBucket() { mpfr_clear(value_); }
    mpfr_ptr get() { return value_; }

private:
    mpfr_t value_;
};

struct Buckets {
    double count;
    double near;                                 ///< m: distances below have a bucket each
    double far() const { return count - near; }  ///< how many share
};

// Whether n lies at or beyond the lower end of far bucket j: (n/m)^far >= (D/m)^j, multiplied out.
bool reaches(mpfr_srcptr n, const Buckets& buckets, mpfr_srcptr max_distance, double j) {
    const auto far = static_cast<unsigned long>(buckets.far());
    const auto step = static_cast<unsigned long>(j);
    const auto near = static_cast<unsigned long>(buckets.near);
    constexpr mpfr_prec_t near_bits = 17;
    ExactBucket left(mpfr_get_prec(n) * static_cast<mpfr_prec_t>(far) + near_bits * static_cast<mpfr_prec_t>(step));
    ExactBucket right(mpfr_get_prec(max_distance) * static_cast<mpfr_prec_t>(step) +
                      near_bits * static_cast<mpfr_prec_t>(far));
    ExactBucket power(near_bits * static_cast<mpfr_prec_t>(std::max(far, step)));
    mpfr_pow_ui(left.get(), n, far, MPFR_RNDN);
    mpfr_ui_pow_ui(power.get(), near, step, MPFR_RNDN);
    mpfr_mul(left.get(), left.get(), power.get(), MPFR_RNDN);
    mpfr_pow_ui(right.get(), max_distance, step, MPFR_RNDN);
    mpfr_ui_pow_ui(power.get(), near, far, MPFR_RNDN);
    mpfr_mul(right.get(), right.get(), power.get(), MPFR_RNDN);
    return mpfr_greaterequal_p(left.get(), right.get()) != 0;
}

bool are_valid(double buckets) {
    return buckets >= 2 && buckets <= most_buckets && std::trunc(buckets) == buckets;
}

// The approximate number of the far bucket before its floor is taken, at which a search begins.
double far_position(double n, const Buckets& buckets, double max_distance) {
    return buckets.far() * std::log(n / buckets.near) / std::log(max_distance / buckets.near);
}

// Its floor, which is an interval of several numbers if the bounds of the logarithms do not decide it.
Interval far_bucket(double n, const Buckets& buckets, double max_distance) {
    const Interval near = numerics::point(buckets.near);
    const Interval share = numerics::fast::log(numerics::point(n) / near);
    const Interval whole = numerics::fast::log(numerics::point(max_distance) / near);
    return numerics::floor(numerics::point(buckets.far()) * share / whole);
}

}  // namespace

double t5_bucket(double n, double buckets, double max_distance) {
    if (!are_valid(buckets)) return nan;
    const Buckets counts{buckets, std::floor(buckets / 2)};
    if (std::isnan(n) || !(max_distance > counts.near)) return nan;
    if (n < counts.near) return n > 0 ? std::floor(n) : 0;
    if (n >= max_distance) return buckets - 1;
    const Interval bucket = far_bucket(n, counts, max_distance);
    if (!numerics::is_point(bucket)) {
        ExactBucket distance(53);
        ExactBucket largest(53);
        mpfr_set_d(distance.get(), n, MPFR_RNDN);
        mpfr_set_d(largest.get(), max_distance, MPFR_RNDN);
        return t5_bucket(distance.get(), buckets, largest.get());
    }
    return std::min(counts.near + bucket.lo, buckets - 1);
}

double t5_bucket(mpfr_srcptr n, double buckets, mpfr_srcptr max_distance) {
    if (!are_valid(buckets)) return nan;
    const Buckets counts{buckets, std::floor(buckets / 2)};
    if (mpfr_nan_p(n) != 0 || !(mpfr_cmp_d(max_distance, counts.near) > 0) || mpfr_nan_p(max_distance) != 0) return nan;
    if (mpfr_cmp_d(n, counts.near) < 0) return mpfr_sgn(n) > 0 ? std::floor(mpfr_get_d(n, MPFR_RNDD)) : 0;
    if (mpfr_greaterequal_p(n, max_distance) != 0) return buckets - 1;
    if (mpfr_inf_p(max_distance) != 0) return counts.near;
    const double position = far_position(mpfr_get_d(n, MPFR_RNDN), counts, mpfr_get_d(max_distance, MPFR_RNDN));
    // The position grows with n and lies in [0, far): bisect for the last bucket that n reaches.
    double low = 0;
    double high = counts.far();
    if (position > 2 && reaches(n, counts, max_distance, std::floor(position) - 1)) low = std::floor(position) - 1;
    if (position + 2 < high && !reaches(n, counts, max_distance, std::floor(position) + 2)) {
        high = std::floor(position) + 2;
    }
    while (high - low > 1) {
        const double middle = std::floor((low + high) / 2);
        (reaches(n, counts, max_distance, middle) ? low : high) = middle;
    }
    return counts.near + low;
}

}  // namespace farfield::evaluate
