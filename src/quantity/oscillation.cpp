// How a curve rises and falls from point to point.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <farfield/numerics/interval.hpp>
#include <farfield/numerics/sum.hpp>

#include "quantity/curve_input.hpp"
#include "quantity/definition.hpp"
#include "quantity/evidence.hpp"
#include "quantity/kinds.hpp"
#include "quantity/scheme_curve.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

constexpr std::array<core::Key, 6> oscillation_keys = {of_key,    over_key,  distances_key,
                                                       range_key, query_key, enclosures_key};

using numerics::infinity;

/// The measured steps, with bounds of the true ones if the curve is enclosed.
struct Steps {
    double rises = 0;
    double falls = 0;
    core::Enclosure rises_bounds = {0, 0};
    core::Enclosure falls_bounds = {0, 0};
    std::size_t first_rise = 0;
    std::optional<std::size_t> first_may_rise;   ///< the first point after which the true curve may rise
    std::optional<std::size_t> first_must_rise;  ///< and after which it does
    double largest_rise = 0;
    core::Enclosure largest_rise_bounds = {0, 0};
    double variation = 0;
    numerics::Interval variation_bounds = {0, 0};
};

void count_values(const View& view, Steps& steps) {
    const evaluate::Steps found = evaluate::steps(view.values);
    steps.rises = static_cast<double>(found.rises);
    steps.falls = static_cast<double>(found.falls);
    if (found.rises > 0) steps.first_rise = found.first_rise;
    steps.largest_rise = found.largest_rise;
    steps.variation = found.variation;
}

numerics::Interval enclosed_difference(const core::Enclosure& from, const core::Enclosure& to) {
    const bool is_same_point = from.lo == from.hi && from == to;
    if (is_same_point) return numerics::point(0);
    return interval_of(to) - interval_of(from);
}

void count_bounds(const View& view, Steps& steps) {
    if (view.enclosures.empty()) return;
    for (std::size_t i = 0; i + 1 < view.enclosures.size(); ++i) {
        const numerics::Interval step = enclosed_difference(view.enclosures[i], view.enclosures[i + 1]);
        steps.variation_bounds = steps.variation_bounds + numerics::abs(step);
        const bool may_rise = !(step.hi <= 0);
        const bool must_rise = step.lo > 0;
        if (may_rise) {
            ++steps.rises_bounds.hi;
            if (!steps.first_may_rise) steps.first_may_rise = i;
            steps.largest_rise_bounds.hi =
                std::max(steps.largest_rise_bounds.hi, std::isnan(step.hi) ? infinity : step.hi);
        }
        if (must_rise) {
            ++steps.rises_bounds.lo;
            if (!steps.first_must_rise) steps.first_must_rise = i;
            steps.largest_rise_bounds.lo = std::max(steps.largest_rise_bounds.lo, step.lo);
        }
        if (!(step.lo >= 0)) ++steps.falls_bounds.hi;
        if (step.hi < 0) ++steps.falls_bounds.lo;
    }
}

core::Cell first_rise_cell(const View& view, const Steps& steps) {
    if (steps.rises == 0) return core::Cell::missing();
    core::Cell cell = core::Cell::of(view.points[steps.first_rise]);
    if (view.enclosures.empty()) return cell;
    const std::size_t first = steps.first_may_rise.value_or(steps.first_rise);
    const bool is_known = steps.first_must_rise == first && steps.first_rise == first;
    const double last = steps.first_must_rise ? view.enclosed_point(*steps.first_must_rise).hi : infinity;
    cell =
        is_known ? view.exact_point(first) : core::Cell::enclosed(*cell.number, {view.enclosed_point(first).lo, last});
    cell.rigour = view.rigour;
    return cell;
}

