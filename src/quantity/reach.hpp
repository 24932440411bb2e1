// Finds the inputs that reach the last output through layers of masked attention.
#pragma once

#include <optional>
#include <vector>

#include <farfield/core/place.hpp>
#include <farfield/formula/tree.hpp>

#include "quantity/runs.hpp"

namespace farfield::quantity {

/// One layer's mask, a condition on q and k (including causality, if the mask is causal), over positions 0..length-1.
/// Every answer is exact, because conditions are decided by interval arithmetic. Throws core::UserError at `place` if a
/// condition cannot be decided, or if the mask is so irregular that more than 2e8 boxes would be needed.
class MaskReach {
public:
    MaskReach(const formula::Node& mask, long long length, const core::Place& place);

    /// The positions themselves and all keys that are visible to a query among them.
    Runs seen_from(const Runs& queries) const;
    /// The visible distances n = q - k, if the mask depends only on the distance.
    const std::optional<Runs>& distances() const { return distances_; }
    /// The largest n + 1 for a visible distance n = q - k, which is the window of a windowed mask. At least 1. Nothing
    /// if the search would take too long.
    std::optional<long long> span() const;
    /// For a mask of blocks: the block size b and the number m of earlier blocks that are visible, such that the keys
    /// from (floor(q/b) - m) b on are visible to the last query, and all of the m blocks before its own are visible to
    /// every query of an earlier block.
    struct Blocks {
        long long size;
        long long earlier;
    };
    std::optional<Blocks> blocks() const;

private:
    Runs seen_from(const Run& queries, const Runs& known) const;
    Runs decided(const Run& queries, const Runs& keys, const Runs& known) const;
    bool is_block_mask(const Blocks& blocks) const;

    formula::Node mask_;
    long long length_;
    core::Place place_;
    std::optional<Runs> distances_;
};

/// The condition as a condition on n only, if no k is left after substituting q = k + n and moving both sides of every
/// comparison to one side.
std::optional<formula::Node> on_distance(const formula::Node& mask);

}  // namespace farfield::quantity
