// The library's three kinds of failure as exceptions of the package, with the text that the program prints.
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <string>

#include "bindings.hpp"

namespace farfield::python {

namespace {

py::object diagnostic_of(const core::Diagnostic& diagnostic) {
    const core::Place& place = diagnostic.place;
    return py::module_::import("farfield.errors")
        .attr("Diagnostic")(place.file, place.line, place.column, diagnostic.found, diagnostic.wanted, diagnostic.hint,
                            core::format(diagnostic));
}

void raise(const char* name, const std::string& text, const py::list& diagnostics) {
    const py::object type = py::module_::import("farfield.errors").attr(name);
    const py::object error = diagnostics.empty() ? type(text) : type(text, diagnostics);
    PyErr_SetObject(type.ptr(), error.ptr());
}

void translate(std::exception_ptr thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const core::UserError& error) {
        raise("InputError", error.what(), diagnostics_of(error.diagnostics()));
    } catch (const core::MissingError& error) {
        raise("WorldError", error.what(), py::list());
    } catch (const core::PreconditionError& error) {
        raise("Error", std::string("farfield broke a promise to itself (please report this): ") + error.what(),
              py::list());
    }
}

}  // namespace

py::list diagnostics_of(const std::vector<core::Diagnostic>& diagnostics) {
    py::list list;
    for (const core::Diagnostic& each : diagnostics) list.append(diagnostic_of(each));
    return list;
}

void bind_errors(py::module_&) {
    py::register_exception_translator([](std::exception_ptr thrown) {
        if (thrown) translate(thrown);
    });
}

}  // namespace farfield::python
