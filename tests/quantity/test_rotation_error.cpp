#include "quantity/rotation_error.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/scheme/recipe.hpp>
#include <farfield/scheme/registry.hpp>

namespace farfield::quantity {
namespace {

scheme::Scheme rotary_of(const char* base) {
    core::Problems problems;
    scheme::Scheme scheme = scheme::Registry::builtin().with_params("rotary", {{"base", base}}, {}, problems);
    problems.raise();
    return scheme;
}

void check_stretches(const RotationError& error, const std::string& name) {
    RotationError::Angles angles[5];
    const long long starts[] = {0, 1, 100, 4000, 70000};
    // From pair to pair, as a recurrence goes on.
    for (int pair = 0; pair < error.pairs(); ++pair)
        for (int i = 0; i < 5; ++i) {
            const long long first = starts[i], last = first + 63;
            numerics::Interval each = error.angle_error(static_cast<double>(first), pair);
            for (long long p = first; p <= last; ++p)
                each = numerics::hull(each, error.angle_error(static_cast<double>(p), pair));
            const numerics::Interval all = error.angle_errors(first, last, pair, angles[i]);
            INFO(name << ", pair " << pair << ", positions from " << first);
            // Both enclose the same errors, each wider than these by a few units of the last place of the angle.
            const double margin = numerics::power_of_two(-48) * static_cast<double>(last);
            CHECK((all.lo == each.lo || std::abs(all.lo - each.lo) <= margin));
            CHECK((all.hi == each.hi || std::abs(all.hi - each.hi) <= margin));
        }
}

TEST_CASE("angle errors of a stretch are the hull of those of its positions") {
    scheme::Context context;
    context.head_dim = context.width = 32;
    context.length = 1;
    const auto exact = std::make_shared<const ExactRotation>(rotary_of("500000"), context);
    // 4000 is beyond the positions that bf16 and fp16 hold, 70000 beyond the numbers of fp16.
    for (const char* name : {"fp32", "bf16", "fp16"})
        check_stretches(RotationError(exact, RoundedSteps::all(*numerics::find_format(name))), name);
    for (const std::string& name : scheme::recipe_names())
        check_stretches(RotationError(exact, RoundedSteps::of(scheme::find_recipe(name, "bf16"))), name);
}

TEST_CASE("a recurrence of angles can go back to an earlier pair") {
    scheme::Context context;
    context.head_dim = context.width = 32;
    context.length = 1;
    const RotationError error(rotary_of("10000"), context, RoundedSteps::of(scheme::find_recipe("recurrence", "fp32")));
    RotationError::Angles kept;
    error.angle_errors(64, 127, 9, kept);
    RotationError::Angles fresh;
    const numerics::Interval again = error.angle_errors(64, 127, 4, kept), anew = error.angle_errors(64, 127, 4, fresh);
    CHECK(again.lo == anew.lo);
    CHECK(again.hi == anew.hi);
    CHECK(kept.values == fresh.values);
}

}  // namespace
}  // namespace farfield::quantity
