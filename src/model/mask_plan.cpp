#include "model/mask_plan.hpp"

#include <algorithm>
#include <bit>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/model/check.hpp>
#include <farfield/scheme/context.hpp>
#include <limits>
#include <map>
#include <optional>
#include <string>

namespace farfield::model {
namespace {

using Words = std::vector<std::uint64_t>;

Words causal_words(std::size_t query, std::size_t key, std::size_t length) {
    Words words(query_tile, 0);
    for (std::size_t r = 0; r < query_tile && query + r < length; ++r) {
        const std::size_t q = query + r;
        if (key > q) continue;
        const std::size_t count = std::min(q - key + 1, key_tile);
        words[r] = count == key_tile ? ~0ULL : (1ULL << count) - 1;
    }
    return words;
}

/// A mask's formula, evaluated once for each distance if it depends on nothing else, tile by tile otherwise.
class Evaluated {
public:
    Evaluated(const formula::Node& mask, std::size_t length) : length_(length) {
        if (!scheme::depends_on_distance_only(mask)) {
            program_ = formula::compile(mask, {{}, {"q", "k"}, {}});
            return;
        }
        const formula::Node by_distance =
            formula::substitute(mask, {{"q", formula::make_name("n")}, {"k", formula::make_number("0")}});
        std::vector<double> distances(2 * length - 1);
        for (std::size_t at = 0; at < distances.size(); ++at)
            distances[at] = static_cast<double>(at) - static_cast<double>(length - 1);
        by_distance_ = evaluate::evaluate(formula::compile(by_distance, {{}, {"n"}, {}}),
                                          {{}, {std::span<const double>(distances)}, {}, distances.size()});
    }

    Words words(std::size_t query, std::size_t key) {
        const std::size_t rows = std::min(query_tile, length_ - query);
        const std::size_t columns = std::min(key_tile, length_ - key);
        if (!by_distance_.empty()) return words_by_distance(query, key, rows, columns);
        if (query != query_ || key < first_ || key >= last_) evaluate_strip(query, key, rows);
        const std::size_t width = last_ - first_;
        return words_of(rows, columns, [&](std::size_t row, std::size_t column) {
            return strip_[row * width + key - first_ + column];
        });
    }

private:
    static Words words_of(std::size_t rows, std::size_t columns, const auto& seen) {
        Words words(query_tile, 0);
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t column = 0; column < columns; ++column)
                if (seen(row, column) == 1) words[row] |= 1ULL << column;
        return words;
    }

    /// Whole tiles are equal along each diagonal.
    Words words_by_distance(std::size_t query, std::size_t key, std::size_t rows, std::size_t columns) {
        const std::size_t start = query + (length_ - 1) - key;
        const auto make = [&] {
            return words_of(rows, columns,
                            [&](std::size_t row, std::size_t column) { return by_distance_[start + row - column]; });
        };
        if (rows < query_tile || columns < key_tile) return make();
        const auto [known, is_new] = whole_.try_emplace(start);
        if (is_new) known->second = make();
        return known->second;
    }

    /// Evaluates several tiles of one row of tiles, because a call for each tile would take longer than its points.
    void evaluate_strip(std::size_t query, std::size_t key, std::size_t rows) {
        query_ = query;
        first_ = key;
        last_ = std::min(length_, key + tiles_of_strip * key_tile);
        q_.clear();
        k_.clear();
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t k = first_; k < last_; ++k) {
                q_.push_back(static_cast<double>(query + row));
                k_.push_back(static_cast<double>(k));
            }
        }
        strip_ = evaluate::evaluate(program_,
                                    {{}, {std::span<const double>(q_), std::span<const double>(k_)}, {}, q_.size()});
    }

    static constexpr std::size_t tiles_of_strip = 64;

    std::size_t length_;
    formula::Program program_;
    std::vector<double> by_distance_;  ///< from 1 - length on; empty if the formula depends on more
    std::map<std::size_t, Words> whole_;
    std::vector<double> strip_;  ///< of query_ and the next rows, for keys first_ to last_ - 1
    std::size_t query_ = 0;
    std::size_t first_ = 0;
    std::size_t last_ = 0;
    std::vector<double> q_;
    std::vector<double> k_;
};

}  // namespace

