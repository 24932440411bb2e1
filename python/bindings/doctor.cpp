#include <farfield/doctor/doctor.hpp>

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "docstrings.hpp"
#include "interruptible.hpp"

namespace farfield::python {

namespace {

/// The diagnosis of a file, or of a text, as JSON.
std::string diagnose(const std::string& path, const std::optional<std::string>& text, std::optional<long long> served,
                     const std::string& format, const std::string& recipe, const std::vector<std::string>& engines,
                     const std::string& against) {
    doctor::Options options;
    options.served = served;
    options.format = format;
    options.recipe = recipe;
    options.engines = engines;
    options.against = against;
    std::string json;
    run_briefly([&] {
        json = doctor::json_of(text ? doctor::diagnose_text(*text, path, options) : doctor::diagnose(path, options));
    });
    return json;
}

}  // namespace

void bind_doctor(py::module_& module) {
    module.def("diagnose", &diagnose, doc::doctor_diagnose);
    module.def("doctor_engines", &doctor::engine_names, doc::doctor_engine_names);
}

}  // namespace farfield::python
