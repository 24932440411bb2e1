#include "quantity/reach.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>
#include <set>

#include <farfield/core/diagnostic.hpp>
#include <farfield/evaluate/reference.hpp>
#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/simplify.hpp>

#include "evaluate/closed.hpp"
#include "formula/comparison.hpp"
#include "numerics/rational.hpp"
#include "quantity/box_function.hpp"

namespace farfield::quantity {
namespace {

using evaluate::Truth;
using formula::Node;
using formula::Op;

constexpr std::size_t most_boxes = 200'000'000;
constexpr std::size_t most_span_boxes = 4'000'000;
constexpr std::size_t batch = 4096;

Dimension positions(const char* variable, double from, double count) {
    return {variable, true, {from, 1, static_cast<std::uint64_t>(count)}, {}};
}

/// The condition under which `tree` has the wanted truth value because of parts that have a value.
formula::Condition comes_out(const Node& tree, bool wanted) {
    const auto is = [&](Op op) { return tree->kind == formula::Kind::operation && tree->op == op; };
    if (is(Op::logical_not)) return comes_out(tree->children[0], !wanted);
    if (is(Op::logical_and) || is(Op::logical_or)) {
        const formula::Condition a = comes_out(tree->children[0], wanted);
        const formula::Condition b = comes_out(tree->children[1], wanted);
        return is(Op::logical_and) == wanted ? formula::both(a, b) : formula::either(a, b);
    }
    const Node leaf = wanted ? tree : formula::make(Op::logical_not, {tree});
    return formula::both(formula::Condition::of(leaf), formula::defined_by_inputs(tree));
}

/// Decides the truth on boxes. A point that fast arithmetic leaves undecided is decided with slow arithmetic, or
/// refused.
class Decider {
public:
    Decider(const Node& condition, const Domain& domain, const core::Place& place)
        : domain_(domain), condition_(condition), holds_(comes_out(condition, true), domain), place_(place) {
        if (!formula::defined_by_inputs(condition).is_always()) fails_.emplace(comes_out(condition, false), domain);
    }

    std::vector<Truth> operator()(const std::vector<Box>& boxes) {
        looked_at_ += boxes.size();
        if (looked_at_ > most_boxes)
            refuse("the mask is too irregular to follow over this length",
                   "a shorter 'length', or a mask of n = q - k alone");
        std::vector<Truth> truths = decided(boxes, evaluate::Enclosing::fast);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            if (truths[i] != Truth::unknown || !domain_.is_point(boxes[i])) continue;
            truths[i] = decided({boxes[i]}, evaluate::Enclosing::rigorous).front();
            if (truths[i] == Truth::unknown) truths[i] = exactly_at(boxes[i]);
            if (truths[i] == Truth::unknown)
                refuse("the mask cannot be decided at " + domain_.text(boxes[i]),
                       "a condition that is true or false there");
        }
        return truths;
    }

    std::size_t looked_at() const { return looked_at_; }

private:
    /// If every part has a value, the condition fails wherever it does not hold.
    std::vector<Truth> decided(const std::vector<Box>& boxes, evaluate::Enclosing how) const {
        std::vector<Truth> truths = holds_.decide(boxes, how);
        if (!fails_) return truths;
        const std::vector<Truth> fails = fails_->decide(boxes, how);
        for (std::size_t i = 0; i < boxes.size(); ++i)
            if (truths[i] != Truth::yes) truths[i] = fails[i] == Truth::yes ? Truth::no : Truth::unknown;
        return truths;
    }

    /// By rational arithmetic, which decides ties: 4 <= 0.1*40.
    Truth exactly_at(const Box& box) const {
        const std::vector<std::string> names = domain_.variables();
        evaluate::ExactValues values;
        values.value = [&](const std::string& name) -> std::optional<numerics::Rational> {
            const auto found = std::find(names.begin(), names.end(), name);
            if (found == names.end()) return std::nullopt;
            return numerics::exactly(domain_.values(box, static_cast<std::size_t>(found - names.begin())).lo);
        };
        return evaluate::decide_exactly(condition_, values);
    }

    [[noreturn]] void refuse(std::string found, std::string wanted) const {
        throw core::UserError({core::Diagnostic{place_, std::move(found), std::move(wanted), {}}});
    }

