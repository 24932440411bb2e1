// The first query whose logit a rounded rotation changes by more than a bound.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <farfield/numerics/interval.hpp>

#include "quantity/rotation_error.hpp"

namespace farfield::quantity {

/// What is searched: all queries q below `longest`, for each all keys up to q and all pairs.
struct DriftQuestion {
    core::Enclosure bound;           ///< passed for sure above bound.hi, kept for sure up to bound.lo
    long long longest = 0;           ///< length of the sequence
    bool is_exact = true;            ///< whether scales count from the start; else they are normal numbers of any size
    double scale_error = 0;          ///< relative error of these
    std::vector<double> ratios;      ///< of each pair the largest s(q)/s(k) with k <= q
    std::vector<long long> normals;  ///< of each pair the number of positions whose scale is a normal number
    /// Pairs of a query and a key that are computed; after these a query that may pass the bound is not sure to.
    long long most_keys = std::numeric_limits<long long>::max();
};

struct Drifted {
    long long query = 0;
    long long key = -1;  ///< -1: not known
    int pair = 0;
    bool is_sure = false;
    numerics::Interval error{0, 0};
};

/// With u~/u = e^(i delta(q)) a and v~/v = e^(i delta(k)) b, a pair's error is s(q)/s(k) |e^(i (delta(k) - delta(q)))
/// conj(a) b - 1|, at most s(q)/s(k) (2 |sin((delta(q) - delta(k))/2)| + (1 + g(q))(1 + g(k)) - 1), where g bounds
/// |a - 1| and |b - 1|. Positions are taken in blocks. RotationError::angle_spread() passes over the first blocks of a
/// pair, often all of them; the least and the largest delta so far over most of the rest, first of a block and then of
/// each position; what is left is computed for each key.
class DriftSearch {
public:
    DriftSearch(const RotationError& error, DriftQuestion question);

    /// The least query for which the bound is, or may be, passed; of its keys the one with the largest error.
    std::optional<Drifted> run();

private:
    /// What is known of a stretch of positions: delta between two ends, g up to a bound.
    struct Known {
        core::Enclosure delta{0, 0};
        double size_error = 0;
    };
    using Turn = RotationError::Turn;
    using Turns = std::vector<std::optional<std::pair<Turn, Turn>>>;  ///< exact and rounded, those that were asked for
    struct Pair {
        std::vector<Known> blocks;  ///< those learned, from the first on
        std::vector<Known> all;     ///< of each with those before it
        long long safe = 0;         ///< number of blocks from the first on whose queries are within the bound
    };

    /// Whether angle_spread() shows that all queries up to the block's end are within the bound.
    bool is_safe_up_to(long long block, int pair) const;
    long long safe_blocks(int pair) const;
    void look(long long block, int pair, std::optional<Drifted>& best);
    void look_closely(long long query, const Known& own, int pair, std::optional<Drifted>& best);
    /// The keys of a block that may go with a query for an error above the bound; the worst of them in `worst`.
    void compare(const Known& query, int pair, long long block, Drifted& worst);
    /// |.| <= ratio ((1 + error of the turns alone) (1 + scale_error)^2 - 1).
    numerics::Interval for_any_scale(Turn exact, Turn rounded, Turn exact_key, Turn rounded_key, double ratio) const;
    /// Learns what is not known yet up to the block, in stretches of several.
    void learn(int pair, long long block);
    void learn_block(int pair, const numerics::Interval& delta);
    RotationError::Angles& angles_of(long long stretch);
    double size_error(int pair, long long position) const;
    Known known(int pair, long long position) const;
    double least_scale(int pair, long long block);
    const std::pair<Turn, Turn>& turn(int pair, long long position);
    long long end_of(long long block) const;

    const RotationError& error_;
    DriftQuestion question_;
    std::vector<Pair> pairs_;
    std::vector<RotationError::Angles> angles_;  ///< of a recurrence's first stretches, of the pair last learned
    RotationError::Angles spare_;                ///< of any other
    long long keys_ = 0;                         ///< computed so far
    std::map<std::pair<int, long long>, double> least_scales_;  ///< of pair and block
    std::map<std::pair<int, long long>, Turns> turns_;          ///< of pair and block, as many as are kept
};

}  // namespace farfield::quantity
