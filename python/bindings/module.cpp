#include <farfield/study/version.hpp>

#include "bindings.hpp"
#include "docstrings.hpp"
#include "interruptible.hpp"

PYBIND11_MODULE(_core, module) {
    namespace python = farfield::python;
    // Signatures stand in _core.pyi, with types that pybind11 does not know.
    pybind11::options options;
    options.disable_function_signatures();
    module.doc() = "The C++ library as it is; the package farfield around it is what users call.";
    module.def(
        "version", [] { return std::string(farfield::study::version()); }, python::doc::study_version);
    python::prepare_interruptions();
    python::bind_errors(module);
    python::bind_formulas(module);
    python::bind_schemes(module);
    python::bind_quantities(module);
    python::bind_safe_length(module);
    python::bind_comparison(module);
    python::bind_studies(module);
}
