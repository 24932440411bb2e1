// Sums, multiples and differences of long columns on vectors, compiled once for each vector width and chosen at run
// time. Sums use the same number of lanes for every width, and no additions are fused, so that the digits do not depend
// on the processor.
#pragma once

#include <cstddef>

#include "numerics/instructions.hpp"

namespace farfield::numerics {

/// Numbers that are added side by side: enough that additions of the widest vectors do not wait for each other.
constexpr std::size_t lanes_of_sums = 32;

struct Ends {
    double low = 0;
    double high = 0;
};

struct LaneFunctions {
    double (*dot)(const double* x, const double* y, std::size_t count);              ///< sum x_i y_i
    double (*sum)(const double* x, std::size_t count);                               ///< sum x_i
    double (*spread)(const double* x, double centre, std::size_t count);             ///< sum (x_i - centre)^2
    double (*largest)(const double* x, std::size_t count);                           ///< max |x_i|, 0 if there are none
    void (*subtract)(double factor, const double* x, double* y, std::size_t count);  ///< y -= factor x
    void (*multiply_to_floats)(double factor, double* x, std::size_t count);         ///< x_i = float(factor x_i)
    /// For finite x, and positions p_i = first + i that are exact in doubles: the smallest x_i - p_i factors.high and
    /// the largest x_i - p_i factors.low.
    Ends (*differences)(const double* x, double first, Ends factors, std::size_t count);
};

/// The functions for the widest vectors that this processor has.
const LaneFunctions& lane_functions();

#define DECLARE(set)                  \
    namespace set {                   \
    extern const LaneFunctions lanes; \
    }
FARFIELD_INSTRUCTION_SETS(DECLARE)
#undef DECLARE

}  // namespace farfield::numerics
