#include <farfield/evaluate/enclose.hpp>

#include <map>
#include <string>
#include <utility>

#include <farfield/core/error.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/numerics/interval.hpp>

#include "evaluate/check_inputs.hpp"
#include "evaluate/closed.hpp"
#include "evaluate/enclosure_arithmetic.hpp"
#include "evaluate/pointwise.hpp"

namespace farfield::evaluate {

namespace {

using formula::Program;
using numerics::infinity;

void check(std::string_view function, const Program& program, const EnclosedInputs& inputs) {
    check_inputs(function, program, {inputs.uniform.size(), inputs.varying.size(), inputs.tables.size()});
    for (std::size_t lane = 0; lane < inputs.varying.size(); ++lane) {
        check_lane(function, program.signature.varying[lane], inputs.varying[lane].size(), inputs.points);
    }
}

template <class Traits, class Store>
void run(const Program& program, const EnclosedInputs& inputs, const Traits& traits, Store store) {
    using Arithmetic = EnclosureArithmetic<Traits>;
    Interpreter<Arithmetic, core::Enclosure> interpreter(program, Arithmetic{traits}, inputs.tables);
    for (std::size_t i = 0; i < inputs.uniform.size(); ++i) interpreter.set_input(i, inputs.uniform[i]);
    run_pointwise(
        program, std::move(interpreter), inputs.points,
        [&](std::size_t point, std::size_t lane) { return inputs.varying[lane][point]; }, store);
}

core::Enclosure to_enclosure(const numerics::Interval& x) {
    return numerics::is_undefined(x) ? core::Enclosure{-infinity, infinity} : core::Enclosure{x.lo, x.hi};
}

core::Enclosure to_enclosure(numerics::Truth truth) {
    if (truth == numerics::Truth::unknown) return {0, 1};
    return core::Enclosure::exactly(truth == numerics::Truth::yes ? 1 : 0);
}

template <class Traits>
std::vector<core::Enclosure> enclose_with(const Program& program, const EnclosedInputs& inputs, Traits traits = {}) {
    std::vector<core::Enclosure> result(inputs.points);
    run<Traits>(program, inputs, traits, [&](std::size_t point, const auto& interpreter) {
        result[point] = program.type == formula::Type::boolean
                            ? to_enclosure(interpreter.boolean_result())
                            : to_enclosure(Traits::outward(interpreter.real_result()));
    });
    return result;
}

template <class Traits>
std::vector<Truth> decide_with(const Program& program, const EnclosedInputs& inputs, Traits traits = {}) {
    std::vector<Truth> result(inputs.points);
    run<Traits>(program, inputs, traits,
                [&](std::size_t point, const auto& interpreter) { result[point] = interpreter.boolean_result(); });
    return result;
}

/// Gives each entry of a table its own name; nothing if the tree contains a reduction, a call or inf. Adds the entries
/// by their new names.
std::optional<formula::Node> with_entries_as_names(const formula::Node& node,
                                                   std::map<std::string, formula::Node>& entries) {
    if (node->kind == formula::Kind::index) {
        entries.emplace(formula::print(node), node);
        return formula::make_name(formula::print(node));
    }
    const bool is_infinite = node->kind == formula::Kind::name && node->text == "inf";
    if (is_infinite) return std::nullopt;
    if (node->kind == formula::Kind::name || node->kind == formula::Kind::number) return node;
    if (node->kind != formula::Kind::operation) return std::nullopt;
    std::vector<formula::Node> children;
    for (const formula::Node& child : node->children) {
        const auto changed = with_entries_as_names(child, entries);
        if (!changed) return std::nullopt;
        children.push_back(*changed);
    }
    return formula::make(node->op, std::move(children), node->span);
}

void check_condition(const Program& program, const EnclosedInputs& inputs) {
    check("evaluate::decide", program, inputs);
    if (program.type != formula::Type::boolean) {
        throw core::PreconditionError("evaluate::decide", "program", "a real formula", "a condition");
    }
}

}  // namespace

std::vector<core::Enclosure> enclose(const Program& program, const EnclosedInputs& inputs, Enclosing how) {
    check("evaluate::enclose", program, inputs);
    return how == Enclosing::fast ? enclose_with<FastIntervals>(program, inputs)
                                  : enclose_with<RigorousIntervals>(program, inputs);
}

std::vector<Truth> decide(const Program& program, const EnclosedInputs& inputs, Enclosing how) {
    check_condition(program, inputs);
    return how == Enclosing::fast ? decide_with<FastIntervals>(program, inputs)
                                  : decide_with<RigorousIntervals>(program, inputs);
}

std::optional<bool> decide_for_all(const formula::Node& condition, const RangeOf& range_of) {
    std::map<std::string, formula::Node> entries;
    const std::optional<formula::Node> open = with_entries_as_names(condition, entries);
    if (!open) return std::nullopt;
    const std::vector<std::string> names = formula::free_names(*open);
    EnclosedInputs inputs;
    for (const std::string& name : names) {
        const auto entry = entries.find(name);
        inputs.uniform.push_back(range_of(entry == entries.end() ? formula::make_name(name) : entry->second));
    }
    const Truth truth = decide(formula::compile(*open, {names, {}, {}}), inputs, Enclosing::fast).front();
    return truth == Truth::unknown ? std::nullopt : std::optional(truth == Truth::yes);
}

core::Enclosure enclose_closed(const Program& program, long bits) {
    return enclose_with(program, {}, RigorousIntervals{bits}).front();
}

Truth decide_closed(const Program& program, long bits) {
    check_condition(program, {});
    return decide_with(program, {}, RigorousIntervals{bits}).front();
}

}  // namespace farfield::evaluate
