// The values of variables for which a condition holds.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <farfield/numerics/interval.hpp>

#include "quantity/box_parts.hpp"
#include "quantity/definition.hpp"
#include "quantity/evidence.hpp"
#include "quantity/kinds.hpp"
#include "quantity/tabulate.hpp"
#include "quantity/work.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;
using core::Key;
using core::KeyType;
using numerics::Interval;

using numerics::infinity;
/// The most members that are recorded as hints for a recheck.
constexpr std::size_t most_hints = 50;

constexpr std::array<Key, 3> feasible_keys = {
    Key{.name = "condition", .type = KeyType::formula, .required = true, .meaning = "a condition on the variables"},
    Key{.name = "over",
        .type = KeyType::table,
        .unit = "{ x = [lo, hi] } or { x = { from, to, step } }",
        .required = true,
        .meaning = "the variables: all reals between, or in steps"},
    Key{.name = "boxes",
        .type = KeyType::integer,
        .fallback = "1000000",
        .meaning = "largest number of boxes that are examined",
        .least = 1,
        .most = 1e9},
};

class Feasible : public Prepared {
public:
    Feasible(Checked condition, const Over& over, std::size_t boxes)
        : condition_(std::move(condition)), domain_(over), boxes_(boxes) {}

    double cost() const override { return static_cast<double>(boxes_) * operations(condition_.tree) / 100; }

    void define(const DefinitionOf&, Definition& own) const override {
        state_within({"least", "greatest"}, domain_, own);
    }

    core::Result run(const Inputs& inputs) const override {
        core::Result result;
        result.notes.emplace_back("method", "interval subdivision");
        state(result.evidence, "condition", condition_.tree);
        const BoxDecider decider(condition_.tree, domain_);
        std::vector<BoxPart> parts = find_parts(decider, domain_, boxes_, inputs.interrupted);
        std::sort(parts.begin(), parts.end(),
                  [](const BoxPart& a, const BoxPart& b) { return a.box.sides.front().lo < b.box.sides.front().lo; });
        report_refuters(decider, parts, result);
        report_open(parts, result);
        if (domain_.dimensions().size() == 1) parts = joined(parts);
        report_ends(parts, result);
        result.set("share", share(parts));
        if (domain_.dimensions().size() == 1) result.series = series(parts);
        return result;
    }

private:
    /// Reports the ends of the set in each variable.
    void report_ends(const std::vector<BoxPart>& parts, core::Result& result) const {
        const std::vector<std::string> variables = domain_.variables();
        for (std::size_t i = 0; i < variables.size(); ++i) {
            const std::string suffix = variables.size() == 1 ? "" : "_" + variables[i];
            result.set("least" + suffix, end(parts, i, true));
            result.set("greatest" + suffix, end(parts, i, false));
        }
    }

    /// The smallest value lies between the place where boxes stop failing and the first box on which the condition
    /// holds; the largest likewise.
    core::Cell end(const std::vector<BoxPart>& parts, std::size_t dimension, bool is_least) const {
        std::optional<double> sure;
        std::optional<double> possible;
        const auto note = [&](std::optional<double>& kept, double value) {
            if (!kept || (is_least ? value < *kept : value > *kept)) kept = value;
        };
        for (const BoxPart& part : parts) {
            const Enclosure side = part.box.sides[dimension];
            if (part.answer != Answer::no) note(possible, is_least ? side.lo : side.hi);
            if (part.answer == Answer::yes) note(sure, is_least ? side.lo : side.hi);
        }
        if (!sure) return core::Cell::missing();
        const numerics::Rational found = domain_.exact(dimension, *sure);
        if (*sure == *possible) return exact_cell(found);
        const Enclosure inner = enclosure_of(found);
        const Enclosure outer = enclosure_of(domain_.exact(dimension, *possible));
        return core::Cell::enclosed(numerics::nearest(found),
                                    is_least ? Enclosure{outer.lo, inner.hi} : Enclosure{inner.lo, outer.hi});
    }

    /// The share of the domain on which the condition holds.
    core::Cell share(const std::vector<BoxPart>& parts) const {
        Interval sure{0, 0};
        Interval open{0, 0};
        bool all_hold = true;
        bool none_holds = true;
        for (const BoxPart& part : parts) {
            all_hold = all_hold && part.answer == Answer::yes;
            none_holds = none_holds && part.answer == Answer::no;
            if (part.answer == Answer::no) continue;
            Interval& sum = part.answer == Answer::yes ? sure : open;
            sum = sum + share_of(part.box);
        }
        if (all_hold) return core::Cell::exact(1);
        if (none_holds) return core::Cell::exact(0);
        const Interval most = sure + open;
        const double number = std::clamp(numerics::midpoint(sure), 0.0, 1.0);
        return core::Cell::enclosed(number, {std::max(0.0, sure.lo), std::min(1.0, most.hi)});
    }