    const Domain& domain_;
    Node condition_;
    BoxCondition holds_;
    std::optional<BoxCondition> fails_;  ///< nothing if every part has a value
    core::Place place_;
    std::size_t looked_at_ = 0;
};

long long integer(double index) {
    return static_cast<long long>(index);
}

/// All distances, including negative ones, at which a condition on n holds.
Runs distances_of(const Node& condition, long long length, const core::Place& place) {
    const double lowest = static_cast<double>(1 - length);
    const Domain domain({positions("n", lowest, static_cast<double>(2 * length - 1))});
    Decider decide(condition, domain, place);
    std::vector<Run> runs;
    std::vector<Box> level = {domain.whole()};
    while (!level.empty()) {
        const std::vector<Truth> truths = decide(level);
        std::vector<Box> next;
        for (std::size_t i = 0; i < level.size(); ++i) {
            const core::Enclosure side = domain.values(level[i], 0);
            if (truths[i] == Truth::yes) runs.push_back({integer(side.lo), integer(side.hi)});
            if (truths[i] != Truth::unknown) continue;
            for (Box& half : domain.halves(level[i])) next.push_back(std::move(half));
        }
        level = std::move(next);
    }
    return Runs(std::move(runs));
}

bool uses(const Node& tree, const std::string& name) {
    const std::vector<std::string> names = formula::free_names(tree);
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Rewrites every comparison a < b as simplify(a - b) < 0, if both sides have a value everywhere, and a < inf or
/// a < -inf as simplify(a) < inf or -inf.
Node with_one_side(const Node& tree) {
    if (tree->kind != formula::Kind::operation) return tree;
    if (formula::is_comparison(tree->op) && row(tree->op).arguments == "rr") {
        const Node& left = tree->children[0];
        const Node& right = tree->children[1];
        if (formula::is_infinite(right) && formula::defined(left).is_always())
            return formula::make(tree->op, {formula::simplify(left), right});
        const Node difference = formula::make(Op::subtract, tree->children);
        if (!formula::defined(difference).is_always()) return tree;
        return formula::make(tree->op, {formula::simplify(difference), formula::make_number("0")});
    }
    std::vector<Node> children;
    for (const Node& child : tree->children) children.push_back(with_one_side(child));
    return formula::make(tree->op, std::move(children));
}

/// Sizes b of every floor(q/b) or floor(k/b) in the tree.
void collect_sizes(const Node& tree, std::set<long long>& sizes) {
    if (tree->kind == formula::Kind::operation && tree->op == Op::floor) {
        const Node& inside = tree->children[0];
        const std::vector<std::string> names = formula::free_names(inside);
        if (names.size() == 1 && formula::indexed_names(inside).empty()) {
            const double size = 1 / evaluate::reference(inside, {{{names[0], 1.0}}, {}});
            if (size >= 1 && size < 1e9 && std::abs(size - std::round(size)) < 1e-9 * size)
                sizes.insert(std::llround(size));
        }
    }
    for (const Node& child : tree->children) collect_sizes(child, sizes);
}

}  // namespace

std::optional<Node> on_distance(const Node& mask) {
    const Node sum = formula::make(Op::add, {formula::make_name("k"), formula::make_name("n")});
    const Node moved = with_one_side(formula::substitute(mask, {{"q", sum}}));
    if (uses(moved, "k")) return std::nullopt;
    return moved;
}

MaskReach::MaskReach(const Node& mask, long long length, const core::Place& place)
    : mask_(mask), length_(length), place_(place) {
    if (const std::optional<Node> condition = on_distance(mask)) distances_ = distances_of(*condition, length, place);
}

Runs MaskReach::seen_from(const Runs& queries) const {
    if (distances_) return queries.united(differences(queries, *distances_, length_));
    Runs known = queries;
    for (const Run& run : queries.list()) known = known.united(seen_from(run, known));
    return known;
}

/// The queries at both ends are processed first: keys that are visible to them need not be checked for the queries
/// between.
Runs MaskReach::seen_from(const Run& queries, const Runs& known) const {
    const Run all{0, length_ - 1};
    Runs seen = known;
    for (const long long end : {queries.first, queries.last}) seen = decided({end, end}, seen.missing_from(all), seen);
    return queries.last - queries.first < 2 ? seen : decided(queries, seen.missing_from(all), seen);
}

Runs MaskReach::decided(const Run& queries, const Runs& keys, const Runs& known) const {
    const Domain domain(
        {positions("q", static_cast<double>(queries.first), static_cast<double>(queries.last - queries.first + 1)),
         positions("k", 0, static_cast<double>(length_))});
    Decider decide(mask_, domain, place_);
    std::vector<Box> level;
    for (const Run& run : keys.list()) {
        level.push_back(domain.whole());
        level.back().sides[1] = {static_cast<double>(run.first), static_cast<double>(run.last)};
    }
    Runs seen = known;
    while (!level.empty()) {
        const std::vector<Truth> truths = decide(level);
        std::vector<Run> found;
        for (std::size_t i = 0; i < level.size(); ++i)
            if (truths[i] == Truth::yes)
                found.push_back({integer(level[i].sides[1].lo), integer(level[i].sides[1].hi)});
        if (!found.empty()) seen = seen.united(Runs(std::move(found)));
        std::vector<Box> next;
        for (std::size_t i = 0; i < level.size(); ++i) {
            const core::Enclosure side = level[i].sides[1];
            if (truths[i] != Truth::unknown || seen.contains({integer(side.lo), integer(side.hi)})) continue;
            const bool cuts_queries = level[i].sides[0].width() > side.width();
            for (Box& half : domain.halves(level[i], cuts_queries ? 0 : 1)) next.push_back(std::move(half));
        }
        level = std::move(next);
    }
    return seen;
}

std::optional<long long> MaskReach::span() const {
    if (distances_) return distances_->empty() ? 1 : std::max(1LL, distances_->list().back().last + 1);
    // Boxes of q and n, those with the largest distances first.
    const Node key = formula::make(Op::subtract, {formula::make_name("q"), formula::make_name("n")});
    const Node is_key = formula::make(Op::greater_equal, {key, formula::make_number("0")});
    const Node condition = formula::make(Op::logical_and, {is_key, formula::substitute(mask_, {{"k", key}})});
    const Domain domain(
        {positions("n", 0, static_cast<double>(length_)), positions("q", 0, static_cast<double>(length_))});
    Decider decide(condition, domain, place_);
    const auto is_nearer = [](const Box& a, const Box& b) { return a.sides[0].hi < b.sides[0].hi; };
    std::priority_queue<Box, std::vector<Box>, decltype(is_nearer)> open(is_nearer);
    open.push(domain.whole());
    long long largest = 0;
    while (!open.empty() && integer(open.top().sides[0].hi) > largest) {
        std::vector<Box> boxes;
        while (!open.empty() && boxes.size() < batch) {
            boxes.push_back(open.top());
            open.pop();
        }
        if (decide.looked_at() > most_span_boxes) return std::nullopt;
        const std::vector<Truth> truths = decide(boxes);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            if (truths[i] == Truth::yes) largest = std::max(largest, integer(boxes[i].sides[0].hi));
            if (truths[i] != Truth::unknown) continue;
            for (Box& half : domain.halves(boxes[i])) open.push(std::move(half));
        }
    }
    return largest + 1;
}

