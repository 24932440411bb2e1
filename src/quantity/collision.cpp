// The first value that a number format cannot distinguish from the next.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "quantity/definition.hpp"
#include "quantity/kinds.hpp"
#include "quantity/rounded.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;

constexpr std::size_t collision_chunk = 1 << 20;

bool is_same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// Decides over boxes of indexes whether neighbours of a grid round to the same number.
class Neighbours {
public:
    Neighbours(const RoundedFormula& formula, const Domain& domain)
        : formula_(formula),
          domain_(domain),
          value_(formula.formula.tree, domain),
          slope_(formula.formula.tree, formula.variable(), domain) {
        const numerics::Progression& grid = *formula.grid();
        const bool is_variable = formula.formula.tree->kind == formula::Kind::name;
        are_integers_ = is_variable && numerics::is_integer(grid.from()) && numerics::is_integer(grid.step());
    }

    std::vector<Answer> operator()(const std::vector<Box>& boxes) const {
        std::vector<Box> longer = boxes;
        for (Box& box : longer) box.sides.front().hi += 1;
        const std::vector<Enclosure> values = value_.over(longer, evaluate::Enclosing::fast);
        const std::vector<Enclosure> slopes = slope_.over(longer, evaluate::Enclosing::fast);
        std::vector<Answer> answers;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            Answer answer = is_apart(values[i], slopes[i]) ? Answer::no : Answer::unknown;
            if (rounded(values[i])) answer = Answer::yes;
            if (answer == Answer::unknown && domain_.is_point(boxes[i])) answer = at_point(boxes[i]);
            answers.push_back(answer);
        }
        return answers;
    }

private:
    /// Neighbours that differ by more than the widest spacing of the format round to different numbers.
    bool is_apart(const Enclosure& value, const Enclosure& slope) const {
        if (is_unknown(value) || is_unknown(slope)) return false;
        if (are_integers_ && magnitudes(value).hi <= largest_integer_) return true;
        const double step = numerics::nearest(formula_.grid()->step());
        return magnitudes(slope).lo * step * (1 - 1e-15) > spacing(*formula_.format, magnitudes(value).hi);
    }

    Answer at_point(const Box& box) const {
        Box next = box;
        next.sides.front() = Enclosure::exactly(box.sides.front().lo + 1);
        for (const auto how : {evaluate::Enclosing::fast, evaluate::Enclosing::rigorous}) {
            const std::vector<Enclosure> values = value_.over({box, next}, how);
            const auto here = rounded(values[0]);
            const auto there = rounded(values[1]);
            if (here && there) return is_same(in_format(*here), in_format(*there)) ? Answer::yes : Answer::no;
        }
        return Answer::unknown;
    }

    double in_format(double value) const { return numerics::round_to(*formula_.format, value); }

    /// The number to which all values of the enclosure round. An overflow counts as the infinity of its sign, also in
    /// formats without infinities, because there are values without overflow between overflows of both signs.
    std::optional<double> rounded(const Enclosure& value) const {
        if (is_unknown(value)) return std::nullopt;
        const double low = rounded(value.lo);
        return low == rounded(value.hi) ? std::optional(low) : std::nullopt;
    }

    double rounded(double value) const {
        const double nearest = in_format(value);
        return std::isfinite(nearest) ? nearest : std::copysign(std::numeric_limits<double>::infinity(), value);
    }

    const RoundedFormula& formula_;
    const Domain& domain_;
    BoxFunction value_;
    BoxSlope slope_;
    bool are_integers_ = false;
    /// The format represents every integer up to this one.
    double largest_integer_ = std::min(numerics::power_of_two(formula_.format->mantissa_bits + 1),
                                       numerics::largest_finite(*formula_.format));
};

class Collision : public Prepared {
public:
    explicit Collision(RoundedFormula formula) : formula_(std::move(formula)) {}

    double cost() const override { return formula_.cost(); }

    void define(const DefinitionOf&, Definition& own) const override {
        const numerics::Progression& grid = *formula_.grid();
        state_within("first", grid.part(0, grid.count() - 1), own);
    }

    core::Result run(const Inputs& inputs) const override {
        core::Result result;
        const std::optional<std::string> without = place_without_value(formula_, inputs);
        if (without) {
            result.set("first", core::Cell::missing());
            result.notes.emplace_back("not decided", *without);
        } else {
            result.set("first", formula_.is_stepwise ? step(inputs) : search(inputs, result));
        }
        return result;
    }

private:
    core::Cell search(const Inputs& inputs, core::Result& result) const {
        std::vector<Dimension> dimensions = Domain(formula_.over).dimensions();
        numerics::Progression& grid = dimensions.front().grid;
        grid = grid.part(0, grid.count() - 1);  // the last value has no next
        const Domain domain(std::move(dimensions));
        const First first = find_first(domain, formula_.boxes, inputs.interrupted, Neighbours(formula_, domain));
        if (first.unresolved) result.notes.emplace_back("not decided at", domain.text(*first.unresolved));
        return cell_of(domain, first);
    }

    core::Cell step(const Inputs& inputs) const {
        const numerics::Progression& grid = *formula_.grid();
        for (std::size_t start = 0; start + 1 < grid.count() && !inputs.interrupted(); start += collision_chunk) {
            const std::vector<double> values =
                stepwise_values(formula_, start, std::min(collision_chunk + 1, grid.count() - start));
            const auto same = std::adjacent_find(values.begin(), values.end(), is_same);
            if (same != values.end())
                return stepwise_cell(formula_, grid.exact(start + static_cast<std::size_t>(same - values.begin())));
        }
        return core::Cell::missing();
    }

    RoundedFormula formula_;
};

std::unique_ptr<Prepared> prepare_collision(const Declaration& declaration, core::Problems& problems) {
    std::optional<RoundedFormula> formula = read_rounded(declaration, true, problems);
    if (!formula) return nullptr;
    if (!formula->grid() || formula->grid()->count() < 2) {
        problems.add(place_of_key(declaration, "over"), "no two values to compare",
                     "over = { n = { from = 0, to = 65536 } }");
        return nullptr;
    }
    return std::make_unique<Collision>(std::move(*formula));
}

}  // namespace

const Kind& collision_kind() {
    static const Kind kind{"collision",       "the first value that a number format does not distinguish from the next",
                           rounded_keys(),    true,
                           prepare_collision, SearchRule::varied};
    return kind;
}

}  // namespace farfield::quantity
