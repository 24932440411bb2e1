#include "quantity/safe_length_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <farfield/formula/simplify.hpp>
#include <farfield/scheme/pieces.hpp>

#include "numerics/rational.hpp"
#include "quantity/box_function.hpp"
#include "quantity/rounded.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;
using formula::Node;
using formula::Op;

constexpr std::size_t most_length_boxes = 2'000'000;

bool never() {
    return false;
}

/// Replaces abs(n) by n, because distances are not negative.
Node without_sign(const Node& tree, const char* variable) {
    const bool is_absolute = tree->kind == formula::Kind::operation && tree->op == Op::absolute;
    if (is_absolute && formula::equal(tree->children[0], formula::make_name(variable))) return tree->children[0];
    if (tree->kind != formula::Kind::operation) return tree;
    std::vector<Node> children;
    for (const Node& child : tree->children) children.push_back(without_sign(child, variable));
    return formula::make(tree->op, std::move(children));
}

/// Whether the tree is the variable itself, or a product or quotient of it and parts without it.
bool is_multiple(const Node& tree, const std::string& variable) {
    if (tree->kind == formula::Kind::name) return tree->text == variable;
    if (tree->kind != formula::Kind::operation) return false;
    const auto is_free = [&](const Node& part) {
        const std::vector<std::string> names = formula::free_names(part);
        return std::find(names.begin(), names.end(), variable) == names.end();
    };
    const std::vector<Node>& x = tree->children;
    if (tree->op == Op::negate) return is_multiple(x[0], variable);
    if (tree->op == Op::divide) return is_multiple(x[0], variable) && is_free(x[1]);
    return tree->op == Op::multiply &&
           ((is_multiple(x[0], variable) && is_free(x[1])) || (is_free(x[0]) && is_multiple(x[1], variable)));
}

bool uses_name(const Node& tree, const char* name) {
    const std::vector<std::string> names = formula::free_names(tree);
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// A condition without variables is decided once.
formula::Condition settled(const formula::Condition& condition, const Domain& domain) {
    if (condition.kind != formula::Condition::Kind::depends) return condition;
    const std::vector<std::string> names = formula::free_names(condition.tree);
    for (const char* variable : {"n", "q", "k"})
        if (std::find(names.begin(), names.end(), variable) != names.end()) return condition;
    return BoxCondition(condition, domain).holds(domain.whole()) ? formula::Condition::always()
                                                                 : formula::Condition::never();
}

HeadBias head_bias(Node bias, double head) {
    HeadBias result{{}, scheme::depends_on_distance_only(bias), "h = " + text_of(head)};
    if (result.is_relative)
        bias = formula::substitute(bias, {{"q", formula::make_name("n")}, {"k", formula::make_number("0")}});
    // The condition of the bias as stated, because the laws hold only where its parts have values.
    const Domain one = distances("n", 1, 1);
    result.has_value = settled(formula::defined(bias), one);
    result.tree = formula::simplify(bias);
    if (!result.is_relative) return result;
    const Node positive = without_sign(result.tree, "n");
    if (!formula::equal(result.tree, positive)) result.tree = formula::simplify(positive);
    if (!is_linear(result.tree, result.has_value, "n")) return result;
    const Enclosure slope = magnitudes(
        BoxFunction(result.tree, one, result.has_value).over({one.whole()}, evaluate::Enclosing::rigorous).front());
    int exponent = 0;
    result.is_power = slope.lo == slope.hi && std::frexp(slope.lo, &exponent) == 0.5;
    result.slope = std::isnan(slope.hi) ? -1 : slope.hi;
    return result;
}

bool round_alike(const RoundedSteps& a, const RoundedSteps& b) {
    const bool has_formula = a.frequency && b.frequency;
    return a.positions == b.positions && a.frequencies == b.frequencies && a.angles == b.angles &&
           a.values == b.values && a.scale == b.scale && a.is_recurrent == b.is_recurrent &&
           (has_formula ? formula::equal(a.frequency, b.frequency) : a.frequency == b.frequency);
}

}  // namespace

Domain distances(const char* variable, long long first, long long count) {
    return Domain({Dimension{variable, true, {first, 1, static_cast<std::uint64_t>(count)}}});
}

Node at_one(const Node& tree, const char* variable) {
    return formula::simplify(formula::substitute(tree, {{variable, formula::make_number("1")}}));
}

bool is_linear(const Node& tree, const formula::Condition& has_value, const char* variable) {
    if (!has_value.is_always()) return false;
    return is_multiple(tree, variable) ||
           formula::proves_equal(tree,
                                 formula::make(Op::multiply, {formula::make_name(variable), at_one(tree, variable)}));
}

