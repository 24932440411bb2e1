#include "quantity/rotation_error.hpp"

#include <catch2/catch.hpp>
#include <farfield/scheme/registry.hpp>

namespace farfield::quantity {
namespace {

TEST_CASE("angle errors of a stretch are the hull of those of its positions") {
    core::Problems problems;
    const scheme::Scheme rotary = scheme::Registry::builtin().with_params("rotary", {{"base", "500000"}}, {}, problems);
    scheme::Context context;
    context.head_dim = context.width = 32;
    context.length = 1;
    for (const char* name : {"fp32", "bf16", "fp16"}) {
        for (const bool rounds_positions : {true, false}) {
            RoundedSteps steps;
            steps.positions = rounds_positions;
            const RotationError error(rotary, context, *numerics::find_format(name), steps);
            // 4000 is beyond the positions that bf16 and fp16 hold, 70000 beyond the numbers of fp16.
            for (const long long first : {0LL, 1LL, 100LL, 4000LL, 70000LL}) {
                for (int pair = 0; pair < error.pairs(); ++pair) {
                    numerics::Interval each = error.angle_error(static_cast<double>(first), pair);
                    for (long long p = first; p <= first + 63; ++p)
                        each = numerics::hull(each, error.angle_error(static_cast<double>(p), pair));
                    const numerics::Interval all = error.angle_errors(first, first + 63, pair);
                    INFO(name << ", pair " << pair << ", positions from " << first);
                    // Both enclose the same errors; angle_error() is wider by units of the last place of the angle.
                    CHECK((all.lo == each.lo || std::abs(all.lo - each.lo) <= 1e-10));
                    CHECK((all.hi == each.hi || std::abs(all.hi - each.hi) <= 1e-10));
                }
            }
        }
    }
}

}  // namespace
}  // namespace farfield::quantity
