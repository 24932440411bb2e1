// Whether two formulas are equal on a domain: proved by the simplifier, or with a bound of the difference by
// subdivision.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>

#include <farfield/formula/simplify.hpp>
#include <farfield/numerics/interval.hpp>

#include "quantity/box_function.hpp"
#include "quantity/kinds.hpp"
#include "quantity/selection.hpp"
#include "quantity/tabulate.hpp"
#include "quantity/work.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;
using core::Key;
using core::KeyType;
using numerics::Interval;

using numerics::infinity;
constexpr std::size_t boxes_at_once = 256;
constexpr int most_narrowed = 20'000;
/// The most boxes that are searched for a counterexample if a side has no value somewhere, so that no proof is
/// possible.
constexpr double most_where_undefined = 10'000;
/// If the difference is not zero, its largest magnitude is computed to this relative accuracy.
constexpr double accuracy = 1e-6;

constexpr std::array<Key, 5> identity_keys = {
    Key{.name = "left", .type = KeyType::formula, .required = true, .meaning = "one side"},
    Key{.name = "right", .type = KeyType::formula, .required = true, .meaning = "the other side"},
    Key{.name = "over",
        .type = KeyType::table,
        .meaning = "the domain: x = [lo, hi] for all reals between, "
                   "n = { from, to, step } for a grid"},
    Key{.name = "tolerance",
        .type = KeyType::number,
        .fallback = "0",
        .meaning = "largest difference that counts as zero",
        .least = 0},
    Key{.name = "boxes",
        .type = KeyType::integer,
        .fallback = "200000",
        .meaning = "largest number of boxes that are examined",
        .least = 1,
        .most = 1e9},
};

struct IdentityQuestion {
    Checked left;
    Checked right;
    Over over;
    Interval tolerance = numerics::point(0);  ///< contains the exact number
    double boxes = 0;
};

/// A box and an upper bound of |left - right| on it.
struct BoundedDifference {
    Box box;
    double upper;
    bool operator<(const BoundedDifference& other) const { return upper < other.upper; }
};

double magnitude(const Enclosure& value) {
    return is_unknown(value) ? infinity : std::max(std::abs(value.lo), std::abs(value.hi));
}

/// The smallest magnitude of a value with this enclosure; 0 if nothing is known.
double least_magnitude_in(const Enclosure& value) {
    if (is_unknown(value) || value.contains(0)) return 0;
    return std::min(std::abs(value.lo), std::abs(value.hi));
}

formula::Node difference_of(const IdentityQuestion& question) {
    return formula::make(formula::Op::subtract, {question.left.tree, question.right.tree});
}

formula::Node simple_difference(const IdentityQuestion& question) {
    return formula::simplify(difference_of(question));
}

/// Branch and bound for the largest |difference|: the box with the largest bound is halved until the bound equals the
/// largest difference found at a point.
class IdentitySearch {
public:
    /// The difference may be simplified, so its values count only where both sides have a value.
    IdentitySearch(const IdentityQuestion& question, const formula::Condition& has_value, const Domain& domain)
        : question_(question), domain_(domain), value_(simple_difference(question), domain, has_value) {
        const std::vector<Dimension>& dimensions = domain.dimensions();
        if (std::any_of(dimensions.begin(), dimensions.end(), [](const Dimension& each) { return each.is_grid; }))
            return;
        for (const Dimension& dimension : dimensions)
            slopes_.emplace_back(difference_of(question), dimension.variable, domain);
    }

    void run(double most_boxes, const Inputs& inputs) {
        add({domain_.whole()});
        while (!open_.empty() && looked_at_ < most_boxes && !inputs.interrupted()) {
            const double upper = open_.top().upper;
            const bool is_sharp = upper - lower_ <= accuracy * lower_;
            if (is_sharp || upper <= question_.tolerance.lo || upper == 0) break;
            add(next_boxes());
        }
    }

