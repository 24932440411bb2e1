#include "evaluate/local_slopes.hpp"

#include <algorithm>
#include <string>

#include <farfield/formula/derivative.hpp>

namespace farfield::evaluate {
namespace {

using formula::Condition;
using formula::Node;
using formula::Regularity;
using numerics::Interval;

std::vector<std::string> names(std::size_t arity) {
    std::vector<std::string> result = {"a", "b", "c"};
    result.resize(arity);
    return result;
}

Node applied(formula::Op op, std::size_t arity) {
    std::vector<Node> arguments;
    for (const std::string& name : names(arity)) arguments.push_back(formula::make_name(name));
    return formula::make(op, arguments);
}

Condition regular(formula::Op op, std::size_t arity, Regularity regularity) {
    return formula::regular(applied(op, arity), regularity, names(arity));
}

}  // namespace

OverArguments::OverArguments(const Node& tree, std::size_t arity)
    : is_zero_(tree->kind == formula::Kind::number && tree->number == 0),
      arity_(arity),
      program_(std::make_unique<formula::Program>(formula::compile(tree, {names(arity), {}, {}}))),
      interpreter_(std::make_unique<Run>(*program_, EnclosureArithmetic<FastIntervals>{}, Run::Tables{})) {}

void OverArguments::run(const std::array<Interval, 3>& arguments) {
    if (program_->rows.empty() && has_run_ && program_->result < program_->first_input()) return;
    for (std::size_t i = 0; i < arity_; ++i) interpreter_->set_real(program_->first_input() + i, arguments[i]);
    interpreter_->run_uniform();
    has_run_ = true;
}

Interval OverArguments::real(const std::array<Interval, 3>& arguments) {
    run(arguments);
    return interpreter_->real_result();
}

numerics::Truth OverArguments::truth(const std::array<Interval, 3>& arguments) {
    run(arguments);
    return interpreter_->boolean_result();
}

ConditionOverArguments::ConditionOverArguments(const Condition& condition, std::size_t arity) : kind_(condition.kind) {
    if (kind_ == Condition::Kind::depends) condition_.emplace(condition.tree, arity);
}

bool ConditionOverArguments::holds(const std::array<Interval, 3>& arguments) {
    if (kind_ == Condition::Kind::always) return true;
    return kind_ == Condition::Kind::depends && condition_->truth(arguments) == numerics::Truth::yes;
}

LocalSlopes::LocalSlopes(formula::Op op, std::size_t arity)
    : lipschitz(regular(op, arity, Regularity::lipschitz), arity),
      smooth(regular(op, arity, Regularity::smooth), arity) {
    for (const std::string& name : names(arity)) {
        const Node slope = formula::derivative(applied(op, arity), name);
        first.emplace_back(slope, arity);
        for (const std::string& other : names(arity)) second.emplace_back(formula::derivative(slope, other), arity);
    }
}

LocalSlopes& SlopesOfOperators::of(formula::Op op, std::size_t arity) {
    return known_.try_emplace(op, op, arity).first->second;
}

}  // namespace farfield::evaluate
