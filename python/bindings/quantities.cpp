#include <pybind11/stl.h>

#include <farfield/measure/kind.hpp>
#include <farfield/quantity/compute.hpp>
#include <farfield/quantity/kind.hpp>
#include <map>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "docstrings.hpp"
#include "interruptible.hpp"
#include "results.hpp"
#include "schemes.hpp"
#include "values.hpp"

namespace farfield::python {

namespace {

py::dict values_of(const core::Result& result) {
    py::dict values;
    for (const auto& [name, cell] : result.values) values[py::str(name)] = cell.number;
    return values;
}

const char* rigour_name(core::Rigour rigour) {
    switch (rigour) {
        case core::Rigour::none: return "none";
        case core::Rigour::rounding: return "rounding";
        case core::Rigour::rigorous: return "rigorous";
        case core::Rigour::exact: return "exact";
    }
    return "none";
}

/// (lower end, upper end, how they came about) of the values that have an enclosure.
py::dict enclosures_of_values(const core::Result& result) {
    py::dict enclosures;
    for (const auto& [name, cell] : result.values)
        if (cell.enclosure)
            enclosures[py::str(name)] =
                py::make_tuple(cell.enclosure->lo, cell.enclosure->hi, rigour_name(cell.rigour));
    return enclosures;
}

py::dict series_of(const Result& self) {
    py::dict columns;
    if (!self->series) return columns;
    const py::object owner = py::cast(self);
    for (const core::Column& column : self->series->columns)
        columns[py::str(column.name)] =
            view(column.values.data(), {static_cast<py::ssize_t>(column.values.size())}, {sizeof(double)}, owner);
    return columns;
}

/// [rows, 2] of each column that has enclosures: lower and upper ends.
py::dict enclosure_columns(const Result& self) {
    py::dict columns;
    if (!self->series) return columns;
    const py::object owner = py::cast(self);
    for (const core::Column& column : self->series->columns) {
        if (column.enclosures.empty()) continue;
        columns[py::str(column.name)] =
            view(&column.enclosures.front().lo, {static_cast<py::ssize_t>(column.enclosures.size()), 2},
                 {sizeof(core::Enclosure), sizeof(double)}, owner);
    }
    return columns;
}

/// (rows, columns, [rows, columns]); the numbers lie within the cells, and one that does not exist is None.
py::object table_of(const core::Result& result) {
    if (!result.table) return py::none();
    py::list rows;
    for (std::size_t row = 0; row < result.table->rows.size(); ++row) {
        py::list numbers;
        for (std::size_t column = 0; column < result.table->columns.size(); ++column)
            numbers.append(result.table->cells[row * result.table->columns.size() + column].number);
        rows.append(numbers);
    }
    return py::make_tuple(result.table->rows, result.table->columns, rows);
}

Result compute(const std::string& kind, const py::dict& settings, const Scheme* scheme,
               const std::map<std::string, Result>& known, const std::string& folder) {
    const quantity::Request request{kind, entries_of(settings), folder};
    const auto result = std::make_shared<core::Result>();
    const std::shared_ptr<const scheme::Registry> own_schemes = scheme ? scheme->schemes : nullptr;
    run_interruptibly([=](const Stop& stop) {
        quantity::Request own = request;
        own.interrupted = [stop] { return stop->load(); };
        quantity::Known given;
        for (const auto& [name, each] : known) given[name] = each.get();
        *result = quantity::compute(own, own_schemes ? *own_schemes : scheme::Registry::builtin(), given);
    });
    return result;
}

/// A curve of given points.
Result curve_of(const std::string& variable, const Doubles& x, const Doubles& y) {
    const auto column = [](const std::string& name, const Doubles& numbers) {
        return core::Column{name, std::vector<double>(numbers.data(), numbers.data() + numbers.size()), {}, {}};
    };
    const auto result = std::make_shared<core::Result>();
    result->name = "given";
    result->kind = "curve";
    result->series = core::Series{{column(variable, x), column("value", y)}, core::Rigour::none, 1};
    return result;
}

template <class Kind>
py::dict summaries(const std::span<const Kind> kinds) {
    py::dict names;
    for (const Kind& kind : kinds) names[py::str(std::string(kind.name))] = std::string(kind.summary);
    return names;
}

}  // namespace

void bind_quantities(py::module_& module) {
    py::class_<core::Result, Result>(module, "Result", doc::core_Result)
        .def_property_readonly(
            "name", [](const core::Result& self) { return self.name; }, doc::core_Result_name)
        .def_property_readonly(
            "kind", [](const core::Result& self) { return self.kind; }, doc::core_Result_kind)
        .def_property_readonly("values", &values_of, doc::core_Result_values)
        .def_property_readonly("value_enclosures", &enclosures_of_values, doc::core_Cell_enclosure)
        .def_property_readonly("series", &series_of, doc::core_Series)
        .def_property_readonly(
            "variables", [](const core::Result& self) { return self.series ? self.series->variables : std::size_t{0}; },
            doc::core_Series_variables)
        .def_property_readonly("enclosures", &enclosure_columns, doc::core_Column)
        .def_property_readonly("table", &table_of, doc::core_Table)
        .def_property_readonly(
            "notes", [](const core::Result& self) { return self.notes; }, doc::core_Result_notes)
        .def_property_readonly(
            "seconds", [](const core::Result& self) { return self.seconds; }, doc::core_Result_seconds);
    module.def("quantity", &compute, doc::quantity_compute);
    module.def("curve_of", &curve_of, doc::core_Series);
    module.def(
        "kinds", [] { return summaries(quantity::kinds()); }, doc::quantity_kinds);
    module.def(
        "trained_kinds", [] { return summaries(measure::kinds()); }, doc::measure_kinds);
}

}  // namespace farfield::python
