#include "claim/examine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <farfield/formula/printer.hpp>

#include "claim/expand.hpp"

namespace farfield::claim {

using core::Enclosure;
using core::Rigour;
using evaluate::Truth;
using formula::Kind;
using formula::Node;
using formula::Op;
using Results = std::vector<const core::Result*>;

namespace {

/// Above this many points a reduction is left to the program's own loop, which stores none of them.
constexpr double most_points = 1e7;
constexpr std::size_t most_steps = 16;

std::string number_text(double number) {
    return fmt::format("{:.10g}", number);
}

Truth negated(Truth truth) {
    if (truth == Truth::unknown) return truth;
    return truth == Truth::yes ? Truth::no : Truth::yes;
}

/// Three-valued "and": no if either is, yes if both are.
Truth both(Truth a, Truth b) {
    if (a == Truth::no || b == Truth::no) return Truth::no;
    return a == Truth::yes && b == Truth::yes ? Truth::yes : Truth::unknown;
}

void add_used(Finding& finding, const std::vector<Used>& used) {
    for (const Used& each : used) {
        const auto same = [&](const Used& other) { return other.label == each.label; };
        if (std::none_of(finding.used.begin(), finding.used.end(), same)) finding.used.push_back(each);
    }
}

void merge(Finding& into, const Finding& part) {
    add_used(into, part.used);
    into.steps.insert(into.steps.end(), part.steps.begin(), part.steps.end());
}

bool all_bounded(const std::vector<Used>& used) {
    return std::all_of(used.begin(), used.end(), [](const Used& each) { return each.cell.rigour != Rigour::none; });
}

bool lacks_value(const Used& used) {
    return !used.whole_series && (!used.cell.number || std::isnan(*used.cell.number));
}

std::string_view outcome(Truth truth) {
    if (truth == Truth::unknown) return "cannot be told";
    return truth == Truth::yes ? "holds" : "fails";
}

bool is_comparison(const Node& node) {
    if (node->kind != Kind::operation || node->children.size() != 2) return false;
    const std::string_view arguments = formula::row(node->op).arguments;
    return formula::row(node->op).result == formula::Type::boolean && arguments == "rr";
}

/// One value alone, whose line among the values used says all.
bool is_plain(const Node& node) {
    return node->kind == Kind::number || node->kind == Kind::name || node->kind == Kind::index ||
           (node->kind == Kind::operation && node->op == Op::negate && node->children[0]->kind == Kind::number);
}

std::string step_of(const Node& node, Truth truth, const Results& results) {
    std::string text = formula::print(node);
    if (!is_comparison(node)) return text + " " + std::string(outcome(truth));
    if (!is_plain(node->children[0]) || !is_plain(node->children[1])) {
        const Binding left(node->children[0], results, nullptr);
        const Binding right(node->children[1], results, nullptr);
        text += ": " + describe(left.enclose().front()) + " " + std::string(formula::row(node->op).spelling) + " " +
                describe(right.enclose().front());
    }
    return text + " " + std::string(outcome(truth));
}

Finding examine_leaf(const Node& node, const Results& results) {
    Finding finding;
    const Binding binding(node, results, nullptr);
    add_used(finding, binding.used());
    const bool lacks = std::any_of(binding.used().begin(), binding.used().end(), lacks_value);
    if (!lacks) finding.truth = binding.decide().front();
    // Numbers that are exactly equal overlap as intervals whenever they are no doubles.
    if (!lacks && finding.truth == Truth::unknown) finding.truth = binding.decide_exactly();
    finding.is_certain = finding.truth != Truth::unknown && all_bounded(binding.used());
    finding.steps.push_back(step_of(node, finding.truth, results));
    return finding;
}

Finding examine_pair(const Node& node, const Results& results) {
    Finding left = examine(node->children[0], results);
    const Finding right = examine(node->children[1], results);
    const bool disjunction = node->op == Op::logical_or;
    const Truth truth =
        disjunction ? negated(both(negated(left.truth), negated(right.truth))) : both(left.truth, right.truth);
    // One part settles an "and" that fails and an "or" that holds.
    const Truth settling = disjunction ? Truth::yes : Truth::no;
    const bool is_certain =
        truth == settling ? (left.truth == settling && left.is_certain) || (right.truth == settling && right.is_certain)
                          : left.is_certain && right.is_certain;
    merge(left, right);
    left.truth = truth;
    left.is_certain = is_certain;
    return left;
}

Node at_integer(const Node& body, const std::string& variable, double value) {
    return formula::substitute(body, {{variable, formula::make_number(value)}});
}

/// The first point at which the reduction is settled (a counterexample, an example) or, failing that, doubtful.
std::size_t deciding_point(const std::vector<Truth>& truths, Truth settling) {
    const auto settled = std::find(truths.begin(), truths.end(), settling);
    if (settled != truths.end()) return static_cast<std::size_t>(settled - truths.begin());
    return static_cast<std::size_t>(std::find(truths.begin(), truths.end(), Truth::unknown) - truths.begin());
}

/// Points that fast enclosures leave open, one by one as far as they are few, up to the first that settles the matter.
void decide_doubtful(const Node& body, const Varying& range, const Results& results, Truth settling,
                     std::vector<Truth>& truths) {
    std::size_t doubtful = 0;
    for (std::size_t i = 0; i < truths.size() && doubtful < most_doubtful; ++i) {
        if (truths[i] == Truth::unknown) {
            ++doubtful;
            const double value = range.from + static_cast<double>(i);
            truths[i] = examine(at_integer(body, range.name, value), results).truth;
        }
        if (truths[i] == settling) return;
    }
}

Finding examine_points(const Node& node, const Varying& range, const Results& results) {
    Finding finding;
    const bool universal = node->op == Op::for_all;
    const Truth settling = universal ? Truth::no : Truth::yes;
    const Node& body = node->children[2];
    const Binding binding(body, results, &range);
    add_used(finding, binding.used());
    std::vector<Truth> truths = range.count == 0 ? std::vector<Truth>{} : binding.decide();
    decide_doubtful(body, range, results, settling, truths);
    const std::size_t at = deciding_point(truths, settling);
    if (at == truths.size()) {
        finding.truth = negated(settling);
        finding.is_certain = all_bounded(binding.used());
        finding.steps.push_back(fmt::format("{} {} for all {} values of {}", formula::print(body),
                                            universal ? "holds" : "fails", range.count, range.name));
        return finding;
    }
    finding.truth = truths[at];
    const double value = range.from + static_cast<double>(at);
    const Finding there = examine(at_integer(body, range.name, value), results);
    finding.is_certain = finding.truth != Truth::unknown && there.truth == finding.truth && there.is_certain;
    finding.steps.push_back(fmt::format("{} first {} at {} = {}", formula::print(body), outcome(truths[at]), range.name,
                                        number_text(value)));
    merge(finding, there);
    return finding;
}

Finding examine_quantifier(const Node& node, const Results& results) {
    Enclosure bounds[2];
    Finding finding;
    for (std::size_t i = 0; i < 2; ++i) {
        const Binding bound(node->children[i], results, nullptr);
        add_used(finding, bound.used());
        bounds[i] = bound.enclose().front();
        const bool integer = bounds[i].lo == bounds[i].hi && std::floor(bounds[i].lo) == bounds[i].lo;
        if (!integer || std::isinf(bounds[i].lo)) {
            finding.steps.push_back(formula::print(node->children[i]) +
                                    ", a bound, is no known integer: " + describe(bounds[i]));
            return finding;
        }
    }
    const double count = std::max(0.0, bounds[1].lo - bounds[0].lo + 1);
    if (count > most_points) return examine_leaf(node, results);
    const Finding inner = examine_points(node, {node->text, bounds[0].lo, static_cast<std::size_t>(count)}, results);
    finding.is_certain = inner.is_certain && all_bounded(finding.used);
    merge(finding, inner);
    finding.truth = inner.truth;
    return finding;
}

}  // namespace

std::string describe(const Enclosure& enclosure) {
    if (!(enclosure.lo <= enclosure.hi) ||
        (std::isinf(enclosure.lo) && std::isinf(enclosure.hi) && enclosure.lo < 0 && enclosure.hi > 0)) {
        return "unknown";
    }
    if (enclosure.lo == enclosure.hi) return number_text(enclosure.lo);
    const double middle = enclosure.lo / 2 + enclosure.hi / 2;
    const double radius = enclosure.hi / 2 - enclosure.lo / 2;
    // A decimal between two neighbouring doubles.
    if (radius <= 4e-16 * std::abs(middle)) return number_text(middle);
    if (radius <= 1e-9 * std::abs(middle)) return fmt::format("{} within {:.1e}", number_text(middle), radius);
    return fmt::format("[{}, {}]", number_text(enclosure.lo), number_text(enclosure.hi));
}

std::string describe(const Used& used) {
    if (used.whole_series) return {};
    const core::Cell& cell = used.cell;
    if (lacks_value(used)) return used.label + " does not exist";
    if (!cell.printed.empty()) return used.label + " = " + cell.printed + " as printed";
    const std::string number = used.label + " = " + number_text(*cell.number);
    if (cell.rigour == Rigour::none || !cell.enclosure) return number + " (no error bound)";
    if (cell.rigour == Rigour::exact || cell.enclosure->lo == cell.enclosure->hi) return number + " exactly";
    const double radius = cell.enclosure->hi / 2 - cell.enclosure->lo / 2;
    if (radius <= 1e-9 * std::abs(*cell.number)) return number + fmt::format(" within {:.1e}", radius);
    return number + " in " + describe(*cell.enclosure);
}

Finding examine(const Node& condition, const Results& results) {
    Finding finding;
    const bool pair =
        condition->kind == Kind::operation && (condition->op == Op::logical_and || condition->op == Op::logical_or);
    const bool negation = condition->kind == Kind::operation && condition->op == Op::logical_not;
    const bool quantifier =
        condition->kind == Kind::reduction && (condition->op == Op::for_all || condition->op == Op::for_some);
    if (pair) {
        finding = examine_pair(condition, results);
    } else if (negation) {
        finding = examine(condition->children[0], results);
        finding.truth = negated(finding.truth);
    } else if (quantifier) {
        finding = examine_quantifier(condition, results);
    } else {
        finding = examine_leaf(condition, results);
    }
    if (finding.steps.size() > most_steps) finding.steps.resize(most_steps);
    return finding;
}

}  // namespace farfield::claim
