#include "quantity/box_decider.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/derivative.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/numerics/interval.hpp>

#include "evaluate/closed.hpp"
#include "formula/comparison.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;
using evaluate::Enclosing;
using evaluate::Truth;
using formula::Node;
using formula::Op;
using numerics::Interval;

constexpr std::size_t most_members = 10'000'000;
/// The most members of a clause to which the mean value form is applied.
constexpr std::size_t most_by_slope = 64;
/// With more members, a box that fails at its centre is checked only for the members that fail worst there.
constexpr std::size_t fewest_to_choose_from = 128;
constexpr std::size_t most_failing = 8;
/// Members that are evaluated at 128 bits at once.
constexpr std::size_t most_with_digits = 8;

Answer answer_of(Truth truth) {
    return truth == Truth::yes ? Answer::yes : truth == Truth::no ? Answer::no : Answer::unknown;
}

Answer opposite(Answer answer) {
    return answer == Answer::yes ? Answer::no : answer == Answer::no ? Answer::yes : Answer::unknown;
}

bool is_operation(const Node& tree, Op op) {
    return tree->kind == formula::Kind::operation && tree->op == op;
}

/// The comparison of two numbers that holds if and only if this one does not.
std::optional<Op> opposite(Op comparison) {
    switch (comparison) {
        case Op::less: return Op::greater_equal;
        case Op::less_equal: return Op::greater;
        case Op::greater: return Op::less_equal;
        case Op::greater_equal: return Op::less;
        case Op::equals: return Op::differs;
        case Op::differs: return Op::equals;
        default: return std::nullopt;
    }
}

Truth negated(Truth truth) {
    return truth == Truth::yes ? Truth::no : truth == Truth::no ? Truth::yes : Truth::unknown;
}

/// How the difference of two numbers in these bounds compares with zero.
Truth compare(const Interval& x, Op comparison) {
    switch (comparison) {
        case Op::less: return x.hi < 0 ? Truth::yes : x.lo >= 0 ? Truth::no : Truth::unknown;
        case Op::less_equal: return x.hi <= 0 ? Truth::yes : x.lo > 0 ? Truth::no : Truth::unknown;
        case Op::equals:
            if (x.lo > 0 || x.hi < 0) return Truth::no;
            return x.lo == 0 && x.hi == 0 ? Truth::yes : Truth::unknown;
        default: return negated(compare(x, *opposite(comparison)));
    }
}

/// How far the bounds are from refuting the comparison; the member with the smallest value is tried first.
double nearness_of(const Enclosure& x, Op comparison) {
    const bool wants_large = comparison == Op::greater || comparison == Op::greater_equal;
    const bool wants_small = comparison == Op::less || comparison == Op::less_equal;
    return wants_large ? x.hi : wants_small ? -x.lo : x.width();
}

std::optional<std::int64_t> integer_of(const Node& tree) {
    const std::optional<numerics::Rational> value = evaluate::exact_value(tree);
    return value ? numerics::counted(*value) : std::nullopt;
}

}  // namespace

/// Splits a condition into clauses.
struct BoxDecider::Split {
    std::vector<Clause>& clauses;

    void add(const Node& tree, bool is_negated, const Clause* around = nullptr) {
        if (is_operation(tree, Op::logical_not)) {
            add(tree->children[0], !is_negated, around);
        } else if (is_operation(tree, is_negated ? Op::logical_or : Op::logical_and)) {
            for (const Node& child : tree->children) add(child, is_negated, around);
        } else if (const std::optional<Clause> range = members_of(tree, is_negated); range && around == nullptr) {
            if (range->count > 0) add(tree->children[2], is_negated, &*range);
        } else {
            Clause clause = around == nullptr ? Clause{} : *around;
            clause.body = !is_negated                    ? tree
                          : formula::is_comparison(tree) ? formula::make(*opposite(tree->op), tree->children)
                                                         : formula::make(Op::logical_not, {tree});
            clauses.push_back(std::move(clause));
        }
    }

    static std::optional<Clause> members_of(const Node& tree, bool is_negated) {
        if (tree->kind != formula::Kind::reduction || tree->op != (is_negated ? Op::for_some : Op::for_all))
            return std::nullopt;
        const std::optional<std::int64_t> from = integer_of(tree->children[0]);
        const std::optional<std::int64_t> to = integer_of(tree->children[1]);
        if (!from || !to) return std::nullopt;
        // Members are doubles, so beyond 2^53 the condition is evaluated as a whole.
        constexpr std::int64_t farthest = std::int64_t{1} << 53;
        if (*from < -farthest || *to > farthest) return std::nullopt;
        const double count = std::max(0.0, static_cast<double>(*to) - static_cast<double>(*from) + 1);
        if (count > static_cast<double>(most_members)) return std::nullopt;
        return Clause{{}, tree->text, *from, static_cast<std::size_t>(count)};
    }
};

