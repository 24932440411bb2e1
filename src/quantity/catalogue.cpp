// Every kind of quantity. An explicit table: a linker drops objects that register themselves from a static library.
#include <vector>

#include "quantity/kinds.hpp"

namespace farfield::quantity {

std::span<const Kind> kinds() {
    // clang-format off
    static const std::vector<Kind> rows = {
        value_kind(),
        curve_kind(),
        matrix_kind(),
        expectation_kind(),
        resolution_kind(),
        oscillation_kind(),
        crossing_kind(),
        extremum_kind(),
        fit_kind(),
        profile_kind(),
        receptive_field_kind(),
        range_kind(),
        collision_kind(),
        logit_error_kind(),
        rounding_error_kind(),
        compare_kind(),
        laws_kind(),
        cost_kind(),
        table_kind(),
        ttest_kind(),
        correlation_kind(),
        identity_kind(),
        monotone_kind(),
    };
    // clang-format on
    return rows;
}

const Kind* find_kind(std::string_view name) {
    for (const Kind& kind : kinds())
        if (kind.name == name) return &kind;
    return nullptr;
}

}  // namespace farfield::quantity
