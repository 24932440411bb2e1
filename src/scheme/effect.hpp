// Finds parts of a scheme that have no effect.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/scheme/scheme.hpp>

#include "formula/form.hpp"

namespace farfield::scheme {

/// What holds of positions, heads, layers and lengths, and of the queries and keys of causal attention.
formula::Facts facts_of_positions(bool is_causal);

/// Reports parts in the scheme's own settings that do not depend on queries, keys or positions: a mask that is the same
/// for every key, a `when` that is always true, an angle that does not depend on the position. A scheme without parts,
/// or one that changes no part of the scheme it extends, is reported at `place`.
void check_effect(const core::Entries& own, const Scheme& scheme, const core::Place& place, core::Problems& problems);

}  // namespace farfield::scheme
