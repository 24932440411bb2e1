// Mathematical functions of doubles and floats, with one name for both types. CUDA's compilers and the host's compile
// this file.
#pragma once

#include <farfield/numerics/both.hpp>

namespace farfield::device {

// The built-in constants have different names in each compiler.
FARFIELD_BOTH double not_a_number() {
    return __builtin_bit_cast(double, 0x7ff8000000000000ULL);
}
FARFIELD_BOTH double infinite() {
    return __builtin_bit_cast(double, 0x7ff0000000000000ULL);
}

/// Whether the value is an integer below `limit` in magnitude, at most 2^53, which a double counter can reach.
FARFIELD_BOTH bool is_integer(double x, double limit) {
    return ::fabs(x) < limit && ::trunc(x) == x;
}

#define FARFIELD_DEVICE_plain(stem)            \
    FARFIELD_BOTH double stem##_of(double x) { \
        return ::stem(x);                      \
    }                                          \
    FARFIELD_BOTH float stem##_of(float x) {   \
        return ::stem##f(x);                   \
    }
#define FARFIELD_DEVICE_own(stem)
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) FARFIELD_DEVICE_##device(stem)
#include <farfield/numerics/functions.def>
#undef FARFIELD_DEVICE_plain
#undef FARFIELD_DEVICE_own

/// Exact at powers of two.
FARFIELD_BOTH double log2_of(double x) {
    int exponent = 0;
    const bool is_power = x > 0 && ::frexp(x, &exponent) == 0.5;
    return is_power ? exponent - 1 : ::log2(x);
}
FARFIELD_BOTH float log2_of(float x) {
    return ::log2f(x);
}
FARFIELD_BOTH double tan_of(double x) {
    return ::tan(x);
}
FARFIELD_BOTH double atan2_of(double y, double x) {
    return ::atan2(y, x);
}
FARFIELD_BOTH double pow_of(double a, double b) {
    return ::pow(a, b);
}
FARFIELD_BOTH double sqrt_of(double x) {
    return ::sqrt(x);
}
FARFIELD_BOTH double fmod_of(double a, double b) {
    return ::fmod(a, b);
}
FARFIELD_BOTH double floor_of(double x) {
    return ::floor(x);
}
FARFIELD_BOTH double ceil_of(double x) {
    return ::ceil(x);
}
FARFIELD_BOTH double rint_of(double x) {
    return ::rint(x);
}
FARFIELD_BOTH double fabs_of(double x) {
    return ::fabs(x);
}
FARFIELD_BOTH double copysign_of(double x, double sign) {
    return ::copysign(x, sign);
}

FARFIELD_BOTH float sqrt_of(float x) {
    return ::sqrtf(x);
}
FARFIELD_BOTH float fmod_of(float a, float b) {
    return ::fmodf(a, b);
}
FARFIELD_BOTH float floor_of(float x) {
    return ::floorf(x);
}
FARFIELD_BOTH float ceil_of(float x) {
    return ::ceilf(x);
}
FARFIELD_BOTH float rint_of(float x) {
    return ::rintf(x);
}
FARFIELD_BOTH float fabs_of(float x) {
    return ::fabsf(x);
}
FARFIELD_BOTH float copysign_of(float x, float sign) {
    return ::copysignf(x, sign);
}
// Computed in double, because CUDA's single-precision functions have errors of up to 4 ulp.
FARFIELD_BOTH float tan_of(float x) {
    return static_cast<float>(::tan(static_cast<double>(x)));
}
FARFIELD_BOTH float atan2_of(float y, float x) {
    return static_cast<float>(::atan2(static_cast<double>(y), static_cast<double>(x)));
}
FARFIELD_BOTH float pow_of(float a, float b) {
    return static_cast<float>(::pow(static_cast<double>(a), static_cast<double>(b)));
}

}  // namespace farfield::device
