#include <farfield/evaluate/evaluate.hpp>

#include <algorithm>
#include <cmath>

#include <farfield/core/diagnostic.hpp>
#include <farfield/evaluate/device.hpp>
#include <farfield/numerics/format.hpp>

#include "evaluate/blocks.hpp"
#include "evaluate/check_inputs.hpp"
#include "evaluate/enclosure_arithmetic.hpp"
#include "evaluate/linear_phase.hpp"
#include "evaluate/low_precision_arithmetic.hpp"
#include "evaluate/multiprecision_arithmetic.hpp"
#include "evaluate/pointwise.hpp"
#include "evaluate/resident.hpp"
#include "numerics/zeros.hpp"

namespace farfield::evaluate {

namespace {

using formula::Program;

std::size_t length(const Lane& lane) {
    return std::visit(
        [](const auto& values) {
            if constexpr (std::is_same_v<std::decay_t<decltype(values)>, Range>)
                return values.count;
            else
                return values.size();
        },
        lane);
}

double value_at(const Lane& lane, std::size_t point) {
    if (const Range* range = std::get_if<Range>(&lane)) return range->at(point);
    return std::get<std::span<const double>>(lane)[point];
}

void check(std::string_view function, const Program& program, const Inputs& inputs) {
    check_inputs(function, program, {inputs.uniform.size(), inputs.varying.size(), inputs.tables.size()});
    for (std::size_t lane = 0; lane < inputs.varying.size(); ++lane) {
        check_lane(function, program.signature.varying[lane], length(inputs.varying[lane]), inputs.points);
    }
}

template <class Arithmetic, class Store>
void run(const Program& program, const Inputs& inputs, Arithmetic arithmetic, Store store) {
    Interpreter<Arithmetic, double> interpreter(program, arithmetic, inputs.tables);
    for (std::size_t i = 0; i < inputs.uniform.size(); ++i) interpreter.set_input(i, inputs.uniform[i]);
    run_pointwise(
        program, std::move(interpreter), inputs.points,
        [&](std::size_t point, std::size_t lane) { return value_at(inputs.varying[lane], point); }, store);
}

double as_double(double value) {
    return value;
}
double as_double(const numerics::Multiprecision& value) {
    return value.to_double();
}
double as_double(const numerics::MpfiValue& value) {
    return value.is_undefined() ? std::numeric_limits<double>::quiet_NaN() : value.middle().to_double();
}
double as_double(bool value) {
    return value ? 1 : 0;
}
double as_double(numerics::Truth value) {
    if (value == numerics::Truth::unknown) return std::numeric_limits<double>::quiet_NaN();
    return value == numerics::Truth::yes ? 1 : 0;
}

template <class Arithmetic>
void run_into(const Program& program, const Inputs& inputs, Arithmetic arithmetic, std::span<double> result) {
    run(program, inputs, arithmetic, [&](std::size_t point, const auto& interpreter) {
        result[point] = program.type == formula::Type::boolean ? as_double(interpreter.boolean_result())
                                                               : as_double(interpreter.real_result());
    });
}

[[noreturn]] void refuse_digits() {
    throw core::UserError({core::Diagnostic{
        {}, "integral() has no value in multiprecision", "double, or an enclosure: it is found to about 1e-13", {}}});
}

/// Evaluates one point at a time, because neither blocks of points nor devices support integrals.
void evaluate_integrals(const Program& program, const Inputs& inputs, const NumberSystem& system,
                        std::span<double> result) {
    switch (system.kind) {
        case NumberSystem::Kind::binary64: return run_into(program, inputs, StandardArithmetic<double>{}, result);
        case NumberSystem::Kind::binary32: return run_into(program, inputs, StandardArithmetic<float>{}, result);
        case NumberSystem::Kind::low_precision:
            return run_into(program, inputs, LowPrecisionArithmetic{numerics::find_format(system.format)}, result);
        case NumberSystem::Kind::multiprecision: refuse_digits();
        case NumberSystem::Kind::interval:
            return run_into(program, inputs, EnclosureArithmetic<RigorousIntervals>{}, result);
    }
}

void write_values(const Program& program, const Inputs& inputs, const NumberSystem& system,
                  const Destination& destination) {
    if (formula::has_integral(program)) return evaluate_integrals(program, inputs, system, destination());
    Device* const device = OnDevice::current();
    if (device != nullptr && device->takes(static_cast<double>(inputs.points))) {
        std::vector<DeviceLane> lanes;
        for (const Lane& lane : inputs.varying)
            std::visit([&](const auto& values) { lanes.emplace_back(values); }, lane);
        if (device->evaluate_into(task_of(program, inputs, std::move(lanes), system), destination())) return;
    }
    if (system.kind == NumberSystem::Kind::binary64 && evaluate_linear_phase(program, inputs, destination)) return;
    const std::span<double> result = destination();
    switch (system.kind) {
        case NumberSystem::Kind::binary64: return evaluate_blocks(program, inputs, *kernels<double>()[0], result);
        case NumberSystem::Kind::binary32: return evaluate_blocks(program, inputs, *kernels<float>()[0], result);
        case NumberSystem::Kind::low_precision:
            return run_into(program, inputs, LowPrecisionArithmetic{numerics::find_format(system.format)}, result);
        case NumberSystem::Kind::multiprecision:
            return run_into(program, inputs, MultiprecisionArithmetic{system.digits}, result);
        case NumberSystem::Kind::interval:
            return run_into(program, inputs, EnclosureArithmetic<RigorousIntervals>{}, result);
    }
}

}  // namespace

void evaluate_into(const Program& program, const Inputs& inputs, const NumberSystem& system, std::span<double> result) {
    check("evaluate::evaluate_into", program, inputs);
    check_lane("evaluate::evaluate_into", "result", result.size(), inputs.points);
    write_values(program, inputs, system, [result] { return result; });
}

std::vector<double> evaluate(const Program& program, const Inputs& inputs, const NumberSystem& system) {
    check("evaluate::evaluate", program, inputs);
    std::vector<double> result;
    write_values(program, inputs, system, [&] {
        if (result.size() != inputs.points) result = numerics::zeros(inputs.points);
        return std::span<double>(result);
    });
    return result;
}

std::vector<std::string> evaluate_text(const Program& program, const Inputs& inputs, int digits) {
    check("evaluate::evaluate_text", program, inputs);
    if (formula::has_integral(program)) refuse_digits();
    std::vector<std::string> result(inputs.points);
    run(program, inputs, MultiprecisionArithmetic{digits}, [&](std::size_t point, const auto& interpreter) {
        result[point] = program.type == formula::Type::boolean ? (interpreter.boolean_result() ? "1" : "0")
                                                               : interpreter.real_result().to_string(digits);
    });
    return result;
}

std::size_t first_nan(std::span<const double> values) {
    const auto found = std::find_if(values.begin(), values.end(), [](double x) { return std::isnan(x); });
    return static_cast<std::size_t>(found - values.begin());
}

}  // namespace farfield::evaluate
