// Where a formula overflows, vanishes or becomes subnormal in a number format.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "evaluate/closed.hpp"
#include "quantity/definition.hpp"
#include "quantity/kinds.hpp"
#include "quantity/rounded.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;

constexpr std::size_t range_chunk = 1 << 20;

/// Enclosures of doubles cannot tell all values below this from zero.
constexpr double near_zero = 0x1p-1000;

/// Where an event happens first, as values of the variable: the first at which it does and the last before.
struct Threshold {
    core::Cell first;
    core::Cell before;
    std::string note;
};

class RangeQuantity : public Prepared {
public:
    explicit RangeQuantity(RoundedFormula formula) : formula_(std::move(formula)) {}

    double cost() const override { return formula_.cost(); }

    void define(const DefinitionOf&, Definition& own) const override {
        state_within({"last_finite", "first_overflow", "last_positive", "first_underflow", "first_subnormal"},
                     Domain(formula_.over), own);
        if (!formula_.grid()) return;
        const std::string step = numerics::rational_text(formula_.grid()->step());
        own.facts.push_back("last_finite == first_overflow - " + step);
        own.facts.push_back("last_positive == first_underflow - " + step);
    }

    core::Result run(const Inputs& inputs) const override {
        const std::optional<std::string> without = place_without_value(formula_, inputs);
        const auto threshold = [&](Event event) {
            if (without) return Threshold{};
            return formula_.is_stepwise ? step_to(event, inputs) : search(event, inputs);
        };
        const Threshold overflow = threshold(Event::overflow);
        const Threshold underflow = threshold(Event::underflow);
        const Threshold subnormal = threshold(Event::subnormal);
        core::Result result;
        result.set("last_finite", overflow.before);
        result.set("first_overflow", overflow.first);
        result.set("last_positive", underflow.before);
        result.set("first_underflow", underflow.first);
        result.set("first_subnormal", subnormal.first);
        result.notes.emplace_back("method", formula_.is_stepwise ? "every value, every operation rounded"
                                                                 : "interval subdivision, each value rounded once");
        if (without) result.notes.emplace_back("not decided", *without);
        for (const Threshold* found : {&overflow, &underflow, &subnormal})
            if (!found->note.empty()) result.notes.emplace_back("not decided at", found->note);
        return result;
    }

private:
    Threshold search(Event event, const Inputs& inputs) const {
        const Domain domain(formula_.over);
        const BoxFunction function(formula_.formula.tree, domain);
        const BoxCondition is_not_zero(formula::Condition::of(formula::make(
                                           formula::Op::differs, {formula_.formula.tree, formula::make_number("0")})),
                                       domain);
        const First first = find_first(domain, formula_.boxes, inputs.interrupted, [&](const std::vector<Box>& boxes) {
            return answers(event, domain, function, is_not_zero, boxes);
        });
        Threshold threshold;
        if (formula_.grid())
            on_grid(domain, first, threshold);
        else
            on_stretch(domain, first, threshold);
        return threshold;
    }

