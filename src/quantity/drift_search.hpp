// The first query whose logit a rounded rotation changes by more than a bound.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <farfield/numerics/interval.hpp>

#include "quantity/rotation_error.hpp"

namespace farfield::quantity {

/// Queries and keys whose distance n = q - k lies in a range, and the positions at which they are rotated.
struct DriftPart {
    static constexpr long long no_end = std::numeric_limits<long long>::max();
    /// The position at which a query or a key is rotated, as a function of its own position p; null if it is p.
    std::shared_ptr<const BoxFunction> query, key;
    bool is_far = false;                           ///< of `rotate.far`
    long long least = 0, most = no_end;            ///< pairs with another distance do not belong to the part
    long long sure_least = 0, sure_most = no_end;  ///< pairs with such a distance certainly belong to it
};

/// The space of the search: all queries q below `longest`, for each of them all keys up to q that belong to a part, and
/// all pairs of dimensions.
struct DriftQuestion {
    core::Enclosure bound;           ///< certainly exceeded above bound.hi, certainly kept up to bound.lo
    long long longest = 0;           ///< length of the sequence
    bool is_exact = true;            ///< whether scales count from the start; otherwise normal numbers of any size
    double scale_error = 0;          ///< relative error of these scales
    std::vector<double> ratios;      ///< for each pair, the largest s(q)/s(k) with k <= q
    std::vector<long long> normals;  ///< for each pair, the number of positions whose scale is a normal number
    /// The most pairs of a query and a key that are computed. After that, a query that may exceed the bound is not
    /// certain to do so.
    long long most_keys = std::numeric_limits<long long>::max();
    std::vector<DriftPart> parts{DriftPart{}};  ///< parts with their own positions: only without a scale
};

struct Drifted {
    long long query = 0;
    long long key = -1;  ///< -1: not known
    int pair = 0;
    std::size_t part = 0;
    bool is_sure = false;
    numerics::Interval error{0, 0};
};

/// With u~/u = e^(i delta(q)) a and v~/v = e^(i delta(k)) b, a pair's error is s(q)/s(k) |e^(i (delta(k) - delta(q)))
/// conj(a) b - 1|, at most s(q)/s(k) (2 |sin((delta(q) - delta(k))/2)| + (1 + g(q))(1 + g(k)) - 1), where g bounds |a -
/// 1| and |b - 1|; in a part, delta is that of the position at which the query or key is rotated. Positions are
/// processed in blocks. RotationError::angle_spread() excludes the first blocks of a pair, often all of them. The
/// smallest and the largest delta of all keys that are visible to a block's queries exclude most of the rest, first for
/// a block and then for each position. The remaining errors are computed for each key.
class DriftSearch {
public:
    DriftSearch(const RotationError& error, DriftQuestion question);

    /// The smallest query for which the bound is, or may be, exceeded, and its key with the largest error.
    std::optional<Drifted> run();

private:
    /// The known bounds for a range of positions: delta between two ends, and an upper bound of g.
    struct Known {
        core::Enclosure delta{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
        double size_error = 0;
        void include(const Known& other);
    };
    using Turn = RotationError::Turn;
    using Turns = std::vector<std::optional<std::pair<Turn, Turn>>>;  ///< exact and rounded, where they were requested

    /// The known bounds of blocks from the first on, as far as they were computed.
    class Blocks {
    public:
        void add(const Known& block);
        long long count() const { return levels_.empty() ? 0 : static_cast<long long>(levels_.front().size()); }
        const Known& at(long long block) const { return levels_.front()[static_cast<std::size_t>(block)]; }
        /// The bounds of all blocks from `first` to `last`.
        Known over(long long first, long long last) const;

    private:
        std::vector<std::vector<Known>> levels_;  ///< each entry covers two neighbours of the level before
    };

    /// Queries or keys that are rotated at their own positions, or at others.
    struct Side {
        std::shared_ptr<const BoxFunction> formula;
        std::vector<Blocks> pairs;
        std::vector<double> positions = {};  ///< positions by the formula, as far as computed; NaN if unknown
    };
    struct Part {
        std::size_t query, key;  ///< sides
        std::vector<long long>
            safe;  ///< for each pair, the number of blocks whose queries are proved to be within the bound
    };

    std::size_t side_of(const std::shared_ptr<const BoxFunction>& formula);
    /// The first and the last key of a part that are visible to queries from `first` to `last`; none if the last is
    /// before the first.
    std::pair<long long, long long> keys_of(std::size_t part, long long first_query, long long last_query) const;
    /// Whether angle_spread() proves that all queries up to the block's end are within the bound.
    bool is_safe_up_to(long long block, int pair, std::size_t part) const;
    long long safe_blocks(int pair, std::size_t part) const;
    /// The largest position at which the side's tokens up to the last one are rotated.
    double largest_position(std::size_t side, long long last) const;
    void look(long long block, int pair, std::size_t part, std::optional<Drifted>& best);
    void look_closely(long long query, const Known& own, int pair, std::size_t part, std::optional<Drifted>& best);
    /// Compares a query with the keys of a block whose error may exceed the bound; `worst` gets the worst of them.
    void compare(const Known& query, int pair, long long block, Drifted& worst);
    /// |.| <= ratio ((1 + error of the rotations alone) (1 + scale_error)^2 - 1).
    numerics::Interval for_any_scale(Turn exact, Turn rounded, Turn exact_key, Turn rounded_key, double ratio) const;
    /// Computes the bounds up to the block that are not known yet; for own positions, several blocks at once.
    void learn(std::size_t side, int pair, long long block);
    void learn_block(Blocks& blocks, int pair, const numerics::Interval& delta);
    void find_positions(Side& side, long long end) const;
    RotationError::Angles& angles_of(long long stretch);
    double size_error(int pair, double position) const;
    double position_of(std::size_t side, long long token) const;
    Known known(std::size_t side, int pair, long long token) const;
    double least_scale(int pair, long long block);
    const std::pair<Turn, Turn>& turn(std::size_t side, int pair, long long token);
    long long end_of(long long block) const;

    const RotationError& error_;
    DriftQuestion question_;
    std::vector<Side> sides_;
    std::vector<Part> parts_;
    std::vector<RotationError::Angles> angles_;  ///< of a recurrence's first stretches, for the pair computed last
    RotationError::Angles spare_;                ///< of any other
    long long keys_ = 0;                         ///< computed so far
    std::map<std::pair<int, long long>, double> least_scales_;        ///< of pair and block
    std::map<std::tuple<std::size_t, int, long long>, Turns> turns_;  ///< of side, pair and block, as many as are kept
};

}  // namespace farfield::quantity