bool MaskReach::is_block_mask(const Blocks& blocks) const {
    const double size = static_cast<double>(blocks.size);
    const double length = static_cast<double>(length_);
    const Domain domain({positions("q", 0, length), positions("k", 0, length)});
    const BoxCondition condition(formula::Condition::of(mask_), domain);
    std::vector<Box> all;
    std::vector<Box> none;
    for (double block = 0; block * size < length; ++block) {
        const core::Enclosure queries{block * size, std::min(length, (block + 1) * size) - 1};
        const double first = std::max(0.0, (block - static_cast<double>(blocks.earlier)) * size);
        if (first > 0) none.push_back({{queries, {0, first - 1}}});
        if (first < queries.lo) all.push_back({{queries, {first, queries.lo - 1}}});
    }
    const double last = length - 1;
    all.push_back({{{last, last}, {std::floor(last / size) * size, last}}});
    const auto are = [&](const std::vector<Box>& boxes, Truth truth) {
        const std::vector<Truth> truths = condition.decide(boxes, evaluate::Enclosing::fast);
        return std::all_of(truths.begin(), truths.end(), [&](Truth found) { return found == truth; });
    };
    return are(all, Truth::yes) && are(none, Truth::no);
}

std::optional<MaskReach::Blocks> MaskReach::blocks() const {
    if (distances_) return std::nullopt;
    std::set<long long> sizes;
    collect_sizes(mask_, sizes);
    const Runs last = seen_from(Runs({{length_ - 1, length_ - 1}}));
    for (const long long size : sizes) {
        const long long block = (length_ - 1) / size;
        const Blocks found{size, block - last.list().front().first / size};
        if (is_block_mask(found)) return found;
    }
    return std::nullopt;
}

}  // namespace farfield::quantity
