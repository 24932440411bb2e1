#include "claim/examine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/numerics/interval.hpp>

#include "claim/expand.hpp"
#include "numerics/counting.hpp"

namespace farfield::claim {

using core::Enclosure;
using core::Rigour;
using evaluate::Truth;
using formula::Kind;
using formula::Node;
using formula::Op;
using Results = std::vector<const core::Result*>;

namespace {

/// With more points, a reduction is evaluated by the loop of the program, which does not store the points.
constexpr double most_points = 1e7;
constexpr std::size_t most_steps = 16;

constexpr int usual_digits = 10;
using numerics::infinity;

std::string number_text(double number, int digits = usual_digits) {
    return fmt::format("{:.{}g}", number, digits);
}

bool is_bounded(const Enclosure& enclosure) {
    return enclosure.lo <= enclosure.hi && (enclosure.lo > -infinity || enclosure.hi < infinity);
}

/// A shorter decimal may replace an end if the two differ by at most this share of the enclosure's width.
constexpr double most_lost = 1e-6;

/// An end of an enclosure as a decimal that is not inside the enclosure. It is rounded outward, except if a short
/// decimal is as good as the end, as 5.495 is for the double below it.
std::string end_text(double end, double direction, double width, int digits) {
    std::string nearest = number_text(end, digits);
    if (!std::isfinite(end) || end == 0) return nearest;
    const numerics::Rational exact = numerics::exactly(end);
    // How far the decimal lies inside the enclosure; nothing for a decimal beyond the range of doubles.
    const auto lost = [&](const std::string& text) {
        const numerics::Rational inside = exact - numerics::read_rational(text).value_or(exact);
        return direction > 0 ? inside : numerics::Rational(-inside);
    };
    const double allowed = std::isfinite(width) ? most_lost * width : 0;
    if (lost(nearest) <= numerics::exactly(allowed)) return nearest;
    const double unit = std::pow(10, std::floor(std::log10(std::abs(end))) - digits + 1);
    for (const double moved : {unit / 2, unit, 2 * unit}) {
        std::string text = number_text(end + direction * moved, digits);
        if (lost(text) <= 0) return text;
    }
    return number_text(end + direction * 10 * unit, digits);
}

/// The number that is shown for an enclosure of a relative width up to 1e-9, and a radius that contains the enclosure.
/// Digits are added until their error is at most half the enclosure's width.
std::string within_text(double number, const Enclosure& enclosure) {
    constexpr int all_digits = 17;
    const double half = enclosure.hi / 2 - enclosure.lo / 2;
    std::string text;
    numerics::Rational radius;
    for (int digits = usual_digits; digits <= all_digits; ++digits) {
        text = number_text(number, digits);
        const numerics::Rational exact = numerics::exactly(number);
        const numerics::Rational shown = numerics::read_rational(text).value_or(exact);
        const numerics::Rational above = numerics::exactly(enclosure.hi) - shown;
        const numerics::Rational below = shown - numerics::exactly(enclosure.lo);
        radius = above < below ? below : above;
        const numerics::Rational off = shown < exact ? exact - shown : shown - exact;
        if (off <= numerics::exactly(half)) break;
    }
    const double upper = numerics::enclose(radius).hi;
    std::string of_radius = fmt::format("{:.1e}", upper);
    if (numerics::read_rational(of_radius).value_or(radius) < radius)
        of_radius = fmt::format("{:.1e}", upper + std::pow(10, std::floor(std::log10(upper)) - 1) / 2);
    return text + " within " + of_radius;
}

/// The text of a number that is known exactly, if 17 digits suffice.
std::optional<std::string> exact_text(double number) {
    for (const int digits : {usual_digits, 17}) {
        const std::string text = number_text(number, digits);
        const auto read = std::isfinite(number) ? numerics::read_rational(text) : std::nullopt;
        if (!std::isfinite(number) || (read && *read == numerics::exactly(number))) return text;
    }
    return std::nullopt;
}

std::string enclosure_text(const Enclosure& enclosure, int digits) {
    if (!is_bounded(enclosure)) return "unknown";
    if (enclosure.lo == enclosure.hi) return number_text(enclosure.lo, digits);
    const double middle = enclosure.lo / 2 + enclosure.hi / 2;
    const double radius = enclosure.hi / 2 - enclosure.lo / 2;
    if (digits == usual_digits && std::isfinite(radius)) {
        // The decimal is between two neighbouring doubles.
        if (radius <= 4e-16 * std::abs(middle)) return number_text(middle);
        if (radius <= 1e-9 * std::abs(middle)) return within_text(middle, enclosure);
    }
    const double width = enclosure.hi - enclosure.lo;
    return fmt::format("[{}, {}]", end_text(enclosure.lo, -1, width, digits), end_text(enclosure.hi, 1, width, digits));
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
    if (truth == Truth::unknown) return "is undecided";
    return truth == Truth::yes ? "holds" : "fails";
}

/// A single value, which is already shown in the list of used values.
bool is_plain(const Node& node) {
    return node->kind == Kind::number || node->kind == Kind::name || node->kind == Kind::index ||
           (node->kind == Kind::operation && node->op == Op::negate && node->children[0]->kind == Kind::number);
}

/// A longer fraction is not useful to a reader.
constexpr std::size_t longest_rational = 24;

/// A side of a comparison as printed, and the enclosure that a reader can infer from the text.
struct Shown {
    std::string text;
    std::optional<numerics::Rational> lo;
    std::optional<numerics::Rational> hi;
};

/// A side of a comparison, computed once.
struct Side {
    explicit Side(const Binding& binding) : exact(binding.exact()), value(binding.enclose().front()) {}

