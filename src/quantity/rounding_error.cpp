// The largest rounding error of a formula that is computed in a number format, over a box.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <farfield/evaluate/rounding_error.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/numerics/interval.hpp>
#include <farfield/numerics/philox.hpp>

#include "numerics/directed.hpp"
#include "quantity/box_function.hpp"
#include "quantity/box_search.hpp"
#include "quantity/definition.hpp"
#include "quantity/evidence.hpp"
#include "quantity/kinds.hpp"
#include "quantity/rounded.hpp"
#include "quantity/selection.hpp"
#include "quantity/tabulate.hpp"
#include "quantity/work.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;
using core::Key;
using core::KeyType;
using evaluate::ErrorBound;
using evaluate::RoundingError;
using evaluate::RoundingModel;
using formula::Node;
using numerics::infinity;

/// A bound is accurate enough if it is this close to the value of its sum at a point.
constexpr double rounding_close_enough = 1e-4;
constexpr double close_enough_relatively = 1e-2;
constexpr double most_thinner = 8;                // ratio of sides of unknown and known influence
constexpr std::size_t most_rounding_corners = 6;  // the most variables, whose 2^6 corners are examined
constexpr std::size_t most_rounding_points = 2'000;
constexpr double most_operations_at_points = 4e5;
constexpr std::size_t most_terms = 5;
constexpr std::uint64_t seed = 1;

constexpr std::array<Key, 6> rounding_error_keys = {
    Key{.name = "computed", .type = KeyType::formula, .meaning = "formula with rounding operators; all else is exact"},
    Key{.name = "exact", .type = KeyType::formula, .meaning = "the exact formula that `computed` stands for"},
    Key{.name = "over",
        .type = KeyType::table,
        .unit = "{ x = [lo, hi], n = { from, to, step } }",
        .required = true,
        .meaning = "the box: reals, or the values of a grid"},
    Key{.name = "format",
        .type = KeyType::text,
        .fallback = "fp64",
        .meaning = "number format of each operation's result: fp64, fp32, fp16, bf16, e4m3, e5m2"},
    Key{.name = "inputs",
        .type = KeyType::text,
        .fallback = "format",
        .meaning = "format: variables and literals are numbers of the format; real: they are rounded first",
        .choices = "format|real"},
    Key{.name = "boxes",
        .type = KeyType::integer,
        .fallback = "20000",
        .meaning = "largest number of boxes that are examined for each bound",
        .least = 1,
        .most = 1e9},
};

struct RoundingQuestion {
    Checked formula;               ///< the computed formula
    std::optional<Checked> exact;  ///< the intended formula, if it is another one
    RoundingModel model;
    std::string format;  ///< its name, if there is one
    std::size_t boxes = 0;
};

/// 2^(exponent of the magnitude) in units of the last place.
double unit_at(const numerics::Format& format, double magnitude) {
    const int exponent = magnitude == 0 ? numerics::lowest_exponent(format) : std::ilogb(magnitude);
    const int unit = std::max(exponent, numerics::lowest_exponent(format)) - format.mantissa_bits;
    return std::max(std::ldexp(1.0, unit), std::numeric_limits<double>::denorm_min());
}

/// The unit of the error.
enum class Measure { absolute, relative, units };

/// A bound of the largest error and a point where it is found.
struct Found {
    double error = 0;  ///< a lower bound of the error at the point
    core::Cell cell;   ///< the error there
    std::vector<double> point;
};

class Analysis {
public:
    Analysis(const RoundingQuestion& question, const Domain& domain, const std::function<bool()>& interrupted)
        : question_(question), domain_(domain), interrupted_(interrupted) {
        std::string problem;
        computed_ = RoundingError::of(question.formula.tree, domain.variables(), question.model, problem);
        if (question.exact) exact_ = RoundingError::of(question.exact->tree, domain.variables(), {}, problem);
        gap_ = difference();
        sample();
    }

