#include "formulas.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/evaluate/enclose.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/checker.hpp>
#include <farfield/formula/derivative.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/quantity/compute.hpp>

#include "arrays.hpp"
#include "bindings.hpp"
#include "docstrings.hpp"
#include "interruptible.hpp"

namespace farfield::python {

namespace {

using Names = std::vector<std::string>;
using formula::Type;

/// Below, a call ends before another thread would have begun with it.
constexpr double brief_operations = 1e6;
/// After so many points a job looks whether it should stop.
constexpr std::size_t points_at_once = std::size_t{1} << 20;

formula::Source source_of(const std::string& text) {
    return {text, {"", 1, 1, text.size(), text}};
}

Formula parse(const std::string& text) {
    const formula::Source source = source_of(text);
    return {formula::parse(source), source, {}};
}

formula::Scope scope_of(const Names& names, const Names& tables) {
    formula::Scope scope(names);
    for (const std::string& table : tables) scope.add(formula::Symbol{table, Type::real, {Type::real}});
    return scope;
}

Type check(const Formula& self, const Names& names, const Names& tables) {
    core::Problems problems;
    const std::optional<Type> type = formula::check(self.tree, scope_of(names, tables), self.source, problems);
    problems.raise();
    if (*type == Type::text)
        throw core::UserError({{formula::place_of(self.source, self.tree->span), "a text has no value",
                                "a number, or a formula of numbers", ""}});
    return *type;
}

Type type_of(const Formula& self) {
    return check(self, formula::free_names(self.tree), formula::indexed_names(self.tree));
}

/// The names that a call may give values.
Names all_names(const Formula& self) {
    Names names = formula::free_names(self.tree);
    for (const Names& more : {formula::indexed_names(self.tree), self.dropped})
        names.insert(names.end(), more.begin(), more.end());
    return names;
}

Formula derivative(const Formula& self, const std::string& name) {
    const Names names = formula::free_names(self.tree);
    const core::Place place{"derivative", 1, 1, name.size(), name};
    if (type_of(self) != Type::real)
        throw core::UserError({{place, "a condition has no derivative", "a formula whose value is a number", ""}});
    if (std::find(names.begin(), names.end(), name) == names.end())
        throw core::UserError({{place, "unknown name '" + name + "'", "", core::known_here(name, names)}});
    return printed(formula::derivative(self.tree, name), all_names(self));
}

/// A compiled formula; shared with the jobs that run it.
struct Program {
    formula::Program program;
    formula::Node tree;
    bool has_loops = false;
};

std::shared_ptr<Program> compile(const Formula& self, const Names& names, const formula::Signature& signature) {
    check(self, names, signature.tables);
    const Names known = all_names(self);
    core::Problems problems;
    for (const std::string& name : names)
        if (std::find(known.begin(), known.end(), name) == known.end())
            problems.add({}, "unknown argument '" + name + "': the formula does not use it", "",
                         core::known_here(name, known));
    problems.raise();
    auto program = std::make_shared<Program>(Program{formula::compile(self.tree, signature), self.tree});
    const auto& rows = program->program.rows;
    program->has_loops =
        std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.step == formula::Step::loop_begin; });
    return program;
}

/// What a call hands to the evaluator, with the owners of its memory.
struct Call {
    std::shared_ptr<Program> program;
    evaluate::Inputs inputs;
    std::vector<std::shared_ptr<const void>> owners;

    void add_inputs(const std::vector<double>& uniform, const py::list& varying, const py::list& tables) {
        inputs.uniform = uniform;
        for (const py::handle& each : varying) {
            KeptLane lane = lane_of(py::reinterpret_borrow<py::object>(each));
            inputs.points = lane.size;
            inputs.varying.push_back(lane.lane);
            owners.push_back(std::move(lane.owner));
        }
        for (const py::handle& each : tables) {
            const KeptLane lane = lane_of(each.cast<Doubles>());
            inputs.tables.push_back(std::get<std::span<const double>>(lane.lane));
            owners.push_back(lane.owner);
        }
    }

    bool is_brief() const {
        const double operations =
            static_cast<double>(inputs.points) * static_cast<double>(program->program.rows.size() + 1);
        return !program->has_loops && operations < brief_operations;
    }

    /// A range is kept whole: sums of waves over it are evaluated together.
    bool has_range() const {
        return std::any_of(inputs.varying.begin(), inputs.varying.end(),
                           [](const auto& lane) { return std::holds_alternative<evaluate::Range>(lane); });
    }

    evaluate::Inputs part(std::size_t first, std::size_t count) const {
        evaluate::Inputs own = inputs;
        own.points = count;
        for (evaluate::Lane& lane : own.varying) lane = std::get<std::span<const double>>(lane).subspan(first, count);
        return own;
    }
};

void evaluate_by_parts(const Call& call, const evaluate::NumberSystem& system, std::span<double> result,
                       const Stop& stop) {
    if (call.has_range() || result.size() <= points_at_once)
        return evaluate::evaluate_into(call.program->program, call.inputs, system, result);
    for (std::size_t first = 0; first < result.size() && !stop->load(); first += points_at_once) {
        const std::size_t count = std::min(points_at_once, result.size() - first);
        evaluate::evaluate_into(call.program->program, call.part(first, count), system, result.subspan(first, count));
    }
}