std::size_t MaskPlan::least_bytes(bool has_mask, bool causal, std::size_t length) {
    std::size_t tiles = 0;
    for (std::size_t query = 0; query < length; query += query_tile)
        tiles += has_mask ? 1 : (causal ? std::min(query + query_tile, length) - 1 : length - 1) / key_tile + 1;
    return tiles * sizeof(MaskTile);
}

MaskPlan::MaskPlan(const formula::Node& mask, bool causal, std::size_t length) {
    // A vector that grows takes up to three times its final bytes.
    tiles_.reserve(least_bytes(mask != nullptr, causal, length) / sizeof(MaskTile));
    std::optional<Evaluated> evaluated;
    if (mask) evaluated.emplace(mask, length);
    std::map<Words, std::uint32_t> kinds;
    for (std::size_t query = 0; query < length; query += query_tile) {
        first_.push_back(static_cast<std::uint32_t>(tiles_.size()));
        const std::size_t rows = std::min(query_tile, length - query);
        for (std::size_t key = 0; key < length; key += key_tile) {
            if (causal && key > query + rows - 1) break;
            const Words words = mask ? evaluated->words(query, key) : causal_words(query, key, length);
            std::uint64_t any = 0;
            std::uint64_t all = ~0ULL;
            for (std::size_t r = 0; r < rows; ++r) {
                any |= words[r];
                all &= words[r];
            }
            if (any == 0) continue;
            if (tiles_.size() == std::numeric_limits<std::uint32_t>::max())
                throw PieceError("mask", "more than 2^32 tiles of visible keys at length " + std::to_string(length),
                                 "fewer keys, or a smaller length");
            std::uint32_t bits = MaskTile::all_visible;
            if (all != ~0ULL) {
                const auto [known, is_new] = kinds.emplace(words, static_cast<std::uint32_t>(words_.size()));
                if (is_new) words_.insert(words_.end(), words.begin(), words.end());
                bits = known->second;
            }
            tiles_.push_back({static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(std::countr_zero(any)),
                              static_cast<std::uint32_t>(key_tile) - static_cast<std::uint32_t>(std::countl_zero(any)),
                              bits, static_cast<std::uint32_t>(tiles_.size())});
        }
    }
    first_.push_back(static_cast<std::uint32_t>(tiles_.size()));
}

const MaskTile* MaskPlan::find(std::size_t q, std::size_t k) const {
    const std::size_t row = q / query_tile;
    for (std::uint32_t t = first_[row]; t < first_[row + 1]; ++t) {
        if (tiles_[t].key <= k && k < tiles_[t].key + key_tile) return &tiles_[t];
    }
    return nullptr;
}

bool MaskPlan::visible(const MaskTile& tile, std::size_t row_in_tile, std::size_t column) const {
    return (word(tile, row_in_tile) >> column & 1) != 0;
}

FarPlan::FarPlan(const formula::Node& where, const MaskPlan& mask, std::size_t length) {
    Evaluated evaluated(where, length);
    std::map<Words, std::uint32_t> kinds;
    for (std::size_t row = 0; row + 1 < mask.first().size(); ++row) {
        const std::size_t query = row * query_tile;
        for (std::uint32_t t = mask.first()[row]; t < mask.first()[row + 1]; ++t) {
            const MaskTile& tile = mask.tiles()[t];
            const Words words = evaluated.words(query, tile.key);
            std::uint64_t far = 0;
            std::uint64_t near = 0;
            for (std::size_t r = 0; r < std::min(query_tile, length - query); ++r) {
                far |= mask.word(tile, r) & words[r];
                near |= mask.word(tile, r) & ~words[r];
            }
            if (far == 0 || near == 0) {
                tiles_.push_back(far == 0 ? FarView::none : FarView::all);
                continue;
            }
            const auto [known, is_new] = kinds.emplace(words, static_cast<std::uint32_t>(words_.size()));
            if (is_new) words_.insert(words_.end(), words.begin(), words.end());
            tiles_.push_back(known->second);
        }
    }
}

bool FarPlan::holds(const MaskTile& tile, std::size_t row_in_tile, std::size_t column) const {
    const std::uint32_t far = tiles_[tile.slot];
    if (far == FarView::none || far == FarView::all) return far == FarView::all;
    return (words_[far + row_in_tile] >> column & 1) != 0;
}

}  // namespace farfield::model