std::size_t BoxDecider::Open::size() const {
    return std::accumulate(left.begin(), left.end(), std::size_t{1},
                           [](std::size_t sum, const auto& members) { return sum + (members ? members->size() : 0); });
}

BoxDecider::BoxDecider(const Node& condition, const Domain& domain)
    : condition_(condition), domain_(domain), has_value_(formula::defined(condition), domain) {
    Node inner = condition;
    for (; is_operation(inner, Op::logical_not); inner = inner->children[0]) is_opposite_ = !is_opposite_;
    const bool is_some = inner->kind == formula::Kind::reduction && inner->op == Op::for_some;
    const bool is_all = inner->kind == formula::Kind::reduction && inner->op == Op::for_all;
    // `inner` is a disjunction or a conjunction. The negation of a disjunction is a conjunction of clauses, and so is a
    // conjunction itself.
    const bool is_disjunction = is_some || is_operation(inner, Op::logical_or);
    const bool is_conjunction = is_all || is_operation(inner, Op::logical_and);
    if (is_disjunction || is_conjunction) {
        is_opposite_ = is_opposite_ != is_disjunction;
        Split{clauses_}.add(inner, is_disjunction);
    } else {
        Split{clauses_}.add(inner, std::exchange(is_opposite_, false));
    }
    for (Clause& clause : clauses_) prepare(clause);
}

void BoxDecider::prepare(Clause& clause) const {
    const std::vector<std::string> variables = domain_.variables();
    const formula::Signature signature{
        variables,
        clause.variable.empty() ? std::vector<std::string>{} : std::vector<std::string>{clause.variable},
        {}};
    if (!formula::is_comparison(clause.body)) {
        clause.program = formula::compile(clause.body, signature);
        return;
    }
    clause.comparison = clause.body->op;
    const Node difference = formula::make(Op::subtract, clause.body->children);
    clause.program = formula::compile(formula::simplify(difference), signature);
    for (const std::string& variable : variables)
        clause.slopes.push_back(formula::compile(formula::derivative(difference, variable), signature));
    formula::Condition regular = formula::regular(difference, formula::Regularity::lipschitz, variables);
    if (!clause.variable.empty() && regular.kind == formula::Condition::Kind::depends) {
        const Node first = exact_node(numerics::Rational(clause.first));
        const Node last = exact_node(numerics::Rational(clause.first + static_cast<std::int64_t>(clause.count) - 1));
        regular =
            formula::Condition::of(formula::make_reduction(Op::for_all, clause.variable, first, last, regular.tree));
    }
    clause.is_lipschitz.emplace(regular, domain_);
}

BoxDecider::Open BoxDecider::whole() const {
    Open open{domain_.whole(), has_value_.is_always(), {}, std::vector<bool>(clauses_.size(), false), std::nullopt};
    for (const Clause& clause : clauses_) {
        Members members(clause.count);
        std::iota(members.begin(), members.end(), std::uint32_t{0});
        open.left.push_back(std::make_shared<const Members>(std::move(members)));
    }
    return open;
}

Answer BoxDecider::decide(Open& open, Enclosing how) const {
    if (!open.has_value) open.has_value = has_value_.decide({open.box}, how).front() == Truth::yes;
    if (!open.has_value) return Answer::unknown;
    Answer answer = decide_clauses(open, how);
    if (is_opposite_) answer = opposite(answer);
    if (answer == Answer::unknown && how == Enclosing::rigorous && domain_.is_point(open.box)) return exactly(open.box);
    return answer;
}