/// Whether the tree is its value at 1 to the power of the variable.
bool is_geometric(const Node& tree, const char* variable) {
    return formula::defined(tree).is_always() &&
           formula::proves_equal(tree,
                                 formula::make(Op::power, {at_one(tree, variable), formula::make_name(variable)}));
}

std::optional<Crossing> crossing(const Node& tree, const formula::Condition& has_value, const Domain& domain,
                                 const std::function<Answer(const Enclosure&)>& of_value) {
    const BoxFunction function(tree, domain, has_value);
    std::vector<Box> open;
    const First first = find_first(domain, most_length_boxes, never, [&](const std::vector<Box>& boxes) {
        const std::vector<Enclosure> values = function.over(boxes, evaluate::Enclosing::fast);
        std::vector<Answer> answers;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            answers.push_back(of_value(values[i]));
            if (answers.back() != Answer::unknown || !domain.is_point(boxes[i])) continue;
            answers.back() = of_value(function.over({boxes[i]}, evaluate::Enclosing::rigorous).front());
            if (answers.back() != Answer::unknown) continue;
            open.push_back(boxes[i]);
            answers.back() = Answer::yes;
        }
        return answers;
    });
    const std::optional<Box>& box = first.unresolved ? first.unresolved : first.found;
    if (!box) return std::nullopt;
    const auto is_box = [&](const Box& other) { return other.sides.front().lo == box->sides.front().lo; };
    const double at = domain.values(*box, 0).lo;
    return Crossing{static_cast<long long>(at), !first.unresolved && std::none_of(open.begin(), open.end(), is_box),
                    domain.dimensions()[0].variable + " = " + text_of(at)};
}

