#include "quantity/rotation_error.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/numerics/interval.hpp>
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

/// The errors of the 64 positions from `first` on, none from `end` on.
void check_block(const RotationError& error, long long first, long long end, int pair, const numerics::Interval& all,
                 const std::string& name) {
    const long long last = std::min(first + 64, end) - 1;
    numerics::Interval each = error.angle_error(static_cast<double>(first), pair);
    for (long long p = first; p <= last; ++p)
        each = numerics::hull(each, error.angle_error(static_cast<double>(p), pair));
    INFO(name << ", pair " << pair << ", positions from " << first);
    // Both enclose the same errors, each wider than these by a few units of the last place of the angle.
    const double margin = numerics::power_of_two(-48) * static_cast<double>(last);
    CHECK((all.lo == each.lo || std::abs(all.lo - each.lo) <= margin));
    CHECK((all.hi == each.hi || std::abs(all.hi - each.hi) <= margin));
}

void check_stretches(const RotationError& error, const std::string& name) {
    RotationError::Angles angles[5];
    const long long starts[] = {0, 1, 100, 4000, 70000};
    // From pair to pair, as a recurrence goes on.
    for (int pair = 0; pair < error.pairs(); ++pair)
        for (int i = 0; i < 5; ++i) {
            constexpr long long block = 64;
            const long long end = starts[i] + 160;
            const std::vector<numerics::Interval> found = error.angle_errors(starts[i], end, block, pair, angles[i]);
            REQUIRE(found.size() == 3);  // the last of 32
            for (std::size_t j = 0; j < found.size(); ++j)
                check_block(error, starts[i] + static_cast<long long>(j) * block, end, pair, found[j], name);
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
    error.angle_errors(64, 128, 64, 9, kept);
    RotationError::Angles fresh;
    const numerics::Interval again = error.angle_errors(64, 128, 64, 4, kept).front();
    const numerics::Interval anew = error.angle_errors(64, 128, 64, 4, fresh).front();
    CHECK(again.lo == anew.lo);
    CHECK(again.hi == anew.hi);
    CHECK(kept.values == fresh.values);
}

TEST_CASE("the error of a rounded cosine and sine is bounded from above, and tightly") {
    scheme::Context context;
    context.head_dim = context.width = 32;
    context.length = 1;
    for (const char* name : {"fp32", "fp16", "bf16", "e4m3", "e5m2"}) {
        const numerics::Format& format = *numerics::find_format(name);
        const RotationError error(rotary_of("10000"), context, RoundedSteps::all(format));
        // Each of the two is off by half a unit of numbers up to 1, 2^-(m + 2): together by sqrt(1/2) 2^-(m + 1).
        const long double exact = std::sqrt(0.5L) * std::ldexp(1.0L, -format.mantissa_bits - 1);
        const long double bound = error.size_error(1, 0, true);
        INFO(name);
        CHECK(bound >= exact);
        CHECK(bound <= exact * (1 + 2e-12L) + 2e-15L);
    }
}

TEST_CASE("an error is not known where a scale may be infinite, and infinite where it is") {
    const double infinity = numerics::infinity;
    const numerics::Interval one = numerics::point(1), zero = numerics::point(0);
    const RotationError::Turn exact{one, zero, one, one};
    for (const numerics::Interval& scale : {numerics::Interval{2, infinity}, numerics::Interval{-infinity, 2}}) {
        const numerics::Interval error = RotationError::between(exact, {one, zero, scale, one}, exact, exact);
        CHECK(error.lo == 0);
        CHECK(error.hi == infinity);
    }
    const numerics::Interval sure =
        RotationError::between(exact, exact, exact, {one, zero, one, numerics::point(infinity)});
    CHECK(sure.lo == infinity);
}

}  // namespace
}  // namespace farfield::quantity