    core::Result run() {
        core::Result result;
        result.notes.emplace_back("method", "sum of each rounding's effect, by subdivision");
        const double absolute = bound(Measure::absolute);
        set("absolute", absolute, found_[0].error, result);
        result.set("found", found_[0].point.empty() ? core::Cell::missing() : found_[0].cell);
        for (std::size_t i = 0; i < domain_.dimensions().size(); ++i) {
            const std::string name = "found_" + domain_.dimensions()[i].variable;
            result.set(name, found_[0].point.empty() ? core::Cell::missing() : core::Cell::exact(found_[0].point[i]));
        }
        const bool has_units = question_.model.format.has_value();
        const double relative = has_zero_ ? infinity : bound(Measure::relative);
        set("relative", relative, found_[1].error, result);
        set("ulps", has_zero_ || !has_units ? infinity : bound(Measure::units), found_[2].error, result);
        if (!std::isfinite(relative))
            result.notes.emplace_back("relative", "the formula is not shown to stay away from zero");
        if (std::isfinite(absolute)) result.notes.emplace_back("largest terms", terms());
        if (!std::isfinite(absolute)) result.notes.emplace_back("not decided", why_unbounded());
        return result;
    }

private:
    struct Candidate {
        Box box;
        double bound;
        std::vector<double> by_input;
        bool operator<(const Candidate& other) const { return bound < other.bound; }
    };

    static void set(const std::string& name, double bound, double found, core::Result& result) {
        result.set(name, std::isfinite(bound) ? core::Cell::enclosed(bound, {found, bound}) : core::Cell::missing());
    }

    /// The largest |computed - exact| of the two formulas without any rounding.
    double difference() const {
        if (!question_.exact) return 0;
        const Node apart =
            formula::make(formula::Op::subtract, {without_rounding(question_.formula.tree), question_.exact->tree});
        const Node simple = formula::simplify(apart);
        if (simple->kind == formula::Kind::number && simple->number == 0) return 0;
        const Checked formula{apart, question_.formula.source};
        const Domain reals = with_stretches();
        double largest = 0;
        for (const bool is_least : {true, false}) {
            const Extreme extreme = find_extreme(formula, reals, is_least, question_.boxes);
            if (!extreme.value.enclosure) return infinity;
            largest =
                std::max({largest, std::fabs(extreme.value.enclosure->lo), std::fabs(extreme.value.enclosure->hi)});
        }
        return largest;
    }

    /// The domain with all reals between the ends of a grid, because the search for extremes supports only stretches.
    Domain with_stretches() const {
        std::vector<Dimension> sides = domain_.dimensions();
        for (std::size_t i = 0; i < sides.size(); ++i) {
            if (!sides[i].is_grid) continue;
            const Enclosure indexes = domain_.whole().sides[i];
            sides[i].is_grid = false;
            sides[i].stretch = domain_.values(domain_.whole(), i);
            sides[i].lo = domain_.exact(i, indexes.lo);
            sides[i].hi = domain_.exact(i, indexes.hi);
        }
        return Domain(std::move(sides));
    }

    static Node without_rounding(const Node& tree) {
        std::vector<Node> children;
        for (const Node& child : tree->children) children.push_back(without_rounding(child));
        if (tree->kind == formula::Kind::reduction)
            return formula::make_reduction(tree->op, tree->text, children[0], children[1], children[2]);
        if (tree->kind != formula::Kind::operation) return tree;
        return formula::is_rounding(tree->op) ? children[0] : formula::make(tree->op, children);
    }

    std::vector<Enclosure> sides(const Box& box) const {
        std::vector<Enclosure> values;
        for (std::size_t i = 0; i < box.sides.size(); ++i) values.push_back(domain_.values(box, i));
        return values;
    }

    double measured(Measure measure, double error, const Enclosure& value) const {
        if (measure == Measure::absolute) return error;
        const double least = magnitudes(value).lo;
        if (least == 0 || !std::isfinite(error)) return infinity;
        return numerics::divide_up(error,
                                   measure == Measure::relative ? least : unit_at(*question_.model.format, least));
    }

    Candidate look_at(const Box& box, Measure measure) {
        const std::vector<Enclosure> values = sides(box);
        const ErrorBound found = computed_->over(values);
        const double error = numerics::add_up(found.error, gap_);
        const RoundingError::MiddleSum middle = computed_->near_middle(values);
        const double likely = measured(measure, middle.error, middle.value);
        if (std::isfinite(likely)) likely_ = std::max(likely_, likely);
        // The intended formula may differ by this much from the computed one.
        const Enclosure value{-numerics::add_up(-found.value.lo, gap_), numerics::add_up(found.value.hi, gap_)};
        double bound = measured(measure, error, value);
        if (std::isnan(bound)) bound = infinity;
        return {box, bound, found.by_input};
    }

