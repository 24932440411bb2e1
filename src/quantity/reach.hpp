// Which inputs reach the last output through layers of masked attention.
#pragma once

#include <optional>
#include <vector>

#include <farfield/core/place.hpp>
#include <farfield/formula/tree.hpp>

#include "quantity/runs.hpp"

namespace farfield::quantity {

/// One layer's mask, a condition on q and k (causality included, where it holds), over positions 0..length-1. Every
/// answer is exact: conditions are decided by interval arithmetic. Throws core::UserError at `place` where one cannot
/// be decided, or where the mask is so irregular that over 2e8 boxes would be looked at.
class MaskReach {
public:
    MaskReach(const formula::Node& mask, long long length, const core::Place& place);

    /// The positions themselves and all keys that a query among them sees.
    Runs seen_from(const Runs& queries) const;
    /// The distances n = q - k that the mask lets through, if it depends on them alone.
    const std::optional<Runs>& distances() const { return distances_; }
    /// The largest n + 1 with n = q - k seen anywhere: what the window of a windowed mask is. At least 1. Nothing where
    /// that would take too long to find.
    std::optional<long long> span() const;
    /// With blocks: their size b and how many earlier ones are seen, so that the last query sees the keys from
    /// (floor(q/b) - m) b on and every query of an earlier block sees all of the m blocks before its own.
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

/// The condition as one on n alone, if q = k + n leaves no k once both sides of every comparison stand on one side.
std::optional<formula::Node> on_distance(const formula::Node& mask);

}  // namespace farfield::quantity
