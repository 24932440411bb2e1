// For which values of a threshold the verdict of a reading does not change.
#pragma once

#include <vector>

#include <farfield/claim/claim.hpp>
#include <farfield/evaluate/enclose.hpp>

namespace farfield::claim {

/// Gives a result for each threshold that the reading's condition uses. The interval between two decimals decides that
/// `truth` holds from one to the other; the next decimal of four digits decides that it ends. Thresholds that are not
/// positive, and those in an index or in a bound of all(), exists() or sum(), have no result.
std::vector<core::BreakEven> break_even(const Reading& reading, evaluate::Truth truth,
                                        const std::vector<const core::Result*>& results);

}  // namespace farfield::claim
