// Byte pair encoding of one piece of text, for any rule of merges.
#pragma once

#include <cstddef>
#include <farfield/model/config.hpp>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

namespace farfield::checkpoint {

inline constexpr model::Token no_token = -1;

/// A part of a piece: its bytes and its neighbours. At the ends, the neighbours are not indices of parts.
struct PiecePart {
    model::Token token = no_token;
    std::size_t begin = 0;
    std::size_t size = 0;  ///< 0 after it was merged into the part before
    std::size_t before = 0;
    std::size_t after = 0;
};

/// The merge of two neighbours.
struct Merge {
    std::size_t rank;  ///< the lowest is merged first
    model::Token token;
};

/// Appends a part to the others.
inline void append_part(std::vector<PiecePart>& parts, model::Token token, std::size_t begin, std::size_t size) {
    parts.push_back({token, begin, size, parts.size() - 1, parts.size() + 1});
}

/// Merges the neighbours of the lowest rank, the leftmost of them, until none is left. `find` gives the Merge of two
/// parts, or nothing. Pairs wait in a heap. A pair is skipped if its parts were merged with others meanwhile and
/// therefore have another size.
template <typename Find>
void merge_parts(std::vector<PiecePart>& parts, const Find& find) {
    struct Join {
        std::size_t rank, left, size;
        model::Token both;
        bool operator>(const Join& other) const { return std::tie(rank, left) > std::tie(other.rank, other.left); }
    };
    std::priority_queue<Join, std::vector<Join>, std::greater<>> joins;
    const auto offer = [&](std::size_t left) {
        if (left >= parts.size() || parts[left].after >= parts.size()) return;
        const PiecePart& a = parts[left];
        const PiecePart& b = parts[a.after];
        if (const std::optional<Merge> merge = find(a, b))
            joins.push({merge->rank, left, a.size + b.size, merge->token});
    };
    for (std::size_t i = 0; i < parts.size(); ++i) offer(i);
    while (!joins.empty()) {
        const Join join = joins.top();
        joins.pop();
        PiecePart& left = parts[join.left];
        if (left.size == 0 || left.after >= parts.size() || left.size + parts[left.after].size != join.size) continue;
        PiecePart& right = parts[left.after];
        left.token = join.both;
        left.size = join.size;
        left.after = right.after;
        right.size = 0;
        if (left.after < parts.size()) parts[left.after].before = join.left;
        offer(left.before);
        offer(join.left);
    }
    std::erase_if(parts, [](const PiecePart& part) { return part.size == 0; });
}

}  // namespace farfield::checkpoint
