// Sums, multiples and differences of long columns on vectors, compiled once for each vector width and chosen at run
// time. Sums run in as many lanes whatever the width, and no additions are fused: the digits do not depend on the
// processor.
#pragma once

#include <cstddef>

#include "numerics/instructions.hpp"

namespace farfield::numerics {

/// Numbers that are added side by side: enough for additions of the widest vectors not to wait for each other.
constexpr std::size_t lanes_of_sums = 32;

struct Ends {
    double low = 0;
    double high = 0;
};

struct LaneFunctions {
    double (*dot)(const double* x, const double* y, std::size_t count);              ///< sum x_i y_i
    double (*sum)(const double* x, std::size_t count);                               ///< sum x_i
    double (*spread)(const double* x, double centre, std::size_t count);             ///< sum (x_i - centre)^2
    double (*largest)(const double* x, std::size_t count);                           ///< max |x_i|, 0 of none
    void (*subtract)(double factor, const double* x, double* y, std::size_t count);  ///< y -= factor x
    void (*multiply_to_floats)(double factor, double* x, std::size_t count);         ///< x_i = float(factor x_i)
    /// Of finite x, and positions p_i = first + i that doubles hold: the least x_i - p_i factors.high and the largest
    /// x_i - p_i factors.low.
    Ends (*differences)(const double* x, double first, Ends factors, std::size_t count);
};

/// Those of the widest vectors that this processor has.
const LaneFunctions& lane_functions();

#define DECLARE(set)                  \
    namespace set {                   \
    extern const LaneFunctions lanes; \
    }
FARFIELD_INSTRUCTION_SETS(DECLARE)
#undef DECLARE

}  // namespace farfield::numerics
