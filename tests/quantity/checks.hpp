// Comparisons that tests of quantities share.
#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include <farfield/core/table.hpp>

namespace farfield::quantity {

/// The field is there, is the expected number within `bound`, and its enclosure (if `enclosed`) holds the expected
/// number within `bound` of its ends.
inline void check_field(const core::Result& result, const std::string& name, double expected, double bound = 0,
                        bool enclosed = true) {
    INFO(name << " should be " << expected);
    const core::Cell* cell = result.find(name);
    REQUIRE(cell);
    REQUIRE(cell->number);
    INFO("is " << *cell->number);
    CHECK_FALSE(!(std::abs(*cell->number - expected) <= bound));
    if (!enclosed) return;
    REQUIRE(cell->enclosure);
    CHECK_FALSE(!(cell->enclosure->lo <= expected + bound));
    CHECK_FALSE(!(cell->enclosure->hi >= expected - bound));
    CHECK_FALSE(!(cell->enclosure->width() <= 4 * bound + 1e-9 * std::abs(expected)));
}

inline void check_null(const core::Result& result, const std::string& name) {
    INFO(name);
    REQUIRE(result.find(name));
    CHECK_FALSE(result.find(name)->number);
}

}  // namespace farfield::quantity
