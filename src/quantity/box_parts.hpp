// The parts of a domain on which a condition holds, fails or stays open, by subdivision.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "quantity/box_decider.hpp"

namespace farfield::quantity {

/// A box and what holds on all of it.
struct BoxPart {
    Box box;
    Answer answer = Answer::unknown;
    bool has_value = true;                            ///< false: not shown to have a value everywhere on it
    std::optional<BoxDecider::Refuter> refuter = {};  ///< of a box on which a clause fails
};

/// Parts that make the domain together, in no order. The widest boxes are halved first, until they are decided, or
/// cannot be halved, or `most` boxes were processed, or when interrupted; what is left is unknown.
std::vector<BoxPart> find_parts(const BoxDecider& decider, const Domain& domain, std::size_t most,
                                const std::function<bool()>& interrupted);

}  // namespace farfield::quantity