/// 1 if never rising or never falling.
core::Cell monotone_cell(const Steps& steps, bool is_enclosed) {
    const double number = steps.rises == 0 || steps.falls == 0 ? 1 : 0;
    if (!is_enclosed) return core::Cell::of(number);
    const bool is_proved = steps.rises_bounds.hi == 0 || steps.falls_bounds.hi == 0;
    const bool is_refuted = steps.rises_bounds.lo > 0 && steps.falls_bounds.lo > 0;
    return cell(number, {is_proved ? 1.0 : 0.0, is_refuted ? 0.0 : 1.0});
}

class Oscillation : public Prepared {
public:
    explicit Oscillation(CurveInput input) : input_(std::move(input)) {}

    std::vector<std::string> needs() const override { return input_.needs(); }
    double cost() const override { return input_.cost(); }

    void define(const DefinitionOf& definition_of, Definition& own) const override {
        const auto points = points_of(input_, definition_of);
        if (!points || points->count() < 2) return;
        const std::size_t steps = points->count() - 1;
        state_within("first_increase", points->part(0, steps), own);
        state_at_most({"increases", "decreases"}, steps, own);
        own.facts.push_back("increases <= " + std::to_string(steps) + " - decreases");
    }

    core::Result run(const Inputs& inputs) const override {
        core::Result result;
        with_curve(inputs, input_, [&](const View& view) { fill(view, result); });
        if (const auto* own = std::get_if<Tabulation>(&input_.source))
            state(result.evidence, "formula", own->formula.tree);
        return result;
    }

private:
    static void fill(const View& view, core::Result& result) {
        if (has_pole(view.values, view.enclosures)) {
            for (const char* name :
                 {"increases", "decreases", "first_increase", "largest_increase", "total_variation", "monotone"})
                result.set(name, core::Cell::missing());
            result.notes.emplace_back("not decided", "a point has no value that is known, as at 1/0 and log(0)");
            return;
        }
        // If a point may have no value, nothing is known about the whole curve.
        const bool is_enclosed =
            !view.enclosures.empty() &&
            std::none_of(view.enclosures.begin(), view.enclosures.end(),
                         [](const core::Enclosure& x) { return numerics::is_undefined(interval_of(x)); });
        Steps steps;
        count_values(view, steps);
        count_bounds(view, steps);
        const auto make = [&](double number, const core::Enclosure& bounds) {
            core::Cell made = is_enclosed ? cell(number, bounds) : core::Cell::of(number);
            if (made.enclosure) made.rigour = view.rigour;
            return made;
        };
        result.set("increases", make(steps.rises, steps.rises_bounds));
        result.set("decreases", make(steps.falls, steps.falls_bounds));
        // If it is not certain that there is a rise, nothing is known about it.
        const bool is_certain = is_enclosed && steps.rises_bounds.lo > 0;
        const auto of_rise = [&](const core::Cell& rise) {
            if (!(steps.rises > 0)) return core::Cell::missing();
            return is_certain ? rise : core::Cell::of(*rise.number);
        };
        result.set("first_increase", of_rise(first_rise_cell(view, steps)));
        result.set("largest_increase", of_rise(make(steps.largest_rise, steps.largest_rise_bounds)));
        result.set("total_variation", make(steps.variation, {steps.variation_bounds.lo, steps.variation_bounds.hi}));
        result.set("monotone", monotone_cell(steps, is_enclosed));
    }

    CurveInput input_;
};

std::unique_ptr<Prepared> prepare_oscillation(const Declaration& declaration, core::Problems& problems) {
    std::optional<CurveInput> input = read_curve_input(declaration, problems);
    if (!input) return nullptr;
    return std::make_unique<Oscillation>(std::move(*input));
}

}  // namespace

const Kind& oscillation_kind() {
    static const Kind kind = {
        "oscillation",
        "how a curve rises and falls from point to point",
        oscillation_keys,
        true,
        prepare_oscillation,
        SearchRule::varied,
        {"increases >= 0 and increases == floor(increases) and decreases >= 0 and decreases == floor(decreases) and "
         "total_variation >= 0 and total_variation >= largest_increase and monotone >= 0 and "
         "monotone <= 1 and monotone == floor(monotone)"}};
    return kind;
}

}  // namespace farfield::quantity
