// Sums and multiples of long columns on vectors, compiled once for each vector width and chosen at run time. Sixteen
// numbers side by side whatever the width, and no fused additions: the digits do not depend on the processor.
#pragma once

#include <cstddef>

namespace farfield::numerics {

struct LaneFunctions {
    double (*dot)(const double* x, const double* y, std::size_t count);              ///< sum x_i y_i
    double (*sum)(const double* x, std::size_t count);                               ///< sum x_i
    double (*spread)(const double* x, double centre, std::size_t count);             ///< sum (x_i - centre)^2
    double (*largest)(const double* x, std::size_t count);                           ///< max |x_i|, 0 of none
    void (*subtract)(double factor, const double* x, double* y, std::size_t count);  ///< y -= factor x
};

/// Those of the widest vectors that this processor has.
const LaneFunctions& lane_functions();

namespace sse2 {
extern const LaneFunctions lanes;
}
namespace avx2 {
extern const LaneFunctions lanes;
}

}  // namespace farfield::numerics
