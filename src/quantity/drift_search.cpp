#include "quantity/drift_search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <farfield/numerics/fast/interval_functions.hpp>

#include "quantity/rounded.hpp"

namespace farfield::quantity {
namespace {

constexpr long long block_size = 64;
constexpr long long stretch_size = 4 * block_size;  // positions whose errors are computed at once
constexpr std::size_t most_kept_blocks = 8000;      // of 8 KiB each
constexpr long long most_kept_angles = 4096;        // stretches of 2 KiB

/// An upper bound of the error if |delta(q) - delta(k)| is at most `spread`.
double reached(double ratio, double spread, double first, double second) {
    // A rounded angle that is not proved to be a number.
    if (!std::isfinite(spread)) return numerics::infinity;
    // The chord of the angle; the last factor is over the rounding of this line.
    const double chord = spread < std::numbers::pi ? 2 * numerics::fast::sin(numerics::point(spread / 2)).hi : 2;
    return ratio * (chord + ((1 + first) * (1 + second) - 1)) * (1 + 1e-12);
}

double largest_difference(const core::Enclosure& a, const core::Enclosure& b) {
    return std::max(a.hi - b.lo, b.hi - a.lo);
}

}  // namespace

void DriftSearch::Known::include(const Known& other) {
    delta = {std::min(delta.lo, other.delta.lo), std::max(delta.hi, other.delta.hi)};
    size_error = std::max(size_error, other.size_error);
}

void DriftSearch::Blocks::add(const Known& block) {
    Known merged = block;
    for (std::size_t level = 0;; ++level) {
        if (level == levels_.size()) levels_.emplace_back();
        levels_[level].push_back(merged);
        const std::size_t count = levels_[level].size();
        if (count % 2 != 0) return;
        merged = levels_[level][count - 2];
        merged.include(levels_[level][count - 1]);
    }
}

DriftSearch::Known DriftSearch::Blocks::over(long long first, long long last) const {
    Known all;
    for (std::size_t level = 0; first <= last; ++level) {
        if (first % 2 != 0) all.include(levels_[level][static_cast<std::size_t>(first++)]);
        if (last % 2 == 0 && first <= last) all.include(levels_[level][static_cast<std::size_t>(last--)]);
        first /= 2;
        // The last remaining one is odd, or lies before the first.
        last = last < 0 ? -1 : last / 2;
        if (first > last) break;
    }
    return all;
}

DriftSearch::DriftSearch(const RotationError& error, DriftQuestion question)
    : error_(error), question_(std::move(question)) {
    for (const DriftPart& part : question_.parts)
        parts_.push_back(
            {side_of(part.query), side_of(part.key), std::vector<long long>(static_cast<std::size_t>(error.pairs()))});
}

std::size_t DriftSearch::side_of(const std::shared_ptr<const BoxFunction>& formula) {
    const auto same =
        std::find_if(sides_.begin(), sides_.end(), [&](const Side& side) { return side.formula == formula; });
    if (same != sides_.end()) return static_cast<std::size_t>(same - sides_.begin());
    sides_.push_back({formula, std::vector<Blocks>(static_cast<std::size_t>(error_.pairs()))});
    return sides_.size() - 1;
}

std::optional<Drifted> DriftSearch::run() {
    std::optional<Drifted> best;
    const long long blocks = (question_.longest + block_size - 1) / block_size;
    long long first = blocks;
    for (std::size_t part = 0; part < parts_.size(); ++part)
        for (int pair = 0; pair < error_.pairs(); ++pair) {
            const long long safe = parts_[part].safe[static_cast<std::size_t>(pair)] = safe_blocks(pair, part);
            first = std::min(first, safe);
        }
    for (long long block = first; block < blocks && !best; ++block)
        for (std::size_t part = 0; part < parts_.size(); ++part)
            for (int pair = 0; pair < error_.pairs(); ++pair)
                if (block >= parts_[part].safe[static_cast<std::size_t>(pair)]) look(block, pair, part, best);
    return best;
}

std::pair<long long, long long> DriftSearch::keys_of(std::size_t part, long long first_query,
                                                     long long last_query) const {
    const DriftPart& asked = question_.parts[part];
    const long long first = asked.most >= first_query ? 0 : first_query - asked.most;
    return {first, last_query - asked.least};
}

bool DriftSearch::is_safe_up_to(long long block, int pair, std::size_t part) const {
    const auto i = static_cast<std::size_t>(pair);
    const long long end = end_of(block);
    if (end > question_.normals[i]) return false;
    const DriftPart& asked = question_.parts[part];
    const auto last = static_cast<double>(end - 1);
    const double size_error = error_.size_error(last, pair, true);
    const bool is_own = !asked.query && !asked.key;
    const double position =
        is_own ? last
               : std::max(largest_position(parts_[part].query, end - 1), largest_position(parts_[part].key, end - 1));
    // Rounding a position changes the angle, unless the position is an integer that the format represents. A position
    // that is not finite has no angle.
    if (!is_own && (error_.rounds_positions() || !std::isfinite(position))) return false;
    const double distance = is_own ? std::min(last, static_cast<double>(asked.most)) : 2 * position;
    const double spread = error_.angle_spread(position, distance, pair);
    return reached(question_.ratios[i], spread, size_error, size_error) <= question_.bound.lo;
}

// If a block is proved safe, all blocks before it are safe too, so the bisection needs no monotonic bound.
long long DriftSearch::safe_blocks(int pair, std::size_t part) const {
    long long safe = 0, open = (question_.longest + block_size - 1) / block_size;
    if (open > 0 && is_safe_up_to(open - 1, pair, part)) return open;
    while (open - safe > 1) {
        const long long middle = safe + (open - safe) / 2;
        (is_safe_up_to(middle - 1, pair, part) ? safe : open) = middle;
    }
    return safe;
}

double DriftSearch::largest_position(std::size_t side, long long last) const {
    const std::shared_ptr<const BoxFunction>& formula = sides_[side].formula;
    if (!formula) return static_cast<double>(last);
    const Box tokens{{core::Enclosure{0, static_cast<double>(last)}}};
    const double largest = magnitudes(formula->over({tokens}, evaluate::Enclosing::rigorous).front()).hi;
    return std::isnan(largest) ? numerics::infinity : largest;
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

double DriftSearch::size_error(int pair, double position) const {
    const bool is_normal = position < static_cast<double>(question_.normals[static_cast<std::size_t>(pair)]);
    return error_.size_error(position, pair, is_normal);
}

double DriftSearch::position_of(std::size_t side, long long token) const {
    const Side& at = sides_[side];
    return at.formula ? at.positions[static_cast<std::size_t>(token)] : static_cast<double>(token);
}

DriftSearch::Known DriftSearch::known(std::size_t side, int pair, long long token) const {
    const double position = position_of(side, token);
    const double size = size_error(pair, static_cast<double>(token));
    if (std::isnan(position)) return {{-numerics::infinity, numerics::infinity}, size};
    const numerics::Interval delta = error_.angle_error(position, pair);
    return {{delta.lo, delta.hi}, size};
}

void DriftSearch::look(long long block, int pair, std::size_t part, std::optional<Drifted>& best) {
    const auto i = static_cast<std::size_t>(pair);
    const std::size_t query_side = parts_[part].query, key_side = parts_[part].key;
    const long long end = end_of(block);
    const auto [first, last] = keys_of(part, block * block_size, end - 1);
    if (last < first) return;
    learn(query_side, pair, block);
    learn(key_side, pair, last / block_size);
    const Known keys = sides_[key_side].pairs[i].over(first / block_size, last / block_size);
    const auto may_pass = [&](const Known& queries) {
        const double spread = largest_difference(queries.delta, keys.delta);
        return reached(question_.ratios[i], spread, queries.size_error, keys.size_error) > question_.bound.lo;
    };
    if (!may_pass(sides_[query_side].pairs[i].at(block))) return;
    for (long long query = block * block_size; query < end; ++query) {
        if (best && query >= best->query) return;
        const Known own = known(query_side, pair, query);
        if (may_pass(own)) look_closely(query, own, pair, part, best);
    }
}

void DriftSearch::learn(std::size_t side, int pair, long long block) {
    Side& at = sides_[side];
    Blocks& blocks = at.pairs[static_cast<std::size_t>(pair)];
    while (blocks.count() <= block) {
        const long long first = blocks.count() * block_size;
        if (!at.formula) {
            const long long end = std::min(first + stretch_size, question_.longest);
            for (const numerics::Interval& delta :
                 error_.angle_errors(first, end, block_size, pair, angles_of(first / stretch_size)))
                learn_block(blocks, pair, delta);
            continue;
        }
        const long long end = end_of(blocks.count());
        find_positions(at, end);
        Known all;
        for (long long token = first; token < end; ++token)
            if (token == first || position_of(side, token) != position_of(side, token - 1))
                all.include(known(side, pair, token));
        blocks.add(all);
    }
}

/// Finds the positions of the tokens up to `end`. A position that is not known to be a single number is NaN.
void DriftSearch::find_positions(Side& side, long long end) const {
    std::vector<Box> tokens;
    for (auto token = static_cast<long long>(side.positions.size()); token < end; ++token)
        tokens.push_back({{core::Enclosure::exactly(static_cast<double>(token))}});
    if (tokens.empty()) return;
    for (const core::Enclosure& value : side.formula->over(tokens, evaluate::Enclosing::rigorous))
        side.positions.push_back(value.lo == value.hi ? value.lo : std::numeric_limits<double>::quiet_NaN());
}

void DriftSearch::learn_block(Blocks& blocks, int pair, const numerics::Interval& delta) {
    const long long block = blocks.count(), end = end_of(block);
    Known here{{delta.lo, delta.hi}, 0};
    // It is a single number if all scales are normal.
    const bool is_normal = end <= question_.normals[static_cast<std::size_t>(pair)];
    for (long long position = is_normal ? end - 1 : block * block_size; position < end; ++position)
        here.size_error = std::max(here.size_error, size_error(pair, static_cast<double>(position)));
    blocks.add(here);
}

void DriftSearch::look_closely(long long query, const Known& own, int pair, std::size_t part,
                               std::optional<Drifted>& best) {
    const DriftPart& asked = question_.parts[part];
    const auto [first, last] = keys_of(part, query, query);
    Drifted worst{query, -1, pair, part, false, {0, 0}};
    for (long long block = first / block_size; block * block_size <= last && keys_ < question_.most_keys; ++block)
        compare(own, pair, block, worst);
    if (keys_ >= question_.most_keys) {
        best = Drifted{query, -1, pair, part, false, {0, 0}};
        return;
    }
    if (worst.error.hi <= question_.bound.lo) return;
    const long long distance = query - worst.key;
    worst.is_sure = question_.is_exact && worst.error.lo > question_.bound.hi && distance >= asked.sure_least &&
                    distance <= asked.sure_most;
    best = worst;
}

void DriftSearch::compare(const Known& query, int pair, long long block, Drifted& worst) {
    const auto i = static_cast<std::size_t>(pair);
    double ratio = question_.ratios[i];
    const auto most = [&](const Known& keys) {
        return reached(ratio, largest_difference(query.delta, keys.delta), query.size_error, keys.size_error);
    };
    const std::size_t query_side = parts_[worst.part].query, key_side = parts_[worst.part].key;
    // Keys within the bound are skipped, and so are keys that cannot be worse than the worst so far.
    const auto is_passed_over = [&](const Known& keys) {
        return most(keys) <= std::max(question_.bound.lo, worst.error.hi);
    };
    const Known& all = sides_[key_side].pairs[i].at(block);
    if (is_passed_over(all)) return;
    const auto at = static_cast<double>(worst.query);
    if (const double least = least_scale(pair, block); question_.is_exact && least > 0)
        ratio = std::min(ratio, (error_.scales({at, at}, pair) / numerics::point(least)).hi);
    if (is_passed_over(all)) return;
    const auto [exact, rounded] = turn(query_side, pair, worst.query);
    const auto [first, last] = keys_of(worst.part, worst.query, worst.query);
    const long long end = std::min(end_of(block), last + 1);
    for (long long key = std::max(block * block_size, first); key < end; ++key) {
        if (is_passed_over(known(key_side, pair, key))) continue;
        ++keys_;
        const auto& [exact_key, rounded_key] = turn(key_side, pair, key);
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

const std::pair<DriftSearch::Turn, DriftSearch::Turn>& DriftSearch::turn(std::size_t side, int pair, long long token) {
    const std::tuple<std::size_t, int, long long> place{side, pair, token / block_size};
    if (turns_.size() >= most_kept_blocks && turns_.find(place) == turns_.end()) turns_.clear();
    Turns& block = turns_[place];
    block.resize(static_cast<std::size_t>(block_size));
    auto& made = block[static_cast<std::size_t>(token % block_size)];
    const double p = position_of(side, token);
    if (!made) made.emplace(error_.exact(p, pair), error_.rounded(p, pair));
    return *made;
}

}  // namespace farfield::quantity
