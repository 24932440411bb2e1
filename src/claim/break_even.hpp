// For which values of a threshold the verdict of a reading stays as it is.
#pragma once

#include <vector>

#include <farfield/claim/claim.hpp>
#include <farfield/evaluate/enclose.hpp>

namespace farfield::claim {

/// For each threshold that the reading's condition uses. That `truth` holds from one decimal to another is decided over
/// the interval between them; that it ends is decided at the next decimal of four digits. Thresholds that are not
/// positive, and those in an index or in a bound of all(), exists() or sum(), have none.
std::vector<core::BreakEven> break_even(const Reading& reading, evaluate::Truth truth,
                                        const std::vector<const core::Result*>& results);

}  // namespace farfield::claim
