#include "quantity/box_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include <farfield/evaluate/enclose.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/derivative.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/numerics/interval.hpp>

#include "quantity/tabulate.hpp"
#include "quantity/work.hpp"

namespace farfield::quantity {
namespace {

using formula::Node;
using formula::Op;
using numerics::Interval;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t most_boxes = 40'000;
constexpr double close_enough = 1e-12;
constexpr double narrow_enough = 1e-9;
constexpr std::size_t most_settled = 4000;  // boxes spent on the argument once the value is close enough
constexpr std::size_t most_cornered = 10;   // variables whose 2^10 corners are looked at

using Box = std::vector<core::Enclosure>;

struct Bounded {
    Box box;
    double lo;  ///< below the formula everywhere in the box
};

/// Operators with which a formula is Lipschitz-continuous where it is finite, so that the mean value form holds.
constexpr std::array smooth_operators = {Op::add,
                                         Op::subtract,
                                         Op::multiply,
                                         Op::divide,
                                         Op::negate,
                                         Op::power,
                                         Op::absolute,
                                         Op::exponential,
                                         Op::exponential_minus_one,
                                         Op::logarithm,
                                         Op::logarithm_one_plus,
                                         Op::logarithm_two,
                                         Op::sine,
                                         Op::cosine,
                                         Op::hyperbolic_tangent,
                                         Op::softplus,
                                         Op::sigmoid,
                                         Op::error_function};

bool is_smooth(const Node& tree) {
    if (tree->kind == formula::Kind::reduction || tree->kind == formula::Kind::index) return false;
    const bool is_known =
        std::find(smooth_operators.begin(), smooth_operators.end(), tree->op) != smooth_operators.end();
    if (tree->kind == formula::Kind::operation && !is_known) return false;
    return std::all_of(tree->children.begin(), tree->children.end(), is_smooth);
}

class Search {
public:
    Search(const Checked& formula, const std::vector<Stretch>& box, bool is_least) : source_(formula.source) {
        for (const Stretch& stretch : box) {
            names_.push_back(stretch.variable);
            start_.push_back(stretch.ends);
        }
        Node tree = is_least ? formula.tree : formula::make(Op::negate, {formula.tree});
        tree = formula::simplify(tree);
        value_ = formula::compile(tree, {{}, names_, {}});
        if (!is_smooth(tree)) return;
        for (const std::string& name : names_)
            slopes_.push_back(formula::compile(formula::derivative(tree, name), {{}, names_, {}}));
    }

    Extreme run() {
        bound(corners());
        std::vector<Bounded> open = bound({start_});
        std::vector<Bounded> closed;  // too narrow to halve
        for (std::size_t boxes = 1; boxes < most_boxes && !open.empty();) {
            std::vector<Box> halves = halve(open, closed);
            boxes += halves.size();
            open = bound(halves);
            drop(open);
            drop(closed);
            const bool is_close = lowest(open, closed) >= best_hi_ - close_enough * std::abs(best_hi_);
            if (is_close && (boxes >= most_settled || is_narrow(open))) break;
        }
        open.insert(open.end(), closed.begin(), closed.end());
        return answer(open);
    }

private:
    /// The ends of a monotone formula's box hold its extremes.
    std::vector<Box> corners() const {
        std::vector<Box> found = {start_};
        for (std::size_t side = 0; side < start_.size() && side < most_cornered; ++side) {
            const std::size_t count = found.size();
            for (std::size_t b = 0; b < count; ++b) {
                found.push_back(found[b]);
                found[b][side] = core::Enclosure::exactly(start_[side].lo);
                found.back()[side] = core::Enclosure::exactly(start_[side].hi);
            }
        }
        return found;
    }

    std::vector<core::Enclosure> enclose(const formula::Program& program, const std::vector<Box>& boxes) const {
        evaluate::EnclosedInputs inputs;
        inputs.points = boxes.size();
        for (std::size_t i = 0; i < names_.size(); ++i) {
            inputs.varying.emplace_back();
            for (const Box& box : boxes) inputs.varying.back().push_back(box[i]);
        }
        return evaluate::enclose(program, inputs, evaluate::Enclosing::fast);
    }