void evaluate_into(const std::shared_ptr<Program>& program, const std::vector<double>& uniform, const py::list& varying,
                   const py::list& tables, const std::string& system_name, const py::array& out) {
    const evaluate::NumberSystem system =
        evaluate::read_number_system(system_name, {"system", 1, 1, system_name.size(), system_name});
    Call call{program, {}, {}};
    call.add_inputs(uniform, varying, tables);
    quantity::check_work(program->tree, static_cast<double>(call.inputs.points));
    const std::span<double> result = writeable(out);
    if (call.is_brief())
        return run_briefly([&] { evaluate::evaluate_into(call.program->program, call.inputs, system, result); });
    call.owners.push_back(keep(out));
    run_interruptibly([call, system, result](const Stop& stop) { evaluate_by_parts(call, system, result, stop); });
}

core::Enclosure enclosure_of(double number) {
    return core::Enclosure::exactly(number);
}

std::vector<core::Enclosure> enclosures_of(std::span<const double> numbers) {
    std::vector<core::Enclosure> enclosures(numbers.size());
    std::transform(numbers.begin(), numbers.end(), enclosures.begin(), enclosure_of);
    return enclosures;
}

evaluate::EnclosedInputs enclosed(const evaluate::Inputs& inputs,
                                  std::vector<std::vector<core::Enclosure>>& table_memory) {
    evaluate::EnclosedInputs own;
    own.points = inputs.points;
    own.uniform = enclosures_of(inputs.uniform);
    for (const evaluate::Lane& lane : inputs.varying) {
        std::vector<core::Enclosure>& column = own.varying.emplace_back(inputs.points);
        for (std::size_t point = 0; point < inputs.points; ++point) {
            const auto* range = std::get_if<evaluate::Range>(&lane);
            column[point] = enclosure_of(range ? range->at(point) : std::get<std::span<const double>>(lane)[point]);
        }
    }
    for (const auto& table : inputs.tables) table_memory.push_back(enclosures_of(table));
    for (const auto& table : table_memory) own.tables.emplace_back(table);
    return own;
}

/// [points, 2]: lower and upper ends.
py::array enclose(const std::shared_ptr<Program>& program, const std::vector<double>& uniform, const py::list& varying,
                  const py::list& tables, bool is_rigorous) {
    Call call{program, {}, {}};
    call.add_inputs(uniform, varying, tables);
    const auto how = is_rigorous ? evaluate::Enclosing::rigorous : evaluate::Enclosing::fast;
    const auto found = std::make_shared<std::vector<core::Enclosure>>();
    run_interruptibly([call, how, found](const Stop&) {
        std::vector<std::vector<core::Enclosure>> table_memory;
        *found = evaluate::enclose(call.program->program, enclosed(call.inputs, table_memory), how);
    });
    static_assert(sizeof(core::Enclosure) == 2 * sizeof(double));
    const auto count = static_cast<py::ssize_t>(found->size());
    auto* kept = new std::vector<core::Enclosure>(std::move(*found));
    const py::capsule owner(kept, [](void* list) { delete static_cast<std::vector<core::Enclosure>*>(list); });
    return py::array(py::dtype::of<double>(), {count, py::ssize_t{2}}, reinterpret_cast<const double*>(kept->data()),
                     owner);
}

}  // namespace

Formula printed(const formula::Node& tree, std::vector<std::string> from) {
    return {tree, source_of(formula::print(tree)), std::move(from)};
}

void bind_formulas(py::module_& module) {
    py::class_<Program, std::shared_ptr<Program>>(module, "Program", doc::formula_compile)
        .def("evaluate_into", &evaluate_into, doc::evaluate_evaluate)
        .def("enclose", &enclose, doc::evaluate_enclose);
    py::class_<Formula>(module, "Formula", doc::formula_parse)
        .def(py::init(&parse), py::arg("text"), doc::formula_parse)
        .def(
            "__str__", [](const Formula& self) { return formula::print(self.tree); }, doc::formula_print)
        .def_property_readonly(
            "names", [](const Formula& self) { return formula::free_names(self.tree); }, doc::formula_free_names)
        .def_property_readonly(
            "tables", [](const Formula& self) { return formula::indexed_names(self.tree); }, doc::formula_indexed_names)
        .def_property_readonly(
            "is_condition", [](const Formula& self) { return type_of(self) == Type::boolean; }, doc::formula_check)
        .def(
            "latex", [](const Formula& self) { return formula::latex(self.tree); }, doc::formula_latex)
        .def(
            "mathml", [](const Formula& self) { return formula::mathml(self.tree); }, doc::formula_mathml)
        .def(
            "simplify", [](const Formula& self) { return printed(formula::simplify(self.tree), all_names(self)); },
            doc::formula_simplify)
        .def("derivative", &derivative, py::arg("name"), doc::formula_derivative)
        .def(
            "compile",
            [](const Formula& self, const Names& names, const Names& uniform, const Names& varying,
               const Names& tables) {
                return compile(self, names, {uniform, varying, tables});
            },
            doc::formula_compile);
    module.def(
        "proves_equal", [](const Formula& a, const Formula& b) { return formula::proves_equal(a.tree, b.tree); },
        doc::formula_proves_equal);
    module.def("number_systems", &evaluate::number_system_names, doc::evaluate_number_system_names);
}

}  // namespace farfield::python
