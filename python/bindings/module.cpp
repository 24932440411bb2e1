#include <farfield/numerics/processors.hpp>
#include <farfield/study/version.hpp>
#include <string>

#include "bindings.hpp"
#include "docstrings.hpp"
#include "interruptible.hpp"

namespace {

/// Arrays of numpy 2 lie otherwise in memory; pybind11 knows them from 2.12 on.
void check_numpy() {
    const auto version = pybind11::module_::import("numpy").attr("__version__").cast<std::string>();
    if (PYBIND11_VERSION_HEX < 0x020C0000 && std::stoi(version) > 1)
        throw pybind11::import_error(
            "farfield was built with a pybind11 before 2.12, which knows numpy 1 alone; this is numpy " + version);
}

}  // namespace

PYBIND11_MODULE(_core, module) {
    namespace python = farfield::python;
    // Signatures stand in _core.pyi, with types that pybind11 does not know.
    pybind11::options options;
    options.disable_function_signatures();
    check_numpy();
    module.doc() = "The C++ library as it is; the package farfield around it is what users call.";
    module.def(
        "version", [] { return std::string(farfield::study::version()); }, python::doc::study_version);
    module.def("processors", &farfield::numerics::processors, python::doc::numerics_processors);
    module.def("set_processors", &farfield::numerics::set_processors, python::doc::numerics_set_processors);
    python::prepare_interruptions();
    python::bind_errors(module);
    python::bind_formulas(module);
    python::bind_schemes(module);
    python::bind_quantities(module);
    python::bind_safe_length(module);
    python::bind_comparison(module);
    python::bind_doctor(module);
    python::bind_studies(module);
}