/// Whether all clauses hold.
Answer BoxDecider::decide_clauses(Open& open, Enclosing how) const {
    std::vector<double> nearness;
    if (how == Enclosing::fast) open.needs_digits = false;
    if (open.suspect) {
        const Clause& clause = clauses_[open.suspect->clause];
        if (answers(clause, open.box, {open.suspect->member}, how, nearness).front() == Answer::no) return Answer::no;
    }
    bool all_hold = true;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < clauses_.size(); ++c) {
        if (!open.left[c]) continue;
        const Clause& clause = clauses_[c];
        const Members& members = *open.left[c];
        if (clause.is_lipschitz && !open.is_lipschitz[c])
            open.is_lipschitz[c] = clause.is_lipschitz->decide({open.box}, how).front() == Truth::yes;
        const bool use_them = open.is_lipschitz[c] && how == Enclosing::fast;
        if (const Members failing = how == Enclosing::fast ? failing_at_centre(clause, open.box, members) : Members{};
            !failing.empty()) {
            // The condition does not hold on the whole box. Next, check whether one of these members fails on all of
            // it.
            std::vector<Answer> found = answers(clause, open.box, failing, how, nearness);
            const bool needs_digits = use_them && use_slopes(clause, open.box, failing, found);
            if (needs_digits && std::find(found.begin(), found.end(), Answer::no) == found.end())
                found.front() = answers(clause, open.box, {failing.front()}, Enclosing::rigorous, nearness).front();
            const auto refuted = std::find(found.begin(), found.end(), Answer::no);
            const auto at = refuted == found.end() ? 0 : refuted - found.begin();
            open.suspect = Refuter{c, failing[static_cast<std::size_t>(at)]};
            if (refuted != found.end()) return Answer::no;
            all_hold = false;
            nearest = -std::numeric_limits<double>::infinity();
            continue;
        }
        std::vector<Answer> found = answers(clause, open.box, members, how, nearness);
        if (use_them && use_slopes(clause, open.box, members, found)) open.needs_digits = true;
        Members left;
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (found[i] == Answer::yes) continue;
            if (found[i] == Answer::no || nearness[i] < nearest) {
                open.suspect = Refuter{c, members[i]};
                nearest = nearness[i];
            }
            if (found[i] == Answer::no) return Answer::no;
            left.push_back(members[i]);
        }
        all_hold = all_hold && left.empty();
        if (left.empty())
            open.left[c].reset();
        else if (left.size() < members.size())
            open.left[c] = std::make_shared<const Members>(std::move(left));
    }
    return all_hold ? Answer::yes : Answer::unknown;
}

/// Of many members, those that fail worst at the centre of the box. This uses doubles, which only choose what is tried.
BoxDecider::Members BoxDecider::failing_at_centre(const Clause& clause, const Box& box, const Members& members) const {
    if (!clause.comparison || members.size() < fewest_to_choose_from) return {};
    const Box centre = domain_.centre(box);
    evaluate::Inputs inputs;
    for (std::size_t i = 0; i < centre.sides.size(); ++i) {
        const Enclosure side = domain_.values(centre, i);
        inputs.uniform.push_back(numerics::midpoint({side.lo, side.hi}));
    }
    std::vector<double> lane;
    lane.reserve(members.size());
    for (const std::uint32_t member : members) lane.push_back(static_cast<double>(clause.first + member));
    inputs.varying.emplace_back(std::span<const double>(lane));
    inputs.points = members.size();
    const std::vector<double> values = evaluate::evaluate(clause.program, inputs);
    std::vector<std::pair<double, std::uint32_t>> failing;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Enclosure value = Enclosure::exactly(values[i]);
        if (!std::isnan(values[i]) && compare({values[i], values[i]}, *clause.comparison) == Truth::no)
            failing.emplace_back(nearness_of(value, *clause.comparison), members[i]);
    }
    const std::size_t kept = std::min(failing.size(), most_failing);
    std::partial_sort(failing.begin(), failing.begin() + static_cast<std::ptrdiff_t>(kept), failing.end());
    Members worst;
    for (std::size_t i = 0; i < kept; ++i) worst.push_back(failing[i].second);
    return worst;
}

evaluate::EnclosedInputs BoxDecider::inputs(const Clause& clause, const Box& box, const Members& members) const {
    evaluate::EnclosedInputs result;
    for (std::size_t i = 0; i < box.sides.size(); ++i) result.uniform.push_back(domain_.values(box, i));
    result.points = members.size();
    if (clause.variable.empty()) return result;
    std::vector<Enclosure> lane;
    lane.reserve(members.size());
    for (const std::uint32_t member : members)
        lane.push_back(Enclosure::exactly(static_cast<double>(clause.first + member)));
    result.varying.push_back(std::move(lane));
    return result;
}

std::vector<Enclosure> BoxDecider::enclose(const Clause& clause, const formula::Program& program, const Box& box,
                                           const Members& members, Enclosing how) const {
    return evaluate::enclose(program, inputs(clause, box, members), how);
}

