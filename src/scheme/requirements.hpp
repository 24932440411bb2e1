// The conditions that a scheme's params must meet.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/scheme.hpp>

namespace farfield::scheme {

/// Checks the table `require` of the scheme's settings: each entry is a condition on params under the name of one of
/// them. A condition that the params do not meet is a problem at the param.
void check_requirements(const Scheme& scheme, core::Problems& problems);

}  // namespace farfield::scheme
