#include "quantity/drift_search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <farfield/numerics/fast/interval_functions.hpp>

namespace farfield::quantity {
namespace {

constexpr long long block_size = 64;
constexpr std::size_t most_kept_blocks = 8000;  // of 8 KiB each

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
    for (long long block = 0; block * block_size < question_.longest && !best; ++block)
        for (int pair = 0; pair < error_.pairs(); ++pair) look(block, pair, best);
    return best;
}

long long DriftSearch::end_of(long long block) const {
    return std::min((block + 1) * block_size, question_.longest);
}

DriftSearch::Known DriftSearch::known(int pair, long long position) const {
    const auto p = static_cast<double>(position);
    const numerics::Interval delta = error_.angle_error(p, pair);
    const bool is_normal = position < question_.normals[static_cast<std::size_t>(pair)];
    return {{delta.lo, delta.hi}, error_.size_error(p, pair, is_normal)};
}

void DriftSearch::look(long long block, int pair, std::optional<Drifted>& best) {
    const auto i = static_cast<std::size_t>(pair);
    const long long end = end_of(block);
    if (end <= question_.normals[i]) {
        const auto last = static_cast<double>(end - 1);
        const double size_error = error_.size_error(last, pair, true);
        const double spread = error_.angle_spread(last, pair);
        if (reached(question_.ratios[i], spread, size_error, size_error) <= question_.bound.lo) return;
    }
    learn(pair, block);
    const Known& all = pairs_[i].all;
    for (long long query = block * block_size; query < end; ++query) {
        if (best && query >= best->query) return;
        const Known own = known(pair, query);
        const double spread = largest_difference(own.delta, all.delta);
        if (reached(question_.ratios[i], spread, own.size_error, all.size_error) > question_.bound.lo)
            look_closely(query, own, pair, best);
    }
}

void DriftSearch::learn(int pair, long long block) {
    Pair& learned = pairs_[static_cast<std::size_t>(pair)];
    const auto take = [](Known& whole, const Known& part) {
        whole.delta = {std::min(whole.delta.lo, part.delta.lo), std::max(whole.delta.hi, part.delta.hi)};
        whole.size_error = std::max(whole.size_error, part.size_error);
    };
    for (auto next = static_cast<long long>(learned.blocks.size()); next <= block; ++next) {
        learned.blocks.emplace_back();
        for (long long position = next * block_size; position < end_of(next); ++position)
            take(learned.blocks.back(), known(pair, position));
        take(learned.all, learned.blocks.back());
    }
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
    if (most(all) <= question_.bound.lo) return;
    const auto at = static_cast<double>(worst.query);
    if (const double least = least_scale(pair, block); question_.is_exact && least > 0)
        ratio = std::min(ratio, (error_.scales({at, at}, pair) / numerics::point(least)).hi);
    if (most(all) <= question_.bound.lo) return;
    const auto [exact, rounded] =
        turns(pair, worst.query / block_size)[static_cast<std::size_t>(worst.query % block_size)];
    const Turns& keys = turns(pair, block);
    for (long long key = block * block_size; key < end_of(block) && key <= worst.query; ++key) {
        if (most(known(pair, key)) <= question_.bound.lo) continue;
        ++keys_;
        const auto& [exact_key, rounded_key] = keys[static_cast<std::size_t>(key % block_size)];
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

const DriftSearch::Turns& DriftSearch::turns(int pair, long long block) {
    const auto found = turns_.find({pair, block});
    if (found != turns_.end()) return found->second;
    if (turns_.size() >= most_kept_blocks) turns_.clear();
    Turns& made = turns_[{pair, block}];
    for (long long position = block * block_size; position < end_of(block); ++position) {
        const auto p = static_cast<double>(position);
        made.emplace_back(error_.exact(p, pair), error_.rounded(p, pair));
    }
    return made;
}

}  // namespace farfield::quantity