    double lower() const { return lower_; }
    double upper() const { return std::max(closed_, open_.empty() ? 0 : open_.top().upper); }
    const Box& where() const { return where_; }

private:
    std::vector<Box> next_boxes() {
        std::vector<Box> boxes;
        while (!open_.empty() && boxes.size() < boxes_at_once) {
            const BoundedDifference worst = open_.top();
            open_.pop();
            const std::vector<Box> parts = domain_.halves(worst.box);
            if (parts.empty()) closed_ = std::max(closed_, worst.upper);
            boxes.insert(boxes.end(), parts.begin(), parts.end());
        }
        return boxes;
    }

    void add(const std::vector<Box>& boxes) {
        looked_at_ += static_cast<double>(boxes.size());
        std::vector<Box> centres;
        centres.reserve(boxes.size());
        for (const Box& box : boxes) centres.push_back(domain_.centre(box));
        const std::vector<Enclosure> at_centre = value_.over(centres, evaluate::Enclosing::fast);
        std::vector<Enclosure> bounds = value_.over(boxes, evaluate::Enclosing::fast);
        if (!slopes_.empty()) sharpen(boxes, centres, at_centre, bounds);
        narrow_points(boxes, bounds);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            const double found = least_magnitude_in(domain_.is_point(boxes[i]) ? bounds[i] : at_centre[i]);
            if (found > lower_) {
                lower_ = found;
                where_ = centres[i];
            }
            open_.push({boxes[i], magnitude(bounds[i])});
        }
    }

    /// Points with wide enclosures by fast arithmetic are the last boxes of a grid. If they are few, they are computed
    /// with slow arithmetic.
    void narrow_points(const std::vector<Box>& boxes, std::vector<Enclosure>& bounds) {
        std::vector<std::size_t> which;
        std::vector<Box> points;
        for (std::size_t i = 0; i < boxes.size() && narrowed_ < most_narrowed; ++i) {
            if (!domain_.is_point(boxes[i]) || magnitude(bounds[i]) <= lower_ * (1 + accuracy)) continue;
            which.push_back(i);
            points.push_back(boxes[i]);
            ++narrowed_;
        }
        const std::vector<Enclosure> narrow = value_.over(points, evaluate::Enclosing::rigorous);
        for (std::size_t i = 0; i < which.size(); ++i) bounds[which[i]] = narrow[i];
    }

    /// f(X) lies in f(c) + sum of f_i(X) (X_i - c_i).
    void sharpen(const std::vector<Box>& boxes, const std::vector<Box>& centres,
                 const std::vector<Enclosure>& at_centre, std::vector<Enclosure>& bounds) const {
        std::vector<Interval> mean(boxes.size());
        for (std::size_t i = 0; i < boxes.size(); ++i) mean[i] = {at_centre[i].lo, at_centre[i].hi};
        for (std::size_t side = 0; side < slopes_.size(); ++side) {
            const std::vector<Enclosure> slope = slopes_[side].over(boxes, evaluate::Enclosing::fast);
            for (std::size_t i = 0; i < boxes.size(); ++i) {
                const Interval reach = Interval{boxes[i].sides[side].lo, boxes[i].sides[side].hi} -
                                       Interval{centres[i].sides[side].lo, centres[i].sides[side].hi};
                mean[i] = mean[i] + Interval{slope[i].lo, slope[i].hi} * reach;
            }
        }
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            // The mean value form gives no bound where the formula may be undefined.
            if (numerics::is_undefined(mean[i]) || is_unknown(bounds[i])) continue;
            bounds[i] = {std::max(bounds[i].lo, mean[i].lo), std::min(bounds[i].hi, mean[i].hi)};
        }
    }

    const IdentityQuestion& question_;
    const Domain& domain_;
    BoxFunction value_;
    std::vector<BoxSlope> slopes_;  ///< one for each dimension, or none
    std::priority_queue<BoundedDifference> open_;
    double closed_ = 0;
    double lower_ = 0;
    double looked_at_ = 0;
    int narrowed_ = 0;
    Box where_;
};

class Identity : public Prepared {
public:
    explicit Identity(IdentityQuestion question) : question_(std::move(question)) {}

    double cost() const override { return cost_of(question_.boxes); }
    double usual_cost() const override { return cost_of(std::min(question_.boxes, usual_boxes)); }