    double bound(Measure measure) {
        likely_ = 0;
        const double close = measure == Measure::absolute ? rounding_close_enough : close_enough_relatively;
        look_at_corners(measure);
        std::priority_queue<Candidate> open;
        double closed = 0;  // boxes that cannot be halved
        open.push(look_at(domain_.whole(), measure));
        for (std::size_t boxes = 1; boxes < question_.boxes && !open.empty() && !interrupted_();) {
            const Candidate worst = open.top();
            if (worst.bound <= std::max(closed, likely_ * (1 + close))) break;
            open.pop();
            const std::vector<Box> parts = halves(worst);
            if (parts.empty()) closed = std::max(closed, worst.bound);
            for (const Box& part : parts) {
                Candidate candidate = look_at(part, measure);
                candidate.bound = std::min(candidate.bound, worst.bound);
                open.push(std::move(candidate));
            }
            boxes += parts.size();
        }
        if (measure == Measure::absolute) worst_ = open.empty() ? domain_.whole() : open.top().box;
        return open.empty() ? closed : std::max(closed, open.top().bound);
    }

    void look_at_corners(Measure measure) {
        std::vector<Box> corners = {domain_.whole()};
        for (std::size_t side = 0; side < domain_.dimensions().size() && side < most_rounding_corners; ++side) {
            const std::size_t count = corners.size();
            for (std::size_t b = 0; b < count; ++b) {
                corners.push_back(corners[b]);
                corners[b].sides[side] = Enclosure::exactly(corners[b].sides[side].lo);
                corners.back().sides[side] = Enclosure::exactly(corners.back().sides[side].hi);
            }
        }
        for (const Box& corner : corners) look_at(corner, measure);
    }

    /// Halves the side on whose width the bound depends most, according to slopes. Slopes do not show undecided signs
    /// or changes of the unit in the last place, so a side without slopes is halved if it is far wider.
    std::vector<Box> halves(const Candidate& candidate) const {
        const auto most = std::max_element(candidate.by_input.begin(), candidate.by_input.end());
        if (most == candidate.by_input.end() || !(*most > 0) || !std::isfinite(*most))
            return domain_.halves(candidate.box);
        const auto side = static_cast<std::size_t>(most - candidate.by_input.begin());
        std::size_t widest = side;
        for (std::size_t i = 0; i < candidate.by_input.size(); ++i)
            if (!(candidate.by_input[i] > 0) && share(candidate.box, i) > share(candidate.box, widest)) widest = i;
        const bool is_thin = share(candidate.box, widest) > most_thinner * share(candidate.box, side);
        const std::vector<Box> parts = domain_.halves(candidate.box, is_thin ? widest : side);
        return parts.empty() ? domain_.halves(candidate.box) : parts;
    }

    /// The width of a side as a share of the whole.
    double share(const Box& box, std::size_t side) const {
        const double whole = domain_.whole().sides[side].width();
        return whole > 0 ? box.sides[side].width() / whole : 0;
    }

    /// A number of the side; for a grid, one of its values. Nothing if inputs must be numbers of the format and it is
    /// not one.
    std::optional<double> number(std::size_t dimension, double share) const {
        const Dimension& side = domain_.dimensions()[dimension];
        const bool are_numbers = question_.model.format && !question_.model.rounds_inputs;
        const auto rounded = [&](double value) {
            const bool is_narrow = are_numbers && question_.model.format->mantissa_bits < 52;
            return is_narrow ? numerics::round_to(*question_.model.format, value) : value;
        };
        if (side.is_grid) {
            const auto last = static_cast<double>(side.grid.count() - 1);
            const auto index = static_cast<std::size_t>(std::floor(share * last + 0.5));
            const double value = side.grid.enclose(index).lo;
            const bool is_point = value == side.grid.enclose(index).hi && rounded(value) == value;
            return is_point ? std::optional(value) : std::nullopt;
        }
        const double value = rounded(side.stretch.lo + share * side.stretch.width());
        return side.holds(value) ? std::optional(value) : std::nullopt;
    }

    void try_point(const std::vector<double>& shares) {
        std::vector<double> point;
        for (std::size_t i = 0; i < shares.size(); ++i) {
            const std::optional<double> value = number(i, std::clamp(shares[i], 0.0, 1.0));
            if (!value) return;
            point.push_back(*value);
        }
        const RoundingError::AtPoint at = computed_->at(point);
        // Rounding operators in the intended formula belong to its meaning.
        const Enclosure exact = exact_ ? exact_->at(point).computed : at.exact;
        const Enclosure error = exact_ ? apart(at, exact) : at.error;
        if (!std::isfinite(error.hi) || !std::isfinite(exact.lo) || !std::isfinite(exact.hi)) return;
        if (exact.lo <= 0) has_low_ = true;
        if (exact.hi >= 0) has_high_ = true;
        has_zero_ = has_low_ && has_high_;
        const double largest = std::max(std::fabs(exact.lo), std::fabs(exact.hi));
        keep(0, error.lo, error, point, shares);
        if (largest == 0) return;
        keep(1, numerics::divide_down(error.lo, largest), error, point, shares);
        if (question_.model.format)
            keep(2, numerics::divide_down(error.lo, unit_at(*question_.model.format, largest)), error, point, shares);
    }

