// The row of each kind of quantity. A kind is src/quantity/<kind>.cpp, its page docs/quantities/<kind>.md and its test
// tests/quantity/test_<kind>.cpp; catalogue.cpp lists the rows.
#pragma once

#include <farfield/quantity/kind.hpp>

namespace farfield::quantity {

const Kind& value_kind();
const Kind& curve_kind();
const Kind& matrix_kind();
const Kind& expectation_kind();
const Kind& resolution_kind();
const Kind& receptive_field_kind();
const Kind& range_kind();
const Kind& collision_kind();
const Kind& logit_error_kind();
const Kind& rounding_error_kind();
const Kind& compare_kind();
const Kind& laws_kind();
const Kind& cost_kind();
const Kind& table_kind();
const Kind& ttest_kind();
const Kind& correlation_kind();
const Kind& identity_kind();
const Kind& monotone_kind();
const Kind& oscillation_kind();
const Kind& crossing_kind();
const Kind& extremum_kind();
const Kind& fit_kind();
const Kind& profile_kind();

}  // namespace farfield::quantity
