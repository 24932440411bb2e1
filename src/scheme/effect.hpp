// Parts of a scheme that change nothing.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/scheme/scheme.hpp>

namespace farfield::scheme {

/// Reports parts that are written in the scheme's own settings and that no query, key or position makes a difference
/// to: a mask that is the same for every key, a `when` that is always true, an angle that does not depend on the
/// position. A scheme that has no part, or changes none of the one it extends, is reported at `place`.
void check_effect(const core::Entries& own, const Scheme& scheme, const core::Place& place, core::Problems& problems);

}  // namespace farfield::scheme
