#include "quantity/drift_search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <farfield/numerics/fast/interval_functions.hpp>

namespace farfield::quantity {
namespace {

constexpr long long block_size = 64;
constexpr long long stretch_size = 4 * block_size;  // positions that are learned at once
constexpr std::size_t most_kept_blocks = 8000;      // of 8 KiB each
constexpr long long most_kept_angles = 4096;        // stretches of 2 KiB

/// An upper bound of the error where |delta(q) - delta(k)| is at most `spread`.
double reached(double ratio, double spread, double first, double second) {
    // The chord of the angle; the last factor is over the rounding of this line.
    const double chord = spread < std::numbers::pi ? 2 * numerics::fast::sin(numerics::point(spread / 2)).hi : 2;
    return ratio * (chord + ((1 + first) * (1 + second) - 1)) * (1 + 1e-12);
}

double largest_difference(const core::Enclosure& a, const core::Enclosure& b) {
    return std::max(a.hi - b.lo, b.hi - a.lo);
}

}  // namespace

DriftSearch::DriftSearch(const RotationError& error, DriftQuestion question)
    : error_(error), question_(std::move(question)), pairs_(static_cast<std::size_t>(error.pairs())) {}

std::optional<Drifted> DriftSearch::run() {
    std::optional<Drifted> best;
    long long first = (question_.longest + block_size - 1) / block_size;
    for (int pair = 0; pair < error_.pairs(); ++pair) {
        const long long safe = pairs_[static_cast<std::size_t>(pair)].safe = safe_blocks(pair);
        first = std::min(first, safe);
    }
    for (long long block = first; block * block_size < question_.longest && !best; ++block)
        for (int pair = 0; pair < error_.pairs(); ++pair)
            if (block >= pairs_[static_cast<std::size_t>(pair)].safe) look(block, pair, best);
    return best;
}

bool DriftSearch::is_safe_up_to(long long block, int pair) const {
    const auto i = static_cast<std::size_t>(pair);
    const long long end = end_of(block);
    if (end > question_.normals[i]) return false;
    const auto last = static_cast<double>(end - 1);
    const double size_error = error_.size_error(last, pair, true);
    return reached(question_.ratios[i], error_.angle_spread(last, pair), size_error, size_error) <= question_.bound.lo;
}

// A block that is shown to be safe shows it of all before, so halving needs no monotonic bound.
long long DriftSearch::safe_blocks(int pair) const {
    long long safe = 0, open = (question_.longest + block_size - 1) / block_size;
    if (open > 0 && is_safe_up_to(open - 1, pair)) return open;
    while (open - safe > 1) {
        const long long middle = safe + (open - safe) / 2;
        (is_safe_up_to(middle - 1, pair) ? safe : open) = middle;
    }
    return safe;
}

long long DriftSearch::end_of(long long block) const {
    return std::min((block + 1) * block_size, question_.longest);
}

RotationError::Angles& DriftSearch::angles_of(long long stretch) {
    if (!error_.is_recurrent() || stretch >= most_kept_angles) {
        spare_.pair = -1;
        return spare_;
    }
    const auto i = static_cast<std::size_t>(stretch);
    if (angles_.size() <= i) angles_.resize(i + 1);
    return angles_[i];
}

double DriftSearch::size_error(int pair, long long position) const {
    const bool is_normal = position < question_.normals[static_cast<std::size_t>(pair)];
    return error_.size_error(static_cast<double>(position), pair, is_normal);
}

DriftSearch::Known DriftSearch::known(int pair, long long position) const {
    const numerics::Interval delta = error_.angle_error(static_cast<double>(position), pair);
    return {{delta.lo, delta.hi}, size_error(pair, position)};
}

void DriftSearch::look(long long block, int pair, std::optional<Drifted>& best) {
    const auto i = static_cast<std::size_t>(pair);
    learn(pair, block);
    const Known& all = pairs_[i].all[static_cast<std::size_t>(block)];
    const auto may_pass = [&](const Known& queries) {
        const double spread = largest_difference(queries.delta, all.delta);
        return reached(question_.ratios[i], spread, queries.size_error, all.size_error) > question_.bound.lo;
    };
    if (!may_pass(pairs_[i].blocks[static_cast<std::size_t>(block)])) return;
    const long long end = end_of(block);
    for (long long query = block * block_size; query < end; ++query) {
        if (best && query >= best->query) return;
        const Known own = known(pair, query);
        if (may_pass(own)) look_closely(query, own, pair, best);
    }
}

void DriftSearch::learn(int pair, long long block) {
    Pair& learned = pairs_[static_cast<std::size_t>(pair)];
    while (static_cast<long long>(learned.blocks.size()) <= block) {
        const long long first = static_cast<long long>(learned.blocks.size()) * block_size;
        const long long end = std::min(first + stretch_size, question_.longest);
        for (const numerics::Interval& delta :
             error_.angle_errors(first, end, block_size, pair, angles_of(first / stretch_size)))
            learn_block(pair, delta);
    }
}

void DriftSearch::learn_block(int pair, const numerics::Interval& delta) {
    const auto i = static_cast<std::size_t>(pair);
    const auto block = static_cast<long long>(pairs_[i].blocks.size());
    const long long end = end_of(block);
    Known here{{delta.lo, delta.hi}, 0};
    // It is one number where all scales are normal.
    const bool is_normal = end <= question_.normals[i];
    for (long long position = is_normal ? end - 1 : block * block_size; position < end; ++position)
        here.size_error = std::max(here.size_error, size_error(pair, position));
    pairs_[i].blocks.push_back(here);
    Known all = pairs_[i].all.empty() ? Known{} : pairs_[i].all.back();
    all.delta = {std::min(all.delta.lo, here.delta.lo), std::max(all.delta.hi, here.delta.hi)};
    all.size_error = std::max(all.size_error, here.size_error);
    pairs_[i].all.push_back(all);
}

void DriftSearch::look_closely(long long query, const Known& own, int pair, std::optional<Drifted>& best) {
    Drifted worst{query, -1, pair, false, {0, 0}};
    for (long long block = 0; block <= query / block_size && keys_ < question_.most_keys; ++block)
        compare(own, pair, block, worst);
    if (keys_ >= question_.most_keys) {
        best = Drifted{query, -1, pair, false, {0, 0}};
        return;
    }
    if (worst.error.hi <= question_.bound.lo) return;
    worst.is_sure = question_.is_exact && worst.error.lo > question_.bound.hi;
    best = worst;
}

void DriftSearch::compare(const Known& query, int pair, long long block, Drifted& worst) {
    const auto i = static_cast<std::size_t>(pair);
    double ratio = question_.ratios[i];
    const auto most = [&](const Known& keys) {
        return reached(ratio, largest_difference(query.delta, keys.delta), query.size_error, keys.size_error);
    };
    const Known& all = pairs_[i].blocks[static_cast<std::size_t>(block)];
    // Keys within the bound are not asked for, and neither are those that cannot be worse than the worst so far.
    const auto is_passed_over = [&](const Known& keys) {
        return most(keys) <= std::max(question_.bound.lo, worst.error.hi);
    };
    if (is_passed_over(all)) return;
    const auto at = static_cast<double>(worst.query);
    if (const double least = least_scale(pair, block); question_.is_exact && least > 0)
        ratio = std::min(ratio, (error_.scales({at, at}, pair) / numerics::point(least)).hi);
    if (is_passed_over(all)) return;
    const auto [exact, rounded] = turn(pair, worst.query);
    for (long long key = block * block_size; key < end_of(block) && key <= worst.query; ++key) {
        if (is_passed_over(known(pair, key))) continue;
        ++keys_;
        const auto& [exact_key, rounded_key] = turn(pair, key);
        const numerics::Interval found = question_.is_exact
                                             ? RotationError::between(exact, rounded, exact_key, rounded_key)
                                             : for_any_scale(exact, rounded, exact_key, rounded_key, ratio);
        if (found.hi <= worst.error.hi) continue;
        worst.error = found;
        worst.key = key;
    }
}

numerics::Interval DriftSearch::for_any_scale(Turn exact, Turn rounded, Turn exact_key, Turn rounded_key,
                                              double ratio) const {
    for (Turn* turn : {&exact, &rounded, &exact_key, &rounded_key}) turn->scale = turn->reciprocal = numerics::point(1);
    const double turned = RotationError::between(exact, rounded, exact_key, rounded_key).hi;
    const double scaled = (1 + question_.scale_error) * (1 + question_.scale_error);
    return {0, ratio * ((1 + turned) * scaled - 1) * (1 + 1e-12)};
}

double DriftSearch::least_scale(int pair, long long block) {
    const auto [entry, is_new] = least_scales_.try_emplace({pair, block}, 0.0);
    const core::Enclosure positions{static_cast<double>(block * block_size), static_cast<double>(end_of(block) - 1)};
    if (is_new) entry->second = error_.scales(positions, pair).lo;
    return entry->second;
}

const std::pair<DriftSearch::Turn, DriftSearch::Turn>& DriftSearch::turn(int pair, long long position) {
    const std::pair<int, long long> place{pair, position / block_size};
    if (turns_.size() >= most_kept_blocks && turns_.find(place) == turns_.end()) turns_.clear();
    Turns& block = turns_[place];
    block.resize(static_cast<std::size_t>(block_size));
    auto& made = block[static_cast<std::size_t>(position % block_size)];
    const auto p = static_cast<double>(position);
    if (!made) made.emplace(error_.exact(p, pair), error_.rounded(p, pair));
    return *made;
}

}  // namespace farfield::quantity
