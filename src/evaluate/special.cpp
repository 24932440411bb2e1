#include "evaluate/special.hpp"

#include <farfield/evaluate/cuda/wide.cuh>

namespace farfield::evaluate {

double sine_integral(double x) {
    return device::sine_integral(x);
}

double binomial(double n, double k) {
    return device::binomial(n, k);
}

}  // namespace farfield::evaluate
