// T5's causal bucket of a distance, exact in every number system.
#pragma once

#include <mpfr.h>

namespace farfield::evaluate {

/// With m = floor(buckets/2): floor(n) below m, else min(buckets - 1, m + floor((buckets - m) log(n/m)/log(D/m))).
/// In words: near distances have a bucket each, far ones share buckets whose widths grow geometrically up to the
/// maximum distance D. n <= 0 is bucket 0. NaN if n or D is NaN, if `buckets` is not an integer from 2 to 2^16, or if D
/// <= m. The floor is that of the exact real number: where doubles cannot decide, integer powers are compared. Source:
/// Raffel et al. 2020, section 2.1 and its published code.
double t5_bucket(double n, double buckets, double max_distance);

/// The same for a distance and a maximum distance of any precision.
double t5_bucket(mpfr_srcptr n, double buckets, mpfr_srcptr max_distance);

}  // namespace farfield::evaluate