    std::vector<Answer> answers(Event event, const Domain& domain, const BoxFunction& function,
                                const BoxCondition& is_not_zero, const std::vector<Box>& boxes) const {
        const std::vector<Enclosure> values = function.over(boxes, evaluate::Enclosing::fast);
        std::vector<Answer> result;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            Enclosure value = values[i];
            Answer answer = judge(event, *formula_.format, value);
            if (answer == Answer::unknown && domain.is_point(boxes[i])) {
                value = function.over({boxes[i]}, evaluate::Enclosing::rigorous).front();
                answer = judge(event, *formula_.format, value);
            }
            const double largest = std::max(std::abs(value.lo), std::abs(value.hi));
            const bool is_near_zero = largest <= near_zero && size_of(*formula_.format, largest) == Size::zero;
            if (answer == Answer::unknown && event == Event::underflow && is_near_zero) {
                const evaluate::Truth differs = is_not_zero.decide({boxes[i]}, evaluate::Enclosing::rigorous).front();
                if (differs != evaluate::Truth::unknown)
                    answer = differs == evaluate::Truth::yes ? Answer::yes : Answer::no;
            }
            result.push_back(answer);
        }
        return result;
    }

    static void on_grid(const Domain& domain, const First& first, Threshold& threshold) {
        if (first.unresolved) threshold.note = domain.text(*first.unresolved);
        if (!first.found) return;
        const numerics::Progression& grid = domain.dimensions().front().grid;
        const auto index = static_cast<std::size_t>(first.found->sides.front().lo);
        const auto earliest = first.unresolved ? static_cast<std::size_t>(first.unresolved->sides.front().lo) : index;
        const auto cell_at = [&](std::size_t least, std::size_t at) {
            if (least == at) return exact_cell(grid.exact(at));
            return core::Cell::enclosed(grid.at(at), {grid.enclose(least).lo, grid.enclose(at).hi});
        };
        threshold.first = cell_at(earliest, index);
        // If it may happen at the first value already, there may be no value before it.
        if (earliest > 0) threshold.before = cell_at(earliest - 1, index - 1);
    }

    /// The threshold lies between the last double before the event and the first after it; both cells enclose it.
    static void on_stretch(const Domain& domain, const First& first, Threshold& threshold) {
        if (!first.found) {
            if (first.unresolved) threshold.note = domain.text(*first.unresolved);
            return;
        }
        const double high = first.found->sides.front().lo;
        const double low = first.unresolved ? first.unresolved->sides.front().lo : high;
        // An end of the domain is the number as written, which need not be a double.
        const core::Enclosure between{enclosure_of(domain.exact(0, low)).lo, enclosure_of(domain.exact(0, high)).hi};
        threshold.first = low == high ? exact_cell(domain.exact(0, high)) : core::Cell::enclosed(between.hi, between);
        if (low > domain.whole().sides.front().lo) threshold.before = core::Cell::enclosed(between.lo, between);
    }

    Threshold step_to(Event event, const Inputs& inputs) const {
        const numerics::Progression& grid = *formula_.grid();
        Threshold threshold;
        for (std::size_t start = 0; start < grid.count() && !inputs.interrupted(); start += range_chunk) {
            const std::vector<double> values =
                stepwise_values(formula_, start, std::min(range_chunk, grid.count() - start));
            for (std::size_t i = 0; i < values.size(); ++i) {
                const Answer answer = happens(event, values[i], start + i);
                if (answer == Answer::unknown) {
                    threshold.note = formula_.variable() + " = " + numerics::rational_text(grid.exact(start + i));
                    return threshold;
                }
                if (answer == Answer::no) continue;
                threshold.first = stepwise_cell(formula_, grid.exact(start + i));
                if (start + i > 0) threshold.before = stepwise_cell(formula_, grid.exact(start + i - 1));
                return threshold;
            }
        }
        return threshold;
    }

    Answer happens(Event event, double rounded, std::size_t index) const {
        const auto answer = [](bool it_does) { return it_does ? Answer::yes : Answer::no; };
        const Size size = size_of(*formula_.format, std::abs(rounded));
        if (event == Event::overflow) return answer(size == Size::overflow);
        if (event == Event::subnormal) return answer(size == Size::subnormal);
        return size == Size::zero ? differs_from_zero(index) : Answer::no;
    }

    /// Whether the exact value does.
    Answer differs_from_zero(std::size_t index) const {
        const Domain domain(formula_.over);
        const BoxFunction function(formula_.formula.tree, domain);
        const Box point{{Enclosure::exactly(static_cast<double>(index))}};
        const Enclosure value = function.over({point}, evaluate::Enclosing::rigorous).front();
        if (!value.contains(0)) return Answer::yes;
        if (value == Enclosure::exactly(0)) return Answer::no;
        const auto exact = evaluate::exact_value(formula::substitute(formula_.formula.tree, domain.exact_point(point)));
        if (!exact) return Answer::unknown;
        return *exact == 0 ? Answer::no : Answer::yes;
    }

    RoundedFormula formula_;
};

std::unique_ptr<Prepared> prepare_range(const Declaration& declaration, core::Problems& problems) {
    std::optional<RoundedFormula> formula = read_rounded(declaration, false, problems);
    return formula ? std::make_unique<RangeQuantity>(std::move(*formula)) : nullptr;
}

}  // namespace

const Kind& range_kind() {
    static const Kind kind{"range",
                           "where a formula overflows, vanishes or becomes subnormal in a number format",
                           rounded_keys(),
                           true,
                           prepare_range,
                           SearchRule::varied,
                           // Over reals, both may be the same number.
                           {"first_overflow >= last_finite and first_underflow >= last_positive"}};
    return kind;
}

}  // namespace farfield::quantity
