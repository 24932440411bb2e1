#include "numerics/lanes/lanes.hpp"

namespace farfield::numerics {

namespace {

const LaneFunctions& widest() {
#define TAKE(set) \
    if (runs::set()) return set::lanes;
    FARFIELD_INSTRUCTION_SETS(TAKE)
#undef TAKE
    return base::lanes;
}

}  // namespace

const LaneFunctions& lane_functions() {
    static const LaneFunctions& chosen = widest();
    return chosen;
}

}  // namespace farfield::numerics