    core::Result run(const Inputs& inputs) const override {
        const Domain domain(question_.over);
        const formula::Condition condition =
            formula::both(formula::defined(question_.left.tree), formula::defined(question_.right.tree));
        const auto most = static_cast<std::size_t>(question_.boxes);
        const std::optional<WithoutValue> without =
            find_without_value(BoxCondition(condition, domain), domain, most, inputs.interrupted);
        core::Result result;
        if (!without && formula::proves_equal(question_.left.tree, question_.right.tree)) {
            result.set("holds", core::Cell::exact(1));
            result.set("max_difference", core::Cell::exact(0));
            result.notes.emplace_back("method", "identity of the simplifier");
            return result;
        }
        IdentitySearch search(question_, condition, domain);
        search.run(without ? std::min(question_.boxes, most_where_undefined) : question_.boxes, inputs);
        report(search, !without, domain, result);
        if (without) result.notes.emplace_back("not decided", describe(*without, domain));
        return result;
    }

private:
    double cost_of(double boxes) const {
        return boxes * (operations(question_.left.tree) + operations(question_.right.tree) + 1) * 50;
    }

    void report(const IdentitySearch& search, bool has_values, const Domain& domain, core::Result& result) const {
        const bool is_refuted = search.lower() > question_.tolerance.hi;
        const bool is_proved = has_values && search.upper() <= question_.tolerance.lo;
        result.set("holds", is_refuted || is_proved ? core::Cell::exact(is_proved ? 1 : 0) : core::Cell::missing());
        result.set("max_difference", has_values || is_refuted ? cell(search.lower(), {search.lower(), search.upper()})
                                                              : core::Cell::missing());
        result.notes.emplace_back("method", "interval subdivision");
        if (search.lower() > 0) result.notes.emplace_back("largest found at", domain.text(search.where()));
    }

    IdentityQuestion question_;
};

/// The formula as written or, if it is a name of `let`, that name's formula. Names inside a formula are not replaced:
/// an identity may say that two ways to count an index agree.
formula::Node meant(const Declaration& declaration, const Checked& side) {
    const formula::Node tree = formula::parse(side.source);
    const core::Entry* let = declaration.settings.find("let");
    const core::Entries* names = let && tree->kind == formula::Kind::name ? let->value.entries() : nullptr;
    const core::Entry* named = names ? names->find(tree->text) : nullptr;
    return named && named->value.string() ? formula::parse(*named->value.string()) : tree;
}

/// Around the decimal as written.
Interval tolerance_of(const Declaration& declaration) {
    const core::Entry* entry = declaration.settings.find("tolerance");
    const auto exact = entry ? exact_number(entry->value) : std::nullopt;
    return exact ? numerics::enclose(*exact) : numerics::point(0);
}

std::unique_ptr<Prepared> prepare_identity(const Declaration& declaration, core::Problems& problems) {
    const std::size_t before = problems.reports();
    const Over over = read_over(declaration, problems).value_or(Over{});
    const auto left = read_formula(declaration, {.key = "left", .variables = over.variables()}, problems);
    const auto right = read_formula(declaration, {.key = "right", .variables = over.variables()}, problems);
    if (problems.reports() == before && left && right &&
        formula::equal(meant(declaration, *left), meant(declaration, *right)))
        problems.add(place_of_key(declaration, "right"), "'right' is the same formula as 'left'", "another formula");
    if (problems.reports() != before || !left || !right) return nullptr;
    const core::Settings settings(declaration.settings, identity_keys);
    return std::make_unique<Identity>(IdentityQuestion{*left, *right, over, tolerance_of(declaration),
                                                       static_cast<double>(settings.integer("boxes"))});
}

}  // namespace

const Kind& identity_kind() {
    static const Kind kind{"identity",
                           "whether two formulas are equal on a domain, and by how much they differ",
                           identity_keys,
                           true,
                           prepare_identity,
                           SearchRule::used,
                           {"holds >= 0 and holds <= 1 and holds == floor(holds) and max_difference >= 0"}};
    return kind;
}

}  // namespace farfield::quantity
