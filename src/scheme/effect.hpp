// Finds parts of a scheme that have no effect.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/scheme/scheme.hpp>

#include "formula/form.hpp"

namespace farfield::scheme {

/// Reports parts in the scheme's own settings that do not depend on queries, keys or positions: a mask that is the same
/// for every key, a `when` that is always true, an angle that does not depend on the position. A scheme without parts
/// is reported at `place`. `decide` may know more about a condition than its form says.
void check_effect(const core::Entries& own, const Scheme& scheme, const core::Place& place,
                  const formula::Decide& decide, core::Problems& problems);

}  // namespace farfield::scheme