    /// Lower bounds of the boxes; the best value met comes from their middles.
    std::vector<Bounded> bound(const std::vector<Box>& boxes) {
        std::vector<Box> middles;
        for (const Box& box : boxes) {
            middles.emplace_back();
            for (const core::Enclosure& side : box)
                middles.back().push_back(core::Enclosure::exactly(side.lo + (side.hi - side.lo) / 2));
        }
        const std::vector<core::Enclosure> whole = enclose(value_, boxes);
        const std::vector<core::Enclosure> middle = enclose(value_, middles);
        std::vector<std::vector<core::Enclosure>> slopes;
        for (const formula::Program& slope : slopes_) slopes.push_back(enclose(slope, boxes));
        std::vector<Bounded> bounded;
        for (std::size_t b = 0; b < boxes.size(); ++b) {
            if (middle[b].hi < best_hi_) {
                best_hi_ = middle[b].hi;
                best_ = middles[b];
            }
            double lo = std::isnan(whole[b].lo) ? -infinity : whole[b].lo;
            if (!slopes.empty()) lo = std::max(lo, mean_value_bound(boxes[b], middles[b], middle[b], slopes, b));
            bounded.push_back({boxes[b], lo});
        }
        return bounded;
    }

    static double mean_value_bound(const Box& box, const Box& middle, const core::Enclosure& value,
                                   const std::vector<std::vector<core::Enclosure>>& slopes, std::size_t b) {
        Interval sum{value.lo, value.hi};
        for (std::size_t i = 0; i < box.size(); ++i) {
            const Interval slope{slopes[i][b].lo, slopes[i][b].hi};
            const Interval offset = Interval{box[i].lo, box[i].hi} - Interval{middle[i].lo, middle[i].hi};
            sum = sum + slope * offset;
        }
        return std::isnan(sum.lo) ? -infinity : sum.lo;
    }

    static std::vector<Box> halve(const std::vector<Bounded>& open, std::vector<Bounded>& closed) {
        std::vector<Box> halves;
        for (const Bounded& bounded : open) {
            const auto widest = std::max_element(bounded.box.begin(), bounded.box.end(),
                                                 [](const auto& a, const auto& b) { return a.width() < b.width(); });
            const double middle = widest->lo + widest->width() / 2;
            if (!(widest->lo < middle && middle < widest->hi)) {
                closed.push_back(bounded);
                continue;
            }
            const auto side = static_cast<std::size_t>(widest - bounded.box.begin());
            halves.push_back(bounded.box);
            halves.back()[side].hi = middle;
            halves.push_back(bounded.box);
            halves.back()[side].lo = middle;
        }
        return halves;
    }

    /// Whether no side left is more than a small share of the box searched.
    bool is_narrow(const std::vector<Bounded>& boxes) const {
        return std::all_of(boxes.begin(), boxes.end(), [&](const Bounded& bounded) {
            for (std::size_t i = 0; i < start_.size(); ++i)
                if (bounded.box[i].width() > narrow_enough * start_[i].width()) return false;
            return true;
        });
    }

    void drop(std::vector<Bounded>& boxes) const {
        std::erase_if(boxes, [&](const Bounded& bounded) { return bounded.lo > best_hi_; });
    }

    static double lowest(const std::vector<Bounded>& open, const std::vector<Bounded>& closed) {
        double lo = infinity;
        for (const auto* boxes : {&open, &closed})
            for (const Bounded& bounded : *boxes) lo = std::min(lo, bounded.lo);
        return lo;
    }

    Extreme answer(const std::vector<Bounded>& left) const {
        if (best_.empty())
            throw core::UserError(
                {{source_.at, "the formula has no value (NaN) that interval arithmetic can see", "", ""}});
        Extreme extreme;
        extreme.where = Box(names_.size(), core::Enclosure{infinity, -infinity});
        for (const Bounded& bounded : left)
            for (std::size_t i = 0; i < names_.size(); ++i) {
                extreme.where[i].lo = std::min(extreme.where[i].lo, bounded.box[i].lo);
                extreme.where[i].hi = std::max(extreme.where[i].hi, bounded.box[i].hi);
            }
        evaluate::Inputs inputs;
        for (const core::Enclosure& side : best_) extreme.point.push_back(side.lo);
        for (const double& coordinate : extreme.point)
            inputs.varying.emplace_back(std::span<const double>(&coordinate, 1));
        extreme.value = evaluate::evaluate(value_, inputs)[0];
        extreme.enclosure = {lowest(left, {}), best_hi_};
        return extreme;
    }

    formula::Source source_;
    std::vector<std::string> names_;
    Box start_;
    formula::Program value_;
    std::vector<formula::Program> slopes_;
    double best_hi_ = infinity;  ///< above the least value
    Box best_;                   ///< the point that shows it
};

}  // namespace

Extreme find_extreme(const Checked& formula, const std::vector<Stretch>& box, bool is_least) {
    Extreme extreme = Search(formula, box, is_least).run();
    if (is_least) return extreme;
    extreme.value = -extreme.value;
    extreme.enclosure = {-extreme.enclosure.hi, -extreme.enclosure.lo};
    return extreme;
}

double box_search_cost(const formula::Node& tree) {
    return static_cast<double>(most_boxes) * operations(tree);
}

}  // namespace farfield::quantity
