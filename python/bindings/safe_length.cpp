#include <farfield/quantity/safe_length.hpp>

#include <pybind11/stl.h>

#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/recipe.hpp>
#include <memory>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "docstrings.hpp"
#include "interruptible.hpp"
#include "schemes.hpp"

namespace farfield::python {

namespace {

using quantity::LimitFound;
using quantity::SafeLength;

SafeLength safe_length(const Scheme& scheme, const std::string& format, double heads, double head_dim, double bound,
                       long long longest, bool rounds_positions, const std::string& recipe) {
    py::dict settings;
    settings["heads"] = heads;
    settings["head_dim"] = head_dim;
    scheme::Context context = scheme.context(settings);
    context.width = head_dim;
    if (!(bound > 0 && bound <= 1e300) || longest < 1)
        throw core::UserError({core::Diagnostic{
            {},
            longest < 1 ? "'longest' is " + std::to_string(longest) : "'bound' is " + std::to_string(bound),
            longest < 1 ? "a number of tokens, at least 1" : "a number above 0",
            ""}});
    const quantity::SafeLengthOptions options{bound, longest, rounds_positions};
    const auto found = std::make_shared<SafeLength>();
    core::Problems problems;
    scheme::Scheme computed =
        recipe.empty() ? scheme.scheme : scheme::with_recipe(scheme.scheme, recipe, format, {}, problems);
    problems.raise();
    run_interruptibly([scheme = std::move(computed), context, format, options, found](const Stop&) {
        *found = quantity::safe_length(scheme, context, format, options);
    });
    return *found;
}

}  // namespace

void bind_safe_length(py::module_& module) {
    py::class_<LimitFound>(module, "LimitFound", doc::quantity_LimitFound)
        .def_property_readonly(
            "limit", [](const LimitFound& self) { return std::string(quantity::limit_name(self.limit)); },
            doc::quantity_limit_name)
        .def_readonly("length", &LimitFound::length, doc::quantity_LimitFound_length)
        .def_readonly("is_longest", &LimitFound::is_longest, doc::quantity_LimitFound_is_longest)
        .def_readonly("where", &LimitFound::where, doc::quantity_LimitFound_where)
        .def_readonly("formula", &LimitFound::formula, doc::quantity_LimitFound_formula);
    py::class_<SafeLength>(module, "SafeLength", doc::quantity_SafeLength)
        .def_readonly("scheme", &SafeLength::scheme, doc::quantity_SafeLength_scheme)
        .def_readonly("format", &SafeLength::format, doc::quantity_SafeLength_format)
        .def_readonly("length", &SafeLength::length, doc::quantity_SafeLength_length)
        .def_readonly("is_longest", &SafeLength::is_longest, doc::quantity_SafeLength_is_longest)
        .def_property_readonly(
            "limit", [](const SafeLength& self) { return std::string(quantity::limit_name(self.limit)); },
            doc::quantity_limit_name)
        .def_readonly("limits", &SafeLength::limits, doc::quantity_SafeLength_limits);
    module.def("safe_length", &safe_length, doc::quantity_safe_length);
}

}  // namespace farfield::python