    Interval share_of(const Box& box) const {
        Interval product{1, 1};
        for (std::size_t i = 0; i < box.sides.size(); ++i) {
            const Dimension& dimension = domain_.dimensions()[i];
            const Enclosure side = box.sides[i];
            if (dimension.is_grid) {
                const auto count = static_cast<double>(dimension.grid.count());
                product = product * (Interval{side.width() + 1, side.width() + 1} / Interval{count, count});
            } else if (dimension.lo < dimension.hi) {
                const numerics::Rational width = domain_.exact(i, side.hi) - domain_.exact(i, side.lo);
                product = product * numerics::enclose(width / (dimension.hi - dimension.lo));
            }
        }
        return product;
    }

    /// Joins neighbours with the same answer into one part.
    static std::vector<BoxPart> joined(const std::vector<BoxPart>& parts) {
        std::vector<BoxPart> result;
        for (const BoxPart& part : parts) {
            if (!result.empty() && result.back().answer == part.answer)
                result.back().box.sides.front().hi = part.box.sides.front().hi;
            else
                result.push_back(part);
        }
        return result;
    }

    core::Series series(const std::vector<BoxPart>& parts) const {
        core::Series series;
        for (const char* name : {"from", "to", "state"}) series.columns.push_back({name, {}, {}});
        for (const BoxPart& part : parts) {
            const Enclosure where = part.box.sides.front();
            series.columns[0].values.push_back(numerics::nearest(domain_.exact(0, where.lo)));
            series.columns[1].values.push_back(numerics::nearest(domain_.exact(0, where.hi)));
            series.columns[2].values.push_back(part.answer == Answer::yes ? 1 : part.answer == Answer::no ? -1 : 0);
        }
        return series;
    }

    /// The first box that could have been halved further, and the first without a value.
    void report_open(const std::vector<BoxPart>& parts, core::Result& result) const {
        const auto is_open = [](const BoxPart& part) { return part.answer == Answer::unknown; };
        const auto without =
            std::find_if(parts.begin(), parts.end(), [](const BoxPart& part) { return !part.has_value; });
        if (without != parts.end())
            result.notes.emplace_back("not shown to have a value at", domain_.text(without->box));
        const auto wide = std::find_if(parts.begin(), parts.end(), [&](const BoxPart& part) {
            return is_open(part) && part.has_value && !domain_.halves(part.box).empty();
        });
        if (wide != parts.end()) result.notes.emplace_back("not decided at", domain_.text(wide->box));
    }

    /// Reports the members of quantifiers that decided most boxes.
    static void report_refuters(const BoxDecider& decider, const std::vector<BoxPart>& parts, core::Result& result) {
        std::map<std::string, std::size_t> counts;
        for (const BoxPart& part : parts)
            if (part.refuter) ++counts[decider.text(*part.refuter)];
        counts.erase("");
        std::vector<std::pair<std::string, std::size_t>> order(counts.begin(), counts.end());
        std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
        std::string text;
        for (std::size_t i = 0; i < std::min(order.size(), most_hints); ++i)
            text += (i == 0 ? "" : ", ") + order[i].first;
        if (!text.empty()) result.evidence.add("decided by", text);
    }

    Checked condition_;
    Domain domain_;
    std::size_t boxes_;
};

std::unique_ptr<Prepared> prepare_feasible(const Declaration& declaration, core::Problems& problems) {
    const std::size_t before = problems.reports();
    const std::optional<Over> over = read_over(declaration, problems);
    if (!over) return nullptr;
    std::optional<Checked> condition = read_formula(
        declaration, {.key = "condition", .variables = over->variables(), .type = formula::Type::boolean}, problems);
    if (condition) require_variable(declaration, "condition", *condition, over->variables(), problems);
    if (problems.reports() != before || !condition) return nullptr;
    const auto boxes = core::Settings(declaration.settings, feasible_keys).count("boxes");
    return std::make_unique<Feasible>(std::move(*condition), *over, boxes);
}

}  // namespace

const Kind& feasible_kind() {
    static const Kind kind{
        "feasible",       "the values of variables for which a condition holds", feasible_keys, true, prepare_feasible,
        SearchRule::used, {"share >= 0 and share <= 1 and greatest >= least"}};
    return kind;
}

}  // namespace farfield::quantity