    /// |computed - exact| if exact is the value of another formula.
    static Enclosure apart(const RoundingError::AtPoint& at, const Enclosure& exact) {
        const numerics::Interval between =
            numerics::abs(numerics::Interval{at.computed.lo, at.computed.hi} - numerics::Interval{exact.lo, exact.hi});
        return {between.lo, between.hi};
    }

    void keep(std::size_t measure, double error, const Enclosure& cell, const std::vector<double>& point,
              const std::vector<double>& shares) {
        Found& found = found_[measure];
        if (!found.point.empty() && !(error > found.error)) return;
        found = {error, core::Cell::enclosed(cell.lo, cell), point};
        if (measure == 0) best_ = shares;
    }

    /// Samples corners, random points, and points closer and closer to the worst one found.
    void sample() {
        const std::size_t sides = domain_.dimensions().size();
        const double affordable = most_operations_at_points / static_cast<double>(computed_->operations());
        const auto points =
            static_cast<std::size_t>(std::clamp(affordable, 20.0, static_cast<double>(most_rounding_points)));
        best_.assign(sides, 0.5);
        const std::size_t cornered = std::min(sides, most_rounding_corners);
        for (std::size_t corner = 0; corner < std::size_t{1} << cornered; ++corner) {
            std::vector<double> shares(sides, 0.5);
            for (std::size_t i = 0; i < cornered; ++i) shares[i] = (corner >> i & 1) != 0 ? 1 : 0;
            try_point(shares);
        }
        numerics::Random random(seed, 0);
        for (std::size_t i = 0; i < points && !interrupted_(); ++i) {
            const double reach = i % 2 == 0 ? 1 : std::exp2(-20 * static_cast<double>(i) / static_cast<double>(points));
            std::vector<double> shares;
            for (std::size_t side = 0; side < sides; ++side) {
                const double from = i % 2 == 0 ? random.uniform() : best_[side] + reach * (random.uniform() - 0.5);
                shares.push_back(from);
            }
            try_point(shares);
        }
    }

    std::string terms() {
        std::string text;
        for (const evaluate::ErrorTerm& term : computed_->terms(sides(worst_), most_terms)) {
            if (!text.empty()) text += ", ";
            text += fmt::format("{} ({:.1f} %)", term.text, 100 * term.share);
        }
        return text;
    }

    std::string why_unbounded() const {
        return "no bound within " + std::to_string(question_.boxes) + " boxes; a part may overflow or jump at " +
               domain_.text(worst_);
    }

    const RoundingQuestion& question_;
    const Domain& domain_;
    const std::function<bool()>& interrupted_;
    std::optional<RoundingError> computed_;
    std::optional<RoundingError> exact_;
    double gap_ = 0;
    double likely_ = 0;
    bool has_low_ = false;
    bool has_high_ = false;
    bool has_zero_ = false;
    std::array<Found, 3> found_;
    std::vector<double> best_;  ///< shares of the sides at the point found
    Box worst_;
};

class RoundingErrorOfFormula : public Prepared {
public:
    RoundingErrorOfFormula(RoundingQuestion question, const Over& over)
        : question_(std::move(question)), domain_(over) {}

    double cost() const override {
        return 100 * operations(question_.formula.tree) * static_cast<double>(question_.boxes);
    }

    void define(const DefinitionOf&, Definition& own) const override { state_within_each("found", domain_, own); }

    core::Result run(const Inputs& inputs) const override {
        core::Result result;
        const formula::Condition computed_has_value = formula::defined(question_.formula.tree);
        const formula::Condition has_value =
            question_.exact ? formula::both(computed_has_value, formula::defined(question_.exact->tree))
                            : computed_has_value;
        const std::optional<WithoutValue> without =
            find_without_value(BoxCondition(has_value, domain_), domain_, question_.boxes, inputs.interrupted);
        if (without) {
            for (const char* field : {"absolute", "found", "relative", "ulps"})
                result.set(field, core::Cell::missing());
            result.notes.emplace_back("not decided", describe(*without, domain_));
        } else {
            result = Analysis(question_, domain_, inputs.interrupted).run();
        }
        state(result.evidence, "formula", question_.formula.tree);
        if (question_.exact) state(result.evidence, "exact", question_.exact->tree);
        return result;
    }

private:
    RoundingQuestion question_;
    Domain domain_;
};

