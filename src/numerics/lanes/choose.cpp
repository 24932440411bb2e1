#include "numerics/lanes/lanes.hpp"

namespace farfield::numerics {

const LaneFunctions& lane_functions() {
    static const LaneFunctions& widest = __builtin_cpu_supports("avx512f") ? avx512::lanes
                                         : __builtin_cpu_supports("avx2")  ? avx2::lanes
                                                                           : sse2::lanes;
    return widest;
}

}  // namespace farfield::numerics
