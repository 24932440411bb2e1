#include "model/mask_plan.hpp"

#include <algorithm>
#include <bit>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/program.hpp>
#include <map>
#include <optional>

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

/// A mask's formula, evaluated tile by tile.
class Evaluated {
public:
    explicit Evaluated(const formula::Node& mask) : program_(formula::compile(mask, {{}, {"q", "k"}, {}})) {}

    Words words(std::size_t query, std::size_t key, std::size_t length) {
        const std::size_t rows = std::min(query_tile, length - query);
        const std::size_t columns = std::min(key_tile, length - key);
        q_.clear();
        k_.clear();
        for (std::size_t at = 0; at < rows * columns; ++at) {
            const std::size_t row = at / columns;
            q_.push_back(static_cast<double>(query + row));
            k_.push_back(static_cast<double>(key + at % columns));
        }
        const std::vector<double> seen = evaluate::evaluate(
            program_, {{}, {std::span<const double>(q_), std::span<const double>(k_)}, {}, q_.size()});
        Words words(query_tile, 0);
        for (std::size_t at = 0; at < seen.size(); ++at) {
            if (seen[at] == 1) words[at / columns] |= 1ULL << (at % columns);
        }
        return words;
    }

private:
    formula::Program program_;
    std::vector<double> q_;
    std::vector<double> k_;
};

}  // namespace

MaskPlan::MaskPlan(const formula::Node& mask, bool causal, std::size_t length) {
    std::optional<Evaluated> evaluated;
    if (mask) evaluated.emplace(mask);
    std::map<Words, std::uint32_t> kinds;
    for (std::size_t query = 0; query < length; query += query_tile) {
        first_.push_back(static_cast<std::uint32_t>(tiles_.size()));
        const std::size_t rows = std::min(query_tile, length - query);
        for (std::size_t key = 0; key < length; key += key_tile) {
            if (causal && key > query + rows - 1) break;
            const Words words = mask ? evaluated->words(query, key, length) : causal_words(query, key, length);
            std::uint64_t any = 0;
            std::uint64_t all = ~0ULL;
            for (std::size_t r = 0; r < rows; ++r) {
                any |= words[r];
                all &= words[r];
            }
            if (any == 0) continue;
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
    return tile.bits == MaskTile::all_visible || (words_[tile.bits + row_in_tile] >> column & 1) != 0;
}

}  // namespace farfield::model
