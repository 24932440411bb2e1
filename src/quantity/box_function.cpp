#include "quantity/box_function.hpp"

#include <cmath>
#include <limits>

#include <farfield/formula/derivative.hpp>
#include <farfield/numerics/interval.hpp>

namespace farfield::quantity {
namespace {

using core::Enclosure;
using evaluate::Enclosing;
using evaluate::Truth;
using formula::Condition;

using numerics::infinity;

evaluate::EnclosedInputs inputs_of(const Domain& domain, const std::vector<Box>& boxes) {
    evaluate::EnclosedInputs result;
    result.points = boxes.size();
    for (std::size_t i = 0; i < domain.dimensions().size(); ++i) {
        std::vector<Enclosure> lane;
        lane.reserve(boxes.size());
        for (const Box& box : boxes) lane.push_back(domain.values(box, i));
        result.varying.push_back(std::move(lane));
    }
    return result;
}

formula::Program compile(const formula::Node& tree, const Domain& domain) {
    return formula::compile(tree, {{}, domain.variables(), {}});
}

}  // namespace

bool is_unknown(const Enclosure& enclosure) {
    return !(std::isfinite(enclosure.lo) || std::isfinite(enclosure.hi)) && !(enclosure.lo == enclosure.hi);
}

BoxCondition::BoxCondition(const Condition& condition, const Domain& domain) : domain_(domain), kind_(condition.kind) {
    if (kind_ == Condition::Kind::depends) program_ = compile(condition.tree, domain);
}

std::vector<Truth> BoxCondition::decide(const std::vector<Box>& boxes, Enclosing how) const {
    if (kind_ == Condition::Kind::always) return std::vector<Truth>(boxes.size(), Truth::yes);
    if (kind_ == Condition::Kind::never || boxes.empty()) return std::vector<Truth>(boxes.size(), Truth::unknown);
    return evaluate::decide(*program_, inputs_of(domain_, boxes), how);
}

bool BoxCondition::holds(const Box& box) const {
    return decide({box}, Enclosing::fast).front() == Truth::yes ||
           decide({box}, Enclosing::rigorous).front() == Truth::yes;
}

BoxFunction::BoxFunction(const formula::Node& tree, const Domain& domain, const Condition& has_value)
    : domain_(domain), program_(compile(tree, domain)), has_value_(has_value, domain) {}

std::vector<Enclosure> BoxFunction::over(const std::vector<Box>& boxes, Enclosing how) const {
    if (boxes.empty()) return {};
    std::vector<Enclosure> values = evaluate::enclose(program_, inputs_of(domain_, boxes), how);
    if (has_value_.is_always()) return values;
    const std::vector<Truth> truths = has_value_.decide(boxes, how);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (truths[i] != Truth::yes) values[i] = {-infinity, infinity};
    return values;
}

BoxSlope::BoxSlope(const formula::Node& tree, const std::string& variable, const Domain& domain)
    : tree_(formula::derivative(tree, variable)),
      slope_(tree_, domain, formula::regular(tree, formula::Regularity::lipschitz, {variable})) {}

std::vector<Enclosure> BoxSlope::over(const std::vector<Box>& boxes, Enclosing how) const {
    return slope_.over(boxes, how);
}

std::optional<WithoutValue> find_without_value(const BoxCondition& has_value, const Domain& domain, std::size_t most,
                                               const std::function<bool()>& interrupted) {
    if (has_value.is_always()) return std::nullopt;
    const bool has_variables = !domain.dimensions().empty();
    if (has_value.is_never() || (!has_variables && !has_value.holds({}))) return WithoutValue{domain.whole(), false};
    if (!has_variables) return std::nullopt;
    const First first = find_first(domain, most, interrupted, [&](const std::vector<Box>& boxes) {
        std::vector<Answer> answers;
        const std::vector<Truth> truths = has_value.decide(boxes, Enclosing::fast);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            Truth truth = truths[i];
            if (truth == Truth::unknown && domain.is_point(boxes[i]))
                truth = has_value.decide({boxes[i]}, Enclosing::rigorous).front();
            answers.push_back(truth == Truth::yes ? Answer::no : truth == Truth::no ? Answer::yes : Answer::unknown);
        }
        return answers;
    });
    if (first.found) return WithoutValue{*first.found, true};
    if (first.unresolved) return WithoutValue{*first.unresolved, false};
    return std::nullopt;
}

std::string describe(const WithoutValue& found, const Domain& domain) {
    const std::string at = domain.dimensions().empty() ? "" : " at " + domain.text(found.box);
    return (found.is_certain ? "no value" : "not shown to have a value") + at;
}

}  // namespace farfield::quantity
