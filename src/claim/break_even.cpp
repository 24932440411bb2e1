#include "claim/break_even.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <farfield/formula/tree.hpp>

#include "claim/examine.hpp"
#include "claim/expand.hpp"
#include "claim/find.hpp"
#include "numerics/rational.hpp"

namespace farfield::claim {

using core::Verdict;
using evaluate::Truth;
using formula::Kind;
using formula::Node;
using numerics::Rational;
using Results = std::vector<const core::Result*>;

namespace {

constexpr std::int64_t thousand = 1000;
/// Decimals of four digits in each power of ten.
constexpr std::int64_t per_decade = 9 * thousand;
/// Thresholds down to a millionth of the given one, then 0, and up to a million times the given one.
constexpr std::int64_t decades = 6;
/// Thresholds below 1e-280 and above 1e280 are left out.
constexpr std::int64_t farthest = 280 * per_decade;

/// The decimals of four digits in order: number 0 is 1, number 9000 is 10, number -9000 is 0.1.
struct Decimal {
    std::int64_t mantissa;  ///< 1000 to 9999
    std::int64_t exponent;

    static Decimal at(std::int64_t number) {
        std::int64_t decade = number / per_decade;
        if (number % per_decade < 0) --decade;
        return {number - decade * per_decade + thousand, decade - 3};
    }

    Rational value() const {
        return *numerics::read_rational(std::to_string(mantissa) + "e" + std::to_string(exponent));
    }

    std::string text() const { return numerics::rational_text(value()); }
};

Rational value_at(std::int64_t number) {
    return Decimal::at(number).value();
}

/// The number of the largest decimal of four digits that is at most `value`, which is within 1e-280 and 1e280.
std::int64_t number_below(const Rational& value) {
    const double near = numerics::nearest(value);
    const double decade = std::floor(std::log10(near));
    auto number = static_cast<std::int64_t>(decade) * per_decade +
                  static_cast<std::int64_t>((near / std::pow(10, decade) - 1) * thousand);
    while (value_at(number) > value) --number;
    while (value_at(number + 1) <= value) ++number;
    return number;
}

/// Whether the name occurs where only a known integer is allowed.
bool counts(const Node& node, const std::string& name) {
    const auto uses = [&name](const Node& part) {
        const auto names = formula::free_names(part);
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const auto& children = node->children;
    if (node->kind == Kind::index && std::any_of(children.begin(), children.end(), uses)) return true;
    if (node->kind == Kind::reduction && (uses(children[0]) || uses(children[1]))) return true;
    return std::any_of(children.begin(), children.end(), [&name](const Node& child) { return counts(child, name); });
}

/// The condition as a function of one threshold.
class Search {
public:
    Search(Node condition, std::string name, Truth truth, const Results& results)
        : condition_(std::move(condition)), name_(std::move(name)), truth_(truth), results_(results) {}

    Truth at(const std::string& decimal) const {
        return examine(formula::substitute(condition_, {{name_, decimal_tree(decimal)}}), results_, Explaining::truth)
            .truth;
    }

    /// Whether the truth value is the same for all reals from the first to the last double between two decimals. If it
    /// is unknown, an interval proves nothing.
    bool is_same_between(const std::string& from, const std::string& to) const {
        if (truth_ == Truth::unknown) return true;
        const numerics::Interval lower = numerics::enclose(*numerics::read_rational(from));
        const numerics::Interval upper = numerics::enclose(*numerics::read_rational(to));
        core::Result threshold;
        threshold.name = name_;
        threshold.set("value", core::Cell::enclosed(upper.lo, {lower.hi, upper.lo}));
        Results with = results_;
        with.push_back(&threshold);
        return examine(condition_, with, Explaining::truth).truth == truth_;
    }

    /// Searches from number `start` in the direction +1 or -1, at most `steps` steps: the last decimal up to which the
    /// truth value is the same.
    std::int64_t last(const std::string& given, std::int64_t start, std::int64_t direction, std::int64_t steps) const {
        const auto text = [&](std::int64_t step) {
            return step == 0 ? given : Decimal::at(start + direction * step).text();
        };
        std::int64_t known = 0;
        std::int64_t size = 1;
        while (2 * size <= steps) size *= 2;
        for (; size > 0; size /= 2) {
            if (known + size > steps) continue;
            const std::string a = text(known);
            const std::string b = text(known + size);
            const bool is_same = at(b) == truth_ && (direction > 0 ? is_same_between(a, b) : is_same_between(b, a));
            if (is_same) known += size;
        }
        return known;
    }

private:
    Node condition_;
    std::string name_;
    Truth truth_;
    const Results& results_;
};

Verdict verdict_of(Truth truth, bool covers_part) {
    if (truth == Truth::unknown) return Verdict::undecided;
    if (truth == Truth::no) return Verdict::refuted;
    return covers_part ? Verdict::consistent : Verdict::confirmed;
}

/// Whether the decimal is within a quarter of the threshold.
bool is_near(const std::string& decimal, const Rational& given) {
    if (decimal.empty()) return false;
    const Rational distance = *numerics::read_rational(decimal) - given;
    return 4 * (distance < 0 ? Rational(-distance) : distance) <= given;
}

core::BreakEven search(const Search& search, const std::string& name, const std::string& decimal, const Rational& given,
                       Truth truth, bool covers_part) {
    constexpr std::int64_t most = decades * per_decade;
    core::BreakEven found;
    found.name = name;
    found.given = decimal;
    const auto turns = [&](const std::string& next, std::string& where, Verdict& verdict) {
        const Truth there = search.at(next);
        if (there == truth) return;
        where = next;
        verdict = verdict_of(there, covers_part);
    };

    // The threshold is the decimal `under`, or between it and the next one.
    const std::int64_t under = number_below(given);
    const std::int64_t up = search.last(decimal, under, 1, most);
    found.to = up == 0 ? decimal : Decimal::at(under + up).text();
    found.is_most = up == most;
    if (!found.is_most) turns(Decimal::at(under + up + 1).text(), found.above, found.verdict_above);

    const std::int64_t over = value_at(under) == given ? under : under + 1;
    const std::int64_t down = search.last(decimal, over, -1, most);
    found.from = down == 0 ? decimal : Decimal::at(over - down).text();
    const std::string zero = "0";
    found.is_least = down == most && search.at(zero) == truth && search.is_same_between(zero, found.from);
    if (found.is_least)
        found.from = zero;
    else
        turns(down == most ? zero : Decimal::at(over - down - 1).text(), found.below, found.verdict_below);

    found.sensitive = is_near(found.below, given) || is_near(found.above, given);
    return found;
}

}  // namespace

std::vector<core::BreakEven> break_even(const Reading& reading, Truth truth, const Results& results) {
    std::vector<core::BreakEven> found;
    if (!reading.open) return found;
    const std::vector<std::string> used = formula::free_names(reading.open);
    for (const auto& [name, decimal] : reading.given) {
        if (std::find(used.begin(), used.end(), name) == used.end() || counts(reading.open, name)) continue;
        const auto given = numerics::read_rational(decimal);
        if (!given || *given < value_at(-farthest) || *given > value_at(farthest)) continue;
        std::vector<formula::Replacement> others;
        for (const auto& [other, value] : reading.given)
            if (other != name) others.push_back({other, decimal_tree(value)});
        const Search condition(formula::substitute(reading.open, others), name, truth, results);
        found.push_back(search(condition, name, decimal, *given, truth, reading.covers_part));
    }
    return found;
}

}  // namespace farfield::claim
