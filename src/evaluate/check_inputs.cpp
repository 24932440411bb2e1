#include "evaluate/check_inputs.hpp"

#include <string>

#include <farfield/core/error.hpp>

namespace farfield::evaluate {

namespace {

void check_count(std::string_view function, std::string_view what, std::size_t given, std::size_t wanted) {
    if (given == wanted) return;
    throw core::PreconditionError(function, what, std::to_string(given), "as the signature: " + std::to_string(wanted));
}

}  // namespace

void check_inputs(std::string_view function, const formula::Program& program, const InputCounts& given) {
    check_count(function, "inputs.uniform", given.uniform, program.signature.uniform.size());
    check_count(function, "inputs.varying", given.varying, program.signature.varying.size());
    check_count(function, "inputs.tables", given.tables, program.signature.tables.size());
}

void check_lane(std::string_view function, std::string_view name, std::size_t values, std::size_t points) {
    if (values == points) return;
    throw core::PreconditionError(function, "values of '" + std::string(name) + "'", std::to_string(values),
                                  "one for each of " + std::to_string(points) + " points");
}

}  // namespace farfield::evaluate