void read_model(const Declaration& declaration, bool has_pair, RoundingQuestion& question, core::Problems& problems) {
    const std::string inputs = core::Settings(declaration.settings, rounding_error_keys).text("inputs");
    const core::Entry* entry = declaration.settings.find("format");
    if (has_pair) {
        for (const char* key : {"format", "inputs"})
            if (declaration.settings.find(key))
                problems.add(place_of_key(declaration, key), fmt::format("'{}' beside 'computed'", key),
                             "operators that round, such as fp32(x), in 'computed'");
        return;
    }
    question.format = entry && entry->value.string() ? *entry->value.string() : std::string(evaluate::fp64.name);
    question.model.rounds_inputs = inputs == "real";
    question.model.format = evaluate::fp64;
    if (evaluate::fp64.is_called(question.format)) return;
    if (const numerics::Format* format = numerics::find_format(question.format)) {
        question.model.format = *format;
        return;
    }
    std::vector<std::string> known = {std::string(evaluate::fp64.name)};
    for (const numerics::Format& format : numerics::formats()) known.emplace_back(format.name);
    const std::string found = "unknown format '" + question.format + "'";
    problems.add(entry->value.place, found, "", core::known_here(question.format, known));
}

/// Whether the formula can be analysed.
void check(const Checked& formula, const Over& over, const core::Place& place, core::Problems& problems) {
    std::string problem;
    if (!RoundingError::of(formula.tree, over.variables(), {}, problem))
        problems.add(place, "rounding-error of " + problem, "operations, functions, and loops between numbers");
}

/// Whether the formula has an operator that rounds to a number format.
bool rounds_anywhere(const formula::Node& tree) {
    if (tree->kind == formula::Kind::operation && formula::is_rounding(tree->op)) return true;
    return std::any_of(tree->children.begin(), tree->children.end(), rounds_anywhere);
}

std::unique_ptr<Prepared> prepare_rounding_error(const Declaration& declaration, core::Problems& problems) {
    const std::size_t before = problems.reports();
    const std::string_view given = one_of(declaration, {"formula", "computed"}, problems);
    const std::optional<Over> over = read_over(declaration, problems);
    if (given.empty() || !over) return nullptr;
    const bool has_pair = given == "computed";
    RoundingQuestion question;
    std::optional<Checked> formula =
        read_formula(declaration, {.key = given, .variables = over->variables()}, problems);
    question.exact = read_formula(declaration, {.key = "exact", .variables = over->variables()}, problems);
    if (has_pair && formula && question.exact && !rounds_anywhere(formula->tree))
        problems.add(place_of_key(declaration, given), "'computed' rounds nothing",
                     "operators that round, such as fp32(x), or 'formula' and a 'format'");
    if (has_pair != (declaration.settings.find("exact") != nullptr))
        problems.add(declaration.place, has_pair ? "'computed' without 'exact'" : "'exact' without 'computed'",
                     "both, or 'formula' alone");
    read_model(declaration, has_pair, question, problems);
    if (problems.reports() == before && question.model.format && !question.model.rounds_inputs)
        require_numbers_of(*question.model.format, declaration, *over, problems);
    if (problems.reports() != before || !formula) return nullptr;
    check(*formula, *over, place_of_key(declaration, given), problems);
    if (question.exact) check(*question.exact, *over, place_of_key(declaration, "exact"), problems);
    if (problems.reports() != before) return nullptr;
    question.formula = std::move(*formula);
    question.boxes = core::Settings(declaration.settings, rounding_error_keys).count("boxes");
    return std::make_unique<RoundingErrorOfFormula>(std::move(question), *over);
}

}  // namespace

const Kind& rounding_error_kind() {
    static const Kind kind = {"rounding-error",
                              "how far a formula computed in a number format is from its real value",
                              rounding_error_keys,
                              true,
                              prepare_rounding_error,
                              SearchRule::used,
                              {"absolute >= 0 and absolute >= found and relative >= 0 and ulps >= 0"}};
    return kind;
}

}  // namespace farfield::quantity