/// Uses more digits only for members that doubles leave undecided, several at a time, so that the parts that do not
/// depend on the member are computed once for all of them.
std::vector<Answer> BoxDecider::answers_of_open(const Clause& clause, const Box& box, const Members& members,
                                                std::vector<double>& nearness) const {
    std::vector<Answer> found = answers(clause, box, members, Enclosing::fast, nearness);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < members.size(); ++i)
        if (found[i] == Answer::unknown) open.push_back(i);
    bool is_refuted = false;
    for (std::size_t done = 0; done < open.size() && !is_refuted; done += most_with_digits) {
        const std::size_t end = std::min(open.size(), done + most_with_digits);
        Members some;
        for (std::size_t i = done; i < end; ++i) some.push_back(members[open[i]]);
        std::vector<double> nearness_of_some;
        const std::vector<Answer> digits = answers_of_all(clause, box, some, Enclosing::rigorous, nearness_of_some);
        for (std::size_t i = 0; i < some.size(); ++i) {
            found[open[done + i]] = digits[i];
            nearness[open[done + i]] = nearness_of_some[i];
            is_refuted = is_refuted || digits[i] == Answer::no;
        }
    }
    return found;
}

/// The answers of natural interval evaluation for each member, and how far each is from a refutation.
std::vector<Answer> BoxDecider::answers(const Clause& clause, const Box& box, const Members& members, Enclosing how,
                                        std::vector<double>& nearness) const {
    if (how == Enclosing::rigorous && members.size() > 1) return answers_of_open(clause, box, members, nearness);
    return answers_of_all(clause, box, members, how, nearness);
}

std::vector<Answer> BoxDecider::answers_of_all(const Clause& clause, const Box& box, const Members& members,
                                               Enclosing how, std::vector<double>& nearness) const {
    std::vector<Answer> found;
    found.reserve(members.size());
    nearness.assign(members.size(), 0);
    if (!clause.comparison) {
        for (const Truth truth : evaluate::decide(clause.program, inputs(clause, box, members), how))
            found.push_back(answer_of(truth));
        return found;
    }
    const std::vector<Enclosure> values = enclose(clause, clause.program, box, members, how);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool is_known = !is_unknown(values[i]);
        found.push_back(is_known ? answer_of(compare({values[i].lo, values[i].hi}, *clause.comparison))
                                 : Answer::unknown);
        nearness[i] = nearness_of(values[i], *clause.comparison);
    }
    return found;
}

/// Uses the mean value form f(c) + f'(X)(X - c) if few members are left. Returns whether a member stays undecided whose
/// value at c itself is not known any better.
bool BoxDecider::use_slopes(const Clause& clause, const Box& box, const Members& members,
                            std::vector<Answer>& found) const {
    Members open;
    for (std::size_t i = 0; i < members.size(); ++i)
        if (found[i] == Answer::unknown) open.push_back(members[i]);
    if (open.empty() || open.size() > most_by_slope || domain_.is_point(box)) return false;
    const Box centre = domain_.centre(box);
    const std::vector<Enclosure> values = enclose(clause, clause.program, centre, open, Enclosing::fast);
    std::vector<Interval> sums;
    sums.reserve(values.size());
    for (const Enclosure& value : values) sums.push_back(interval_of(value));
    for (std::size_t k = 0; k < clause.slopes.size(); ++k) {
        const Enclosure side = domain_.values(box, k);
        const Enclosure middle = domain_.values(centre, k);
        const Interval reach = Interval{side.lo, side.hi} - Interval{middle.lo, middle.hi};
        const std::vector<Enclosure> slopes = enclose(clause, clause.slopes[k], box, open, Enclosing::fast);
        for (std::size_t i = 0; i < open.size(); ++i) sums[i] = sums[i] + interval_of(slopes[i]) * reach;
    }
    bool needs_digits = false;
    std::size_t at = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (found[i] != Answer::unknown) continue;
        const Interval& sum = sums[at];
        const double noise = values[at++].width();
        if (numerics::is_undefined(sum)) continue;
        found[i] = answer_of(compare(sum, *clause.comparison));
        needs_digits = needs_digits || (found[i] == Answer::unknown && noise >= (sum.hi - sum.lo) / 2);
    }
    return needs_digits;
}

Answer BoxDecider::exactly(const Box& point) const {
    return answer_of(evaluate::decide_exactly(formula::substitute(condition_, domain_.exact_point(point))));
}

std::string BoxDecider::text(const Refuter& refuter) const {
    const Clause& clause = clauses_[refuter.clause];
    if (clause.variable.empty()) return "";
    return clause.variable + " = " + std::to_string(clause.first + refuter.member);
}

}  // namespace farfield::quantity