    std::optional<numerics::Rational> exact;
    Enclosure value;
};

Shown shown(const Side& side, int digits) {
    if (side.exact) {
        if (auto text = numerics::rational_text(*side.exact, longest_rational))
            return {std::move(*text), side.exact, side.exact};
    }
    const Enclosure value = side.value;
    Shown result{enclosure_text(value, digits), std::nullopt, std::nullopt};
    if (!is_bounded(value)) return result;
    if (value.lo == value.hi) {
        result.lo = result.hi = numerics::read_rational(result.text);
    } else if (result.text.front() == '[') {
        const std::size_t comma = result.text.find(", ");
        // "inf" is not a rational number, so this end stays unbounded.
        result.lo = numerics::read_rational(result.text.substr(1, comma - 1));
        result.hi = numerics::read_rational(result.text.substr(comma + 2, result.text.size() - comma - 3));
    } else {
        const std::size_t within = result.text.find(" within ");
        const auto middle = numerics::read_rational(result.text.substr(0, within));
        const auto radius = within == std::string::npos ? numerics::Rational(0)
                                                        : numerics::read_rational(result.text.substr(within + 8));
        if (middle && radius) {
            result.lo = *middle - *radius;
            result.hi = *middle + *radius;
        }
    }
    return result;
}

/// The truth value of the comparison that follows from the printed numbers.
Truth read_off(Op op, const Shown& a, const Shown& b) {
    using End = std::optional<numerics::Rational>;
    const auto is_below = [](const End& x, const End& y) { return x && y && *x < *y; };
    const auto is_at_most = [](const End& x, const End& y) { return x && y && *x <= *y; };
    const auto order = [](bool always, bool never) { return always ? Truth::yes : never ? Truth::no : Truth::unknown; };
    switch (op) {
        case Op::less: return order(is_below(a.hi, b.lo), is_at_most(b.hi, a.lo));
        case Op::less_equal: return order(is_at_most(a.hi, b.lo), is_below(b.hi, a.lo));
        case Op::greater: return order(is_below(b.hi, a.lo), is_at_most(a.hi, b.lo));
        case Op::greater_equal: return order(is_at_most(b.hi, a.lo), is_below(a.hi, b.lo));
        default: break;
    }
    const bool is_same = is_at_most(a.hi, b.lo) && is_at_most(b.hi, a.lo);
    const bool is_apart = is_below(a.hi, b.lo) || is_below(b.hi, a.lo);
    return op == Op::differs ? order(is_apart, is_same) : order(is_same, is_apart);
}

/// Both sides with enough digits to show the result of the comparison.
std::string sides_of(const Node& node, Truth truth, const Results& results) {
    const Side left(Binding(node->children[0], results, nullptr));
    const Side right(Binding(node->children[1], results, nullptr));
    const std::string relation = " " + std::string(formula::row(node->op).spelling) + " ";
    const bool is_plain_pair = is_plain(node->children[0]) && is_plain(node->children[1]);
    std::string text;
    for (const int digits : {usual_digits, 13, 17}) {
        const Shown a = shown(left, digits);
        const Shown b = shown(right, digits);
        if (is_plain_pair && digits == usual_digits && (truth == Truth::unknown || read_off(node->op, a, b) == truth))
            return "";
        text = ": " + a.text + relation + b.text;
        if (truth == Truth::unknown || read_off(node->op, a, b) == truth) return text;
    }
    return text + " by exact arithmetic";
}

std::string step_of(const Node& node, Truth truth, const Results& results) {
    // A leaf is a comparison, or a quantifier over too many integers to try one by one.
    const std::string sides = node->kind == Kind::operation ? sides_of(node, truth, results) : "";
    return formula::print(node) + sides + " " + std::string(outcome(truth));
}

Finding examine_leaf(const Node& node, const Results& results, Explaining explaining) {
    Finding finding;
    const Binding binding(node, results, nullptr);
    add_used(finding, binding.used());
    const bool lacks = std::any_of(binding.used().begin(), binding.used().end(), lacks_value);
    if (!lacks) finding.truth = binding.decide().front();
    // Equal numbers that are not doubles overlap as intervals, so intervals cannot decide them.
    if (!lacks && finding.truth == Truth::unknown) finding.truth = binding.decide_exactly();
    finding.is_certain = finding.truth != Truth::unknown && all_bounded(binding.used());
    if (explaining == Explaining::truth) return finding;
    finding.steps.push_back(step_of(node, finding.truth, results));
    if (!lacks && finding.truth == Truth::unknown && !binding.has_value())
        finding.steps.back() += ": a part is not shown to have a value";
    return finding;
}

Finding examine_pair(const Node& node, const Results& results, Explaining explaining) {
    Finding left = examine(node->children[0], results, explaining);
    const Finding right = examine(node->children[1], results, explaining);
    const bool disjunction = node->op == Op::logical_or;
    const Truth truth = disjunction ? either(left.truth, right.truth) : both(left.truth, right.truth);
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

Node at_integer(const Node& body, const std::string& variable, std::int64_t value) {
    return formula::substitute(body, {{variable, formula::parse(std::to_string(value))}});
}

/// The first point that settles the reduction (a counterexample, an example), or else the first doubtful point.
std::size_t deciding_point(const std::vector<Truth>& truths, Truth settling) {
    const auto settled = std::find(truths.begin(), truths.end(), settling);
    if (settled != truths.end()) return static_cast<std::size_t>(settled - truths.begin());
    return static_cast<std::size_t>(std::find(truths.begin(), truths.end(), Truth::unknown) - truths.begin());
}

/// Decides points that fast enclosures leave open, one by one if there are few, up to the first that settles the
/// reduction.
void decide_doubtful(const Node& body, const Varying& range, const Results& results, Truth settling,
                     std::vector<Truth>& truths) {
    std::size_t doubtful = 0;
    for (std::size_t i = 0; i < truths.size() && doubtful < most_doubtful; ++i) {
        if (truths[i] == Truth::unknown) {
            ++doubtful;
            truths[i] = examine(at_integer(body, range.name, range.at(i)), results, Explaining::truth).truth;
        }
        if (truths[i] == settling) return;
    }
}

Finding examine_points(const Node& node, const Varying& range, const Results& results, Explaining explaining) {
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
        finding.truth = !settling;
        finding.is_certain = all_bounded(binding.used());
        finding.steps.push_back(fmt::format("{} {} for all {} values of {}", formula::print(body),
                                            universal ? "holds" : "fails", range.count, range.name));
        return finding;
    }
    finding.truth = truths[at];
    const Finding there = examine(at_integer(body, range.name, range.at(at)), results, explaining);
    finding.is_certain = finding.truth != Truth::unknown && there.truth == finding.truth && there.is_certain;
    finding.steps.push_back(
        fmt::format("{} first {} at {} = {}", formula::print(body), outcome(truths[at]), range.name, range.at(at)));
    merge(finding, there);
    return finding;
}

/// Why a bound is not a known integer; empty if it is one, which `bounds` then has.
std::string read_bound(const Node& node, const Binding& bound, std::vector<std::int64_t>& bounds) {
    const std::optional<numerics::Rational> exact = bound.exact();
    if (exact) {
        if (const std::optional<std::int64_t> integer = numerics::counted(*exact)) {
            bounds.push_back(*integer);
            return "";
        }
    }
    const std::string text = formula::print(node) + ", a bound, is ";
    if (exact && numerics::is_integer(*exact))
        return text + fmt::format("beyond {}, the largest integer counted to", numerics::largest_counted);
    return text + "no known integer: " + shown(Side(bound), usual_digits).text;
}

Finding examine_quantifier(const Node& node, const Results& results, Explaining explaining) {
    Finding finding;
    std::vector<std::int64_t> bounds;
    for (std::size_t i = 0; i < 2; ++i) {
        const Binding bound(node->children[i], results, nullptr);
        add_used(finding, bound.used());
        const std::string problem = read_bound(node->children[i], bound, bounds);
        if (!problem.empty()) {
            finding.steps.push_back(problem);
            return finding;
        }
    }
    const double count = std::max(0.0, static_cast<double>(bounds[1]) - static_cast<double>(bounds[0]) + 1);
    if (count > most_points) return examine_leaf(node, results, explaining);
    // Near 2^63 the double differs from the integer by a few units.
    const std::size_t points = bounds[1] < bounds[0] ? 0 : static_cast<std::size_t>(bounds[1] - bounds[0]) + 1;
    const Finding inner = examine_points(node, {node->text, bounds[0], points}, results, explaining);
    finding.is_certain = inner.is_certain && all_bounded(finding.used);
    merge(finding, inner);
    finding.truth = inner.truth;
    return finding;
}

}  // namespace

std::string describe(const Enclosure& enclosure) {
    return enclosure_text(enclosure, usual_digits);
}

std::string describe(const Used& used) {
    if (used.whole_series) return {};
    const core::Cell& cell = used.cell;
    if (lacks_value(used)) return used.label + " does not exist";
    if (!cell.printed.empty()) return used.label + " = " + cell.printed + " as printed";
    if (!cell.rational.empty() && cell.rational.size() <= longest_rational)
        return used.label + " = " + cell.rational + " exactly";
    const std::string number = used.label + " = " + number_text(*cell.number);
    if (!cell.censored.empty())
        return used.label + " >= " + number_text(*cell.number) + " (censored: " + cell.censored + ")";
    if (cell.rigour == Rigour::none || !cell.enclosure || !is_bounded(*cell.enclosure))
        return number + " (no error bound)";
    const bool is_point = cell.enclosure->lo == cell.enclosure->hi;
    if (is_point && cell.enclosure->contains(*cell.number)) {
        const std::optional<std::string> exact = exact_text(*cell.number);
        return exact ? used.label + " = " + *exact + " exactly"
                     : used.label + " = " + within_text(*cell.number, *cell.enclosure);
    }
    const double radius = cell.enclosure->hi / 2 - cell.enclosure->lo / 2;
    // The enclosure decides, so a number outside it is not shown.
    // A number beyond the range of doubles is between the largest and infinity.
    const bool is_shown = cell.enclosure->contains(*cell.number) && std::isfinite(*cell.number);
    if (!is_shown) return used.label + " = " + describe(*cell.enclosure);
    if (radius <= 1e-9 * std::abs(*cell.number)) return used.label + " = " + within_text(*cell.number, *cell.enclosure);
    return number + " in " + describe(*cell.enclosure);
}

Finding examine(const Node& condition, const Results& results, Explaining explaining) {
    Finding finding;
    const bool pair =
        condition->kind == Kind::operation && (condition->op == Op::logical_and || condition->op == Op::logical_or);
    const bool negation = condition->kind == Kind::operation && condition->op == Op::logical_not;
    const bool quantifier = condition->kind == Kind::reduction;  // all() or exists(): no other is a condition
    if (pair) {
        finding = examine_pair(condition, results, explaining);
    } else if (negation) {
        finding = examine(condition->children[0], results, explaining);
        finding.truth = !finding.truth;
    } else if (quantifier) {
        finding = examine_quantifier(condition, results, explaining);
    } else {
        finding = examine_leaf(condition, results, explaining);
    }
    if (finding.steps.size() > most_steps) finding.steps.resize(most_steps);
    return finding;
}

}  // namespace farfield::claim
