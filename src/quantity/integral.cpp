// The integral of a formula over an interval of the reals.
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <farfield/evaluate/enclose.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/numerics/interval.hpp>

#include "numerics/rational.hpp"
#include "quantity/box_function.hpp"
#include "quantity/box_search.hpp"
#include "quantity/kinds.hpp"
#include "quantity/selection.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;

constexpr std::size_t most_boxes = 40'000;

constexpr std::array<core::Key, 1> integral_keys = {
    core::Key{.name = "over",
              .type = core::KeyType::table,
              .unit = "{ x = [lo, hi] }",
              .required = true,
              .meaning = "the variable, and the interval that the formula is integrated over"},
};

class Integral : public Prepared {
public:
    Integral(Checked formula, const Over& over) : formula_(std::move(formula)), domain_(over) {}

    double cost() const override { return box_search_cost(formula_.tree, most_boxes); }

    core::Result run(const Inputs& inputs) const override {
        core::Result result;
        const BoxCondition has_value(formula::defined(formula_.tree), domain_);
        const auto without = find_without_value(has_value, domain_, most_boxes, inputs.interrupted);
        core::Cell value = core::Cell::missing();
        if (!without) {
            const Enclosure found = enclosed();
            if (std::isfinite(found.lo) && std::isfinite(found.hi))
                value = core::Cell::enclosed(numerics::midpoint({found.lo, found.hi}), found);
        }
        result.set("value", value);
        result.notes.emplace_back("method",
                                  "Simpson's rule on parts of the interval, with enclosures of its remainder");
        if (without) result.notes.emplace_back("not decided", describe(*without, domain_));
        return result;
    }

private:
    /// Encloses by the operator, between the ends as written.
    Enclosure enclosed() const {
        const Dimension& side = domain_.dimensions().front();
        const auto end = [](const numerics::Rational& x) { return formula::parse(numerics::rational_text(x)); };
        const formula::Node tree =
            formula::make_reduction(formula::Op::integral, side.variable, end(side.lo), end(side.hi), formula_.tree);
        return evaluate::enclose(formula::compile(tree, {}), {}, evaluate::Enclosing::fast).front();
    }

    Checked formula_;
    Domain domain_;
};

std::unique_ptr<Prepared> prepare_integral(const Declaration& declaration, core::Problems& problems) {
    one_of(declaration, {"formula"}, problems);
    const std::optional<Over> over = read_over(declaration, problems);
    if (!over) return nullptr;
    std::optional<Checked> formula =
        read_formula(declaration, {.key = "formula", .variables = over->variables()}, problems);
    if (!over->grids.empty() || over->stretches.size() != 1) {
        problems.add(place_of_key(declaration, "over"), "an integral over other than one interval",
                     "over = { x = [lo, hi] }");
        return nullptr;
    }
    if (!formula) return nullptr;
    return std::make_unique<Integral>(std::move(*formula), *over);
}

}  // namespace

const Kind& integral_kind() {
    static const Kind kind = {"integral",       "the integral of a formula over an interval",
                              integral_keys,    true,
                              prepare_integral, SearchRule::range};
    return kind;
}

}  // namespace farfield::quantity