std::optional<Crossing> crossing_of_rounded(const Node& tree, const formula::Condition& has_value, const Domain& domain,
                                            const numerics::Format* format,
                                            const std::function<Answer(const Enclosure&)>& of_value) {
    std::optional<Crossing> first = crossing(tree, has_value, domain, of_value);
    if (!first || !format) return first;
    const auto rounded = [&](long long integer) { return numerics::round_to(*format, static_cast<double>(integer)); };
    // The first integer that rounds to the crossing or beyond, or to no number; rounding is monotone.
    const double at = static_cast<double>(first->at);
    const Dimension& variable = domain.dimensions().front();
    long long low = static_cast<long long>(variable.grid.at(0));
    long long high = low + static_cast<long long>(variable.grid.count());
    const long long end = high;
    while (low < high) {
        const long long middle = low + (high - low) / 2;
        if (rounded(middle) < at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == end) return std::nullopt;
    const double number = rounded(low);
    if (low == first->at && (number == at || !std::isfinite(number))) return first;
    const char* name = variable.variable.c_str();
    if (!std::isfinite(number))
        return Crossing{low, false, fmt::format("{} = {}, too large for the format", name, low)};
    const bool is_one = domain.dimensions().size() == 1;
    const std::optional<Crossing> there =
        is_one ? crossing(tree, has_value, distances(name, static_cast<long long>(number), 1), of_value) : std::nullopt;
    return Crossing{low, there && there->is_sure, fmt::format("{} = {}, rounded to {}", name, low, text_of(number))};
}

double largest_rounded(long long integer, const numerics::Format* format) {
    const double unit = format ? numerics::power_of_two(-format->mantissa_bits) : 0;
    return static_cast<double>(integer) * (1 + unit);
}

ExactPieces::ExactPieces(scheme::Scheme scheme, scheme::Context context, long long length, bool is_one_head)
    : scheme_(std::move(scheme)), context_(std::move(context)), is_one_head_(is_one_head) {
    context_.length = static_cast<double>(length);
}

std::string ExactPieces::head_text() const {
    return is_one_head_ ? ", h = " + text_of(context_.head) : "";
}

const std::shared_ptr<const ExactRotation>& ExactPieces::rotation() {
    if (rotation_) return rotation_;
    scheme::Scheme from_start = scheme_;
    from_start.rotate->origin = scheme::Origin::start;
    return rotation_ = std::make_shared<const ExactRotation>(from_start, context_);
}

std::pair<long long, long long> ExactPieces::distances_of_far() {
    if (distances_of_far_) return *distances_of_far_;
    const auto length = static_cast<long long>(context_.length);
    const Node where = formula::make(
        Op::select, {rotation()->far->formulas.where, formula::make_number("1"), formula::make_number("0")});
    if (!scheme::depends_on_distance_only(where)) return *(distances_of_far_ = {0, length});
    const auto first = [&](const Node& distance, double wanted) {
        const Node tree = formula::substitute(where, {{"q", distance}, {"k", formula::make_number("0")}});
        const auto at = crossing(tree, formula::defined(tree), distances("n", 0, length), [&](const Enclosure& value) {
            if (is_unknown(value) || value.lo != value.hi) return Answer::unknown;
            return value.lo == wanted ? Answer::yes : Answer::no;
        });
        return at ? at->at : length;
    };
    const Node n = formula::make_name("n");
    const Node from_last = formula::make(Op::subtract, {formula::make_number(context_.length - 1), n});
    distances_of_far_ = {first(n, 1), length - 1 - first(from_last, 0)};
    return *distances_of_far_;
}

const std::vector<HeadBias>& ExactPieces::biases() {
    if (!biases_.empty()) return biases_;
    Node last;
    const int first = is_one_head_ ? static_cast<int>(context_.head) : 1;
    const double end = is_one_head_ ? context_.head : context_.heads;
    for (int head = first; head <= end; ++head) {
        scheme::Context context = context_;
        context.head = head;
        const Node bias = scheme::bias_formula(scheme_, context);
        if (last && formula::equal(bias, last)) continue;
        last = bias;
        biases_.push_back(head_bias(bias, context.head));
    }
    return biases_;
}

std::optional<Drifted> ExactPieces::drift(const RoundedSteps& steps, const DriftQuestion& question) {
    for (const Answered& each : answered_)
        if (round_alike(each.steps, steps) && each.longest == question.longest) return each.drifted;
    const RotationError error(rotation(), steps);
    answered_.push_back({steps, question.longest, DriftSearch(error, question).run()});
    return answered_.back().drifted;
}

double Factors::of(int pair) const {
    return of_pairs.empty() ? std::numeric_limits<double>::quiet_NaN() : of_pairs[static_cast<std::size_t>(pair)];
}

Node Factors::angle(const Node& position, int pair) const {
    const double factor = of(pair);
    if (!std::isfinite(factor)) return nullptr;
    const Node exact = formula::make_number(numerics::rational_text(numerics::exactly(factor)));
    return formula::simplify(formula::make(Op::multiply, {position, exact}));
}

std::function<Answer(const Enclosure&)> Factors::overflow(const RoundedSteps& steps, int pair) const {
    const double factor = of(pair);
    if (!std::isfinite(factor)) return nullptr;
    return [factor, position = steps.positions, angle = steps.angles](const Enclosure& exact) {
        if (is_unknown(exact)) return Answer::unknown;
        const auto rounded = [&](double p) { return position ? numerics::round_to(*position, p) : p; };
        const numerics::Interval positions{rounded(exact.lo), rounded(exact.hi)};
        const numerics::Interval angles = numerics::abs(positions * numerics::point(factor));
        if (std::isinf(angles.lo)) return Answer::yes;
        return std::isfinite(angles.hi) ? judge(Event::overflow, *angle, {angles.lo, angles.hi}) : Answer::unknown;
    };
}

double Factors::largest_angle(double position) const {
    double largest = 0;
    for (const double factor : of_pairs) {
        const double angle = (numerics::point(factor) * numerics::point(position)).hi;
        largest = std::isfinite(angle) ? std::max(largest, angle) : numerics::infinity;
    }
    return largest;
}

Factors ExactPieces::factors(const RoundedSteps& steps) {
    const ExactRotation& exact = *rotation();
    if (!exact.is_proportional || !steps.frequencies || steps.is_recurrent) return {};
    const RotationError error(rotation(), steps);
    Factors factors;
    for (int pair = 0; pair < exact.pairs; ++pair) {
        const numerics::Interval frequency = numerics::abs(error.rounded_frequency(pair));
        factors.of_pairs.push_back(numerics::is_point(frequency) ? frequency.lo
                                                                 : std::numeric_limits<double>::quiet_NaN());
    }
    return factors;
}

std::vector<ExactPieces> pieces_of_heads(const scheme::Scheme& scheme, const scheme::Context& context,
                                         long long length) {
    const std::vector<scheme::NamedFormula> formulas = scheme::formulas_of(scheme);
    const bool differ = std::any_of(formulas.begin(), formulas.end(), [](const scheme::NamedFormula& each) {
        return (each.name.starts_with("temperature") || each.name.starts_with("rotate")) &&
               uses_name(each.formula, "h");
    });
    std::vector<ExactPieces> all;
    if (!differ) {
        all.emplace_back(scheme, context, length, false);
        return all;
    }
    for (int head = 1; head <= context.heads; ++head) {
        scheme::Context own = context;
        own.head = head;
        all.emplace_back(scheme, std::move(own), length, true);
    }
    return all;
}

}  // namespace farfield::quantity
