// Finds the parts of a domain on which a condition holds, fails or stays undecided, by subdivision.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "quantity/box_decider.hpp"

namespace farfield::quantity {

/// A box and the answer for all of it.
struct BoxPart {
    Box box;
    Answer answer = Answer::unknown;
    bool has_value = true;                            ///< false: not proved to have a value everywhere on it
    std::optional<BoxDecider::Refuter> refuter = {};  ///< of a box on which a clause fails
};

/// Parts that together make up the domain, in no fixed order. The widest boxes are halved first, until all are decided
/// or cannot be halved, `most` boxes were processed, or the search is interrupted. The remaining boxes are unknown.
std::vector<BoxPart> find_parts(const BoxDecider& decider, const Domain& domain, std::size_t most,
                                const std::function<bool()>& interrupted);

}  // namespace farfield::quantity
