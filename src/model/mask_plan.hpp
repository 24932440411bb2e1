// The visible keys of each query, by tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <farfield/formula/tree.hpp>
#include <vector>

#include "model/kernel/kernels.hpp"

namespace farfield::model {

/// Equal tiles that are partly masked share their words: a causal mask of any length has two kinds of tiles.
class MaskPlan {
public:
    /// `mask` is a boolean formula of q and k, including causality; null: only k <= q. `causal` skips tiles above the
    /// diagonal without evaluation.
    MaskPlan(const formula::Node& mask, bool causal, std::size_t length);

    /// A lower bound of the bytes of a plan: every query has a tile, and without a mask all keys before it.
    static std::size_t least_bytes(bool has_mask, bool causal, std::size_t length);

    MaskView view() const { return {tiles_.data(), first_.data(), words_.data()}; }
    const std::vector<MaskTile>& tiles() const { return tiles_; }
    const std::vector<std::uint32_t>& first() const { return first_; }
    /// The tile that contains q and k, or null if it has no visible key.
    const MaskTile* find(std::size_t q, std::size_t k) const;
    bool visible(const MaskTile& tile, std::size_t row_in_tile, std::size_t column) const;
    /// The keys of a tile that are visible to one of its queries, one bit each.
    std::uint64_t word(const MaskTile& tile, std::size_t row_in_tile) const {
        return tile.bits == MaskTile::all_visible ? ~std::uint64_t{0} : words_[tile.bits + row_in_tile];
    }

private:
    std::vector<MaskTile> tiles_;
    std::vector<std::uint32_t> first_;
    std::vector<std::uint64_t> words_;
};

/// Where a boolean formula of q and k holds, by the tiles of a mask.
class FarPlan {
public:
    FarPlan(const formula::Node& where, const MaskPlan& mask, std::size_t length);

    FarView view() const { return {tiles_.data(), words_.data()}; }
    bool holds(const MaskTile& tile, std::size_t row_in_tile, std::size_t column) const;

private:
    std::vector<std::uint32_t> tiles_;
    std::vector<std::uint64_t> words_;
};

}  // namespace farfield::model
