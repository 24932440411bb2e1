#include "quantity/safe_length_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <farfield/formula/simplify.hpp>

#include "quantity/box_function.hpp"
#include "quantity/rounded.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;
using formula::Node;
using formula::Op;

/// abs(n) is n, as distances are not negative.
Node without_sign(const Node& tree, const char* variable) {
    const bool is_absolute = tree->kind == formula::Kind::operation && tree->op == Op::absolute;
    if (is_absolute && formula::equal(tree->children[0], formula::make_name(variable))) return tree->children[0];
    if (tree->kind != formula::Kind::operation) return tree;
    std::vector<Node> children;
    for (const Node& child : tree->children) children.push_back(without_sign(child, variable));
    return formula::make(tree->op, std::move(children));
}

/// The variable itself, or a product or quotient of that and parts without it.
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

/// A condition that no variable is in is decided once.
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
    // Of the bias as it is stated: the laws hold where its parts have values.
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

ExactPieces::ExactPieces(scheme::Scheme scheme, scheme::Context context, long long length)
    : scheme_(std::move(scheme)), context_(std::move(context)) {
    context_.length = static_cast<double>(length);
}

const std::shared_ptr<const ExactRotation>& ExactPieces::rotation() {
    if (rotation_) return rotation_;
    scheme::Scheme from_start = scheme_;
    from_start.rotate->origin = scheme::Origin::start;
    return rotation_ = std::make_shared<const ExactRotation>(from_start, context_);
}

const std::vector<HeadBias>& ExactPieces::biases() {
    if (!biases_.empty()) return biases_;
    Node last;
    for (std::size_t head = 1; static_cast<double>(head) <= context_.heads; ++head) {
        scheme::Context context = context_;
        context.head = static_cast<double>(head);
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

}  // namespace farfield::quantity
