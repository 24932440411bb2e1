// What the processor's plain arithmetics give, to compare kernels with.
#pragma once

#include <vector>

#include <farfield/numerics/format.hpp>

#include "evaluate/cuda_on_host.hpp"
#include "evaluate/low_precision_arithmetic.hpp"
#include "evaluate/standard_arithmetic.hpp"

namespace farfield::tests {

/// Point by point in an arithmetic of the processor.
template <class Arithmetic>
std::vector<double> by_interpreter(const HostTask& task, Arithmetic arithmetic) {
    evaluate::Interpreter<Arithmetic, double> interpreter(task.program, arithmetic, task.inputs.tables);
    for (std::size_t i = 0; i < task.inputs.uniform.size(); ++i) interpreter.set_input(i, task.inputs.uniform[i]);
    interpreter.run_uniform();
    std::vector<double> values;
    for (std::size_t point = 0; point < task.inputs.points; ++point) {
        for (std::size_t lane = 0; lane < task.inputs.varying.size(); ++lane) {
            const auto* range = std::get_if<evaluate::Range>(&task.inputs.varying[lane]);
            const double value =
                range ? range->at(point) : std::get<std::span<const double>>(task.inputs.varying[lane])[point];
            interpreter.set_input(task.inputs.uniform.size() + lane, value);
        }
        interpreter.run_varying();
        const bool boolean = task.program.type == formula::Type::boolean;
        values.push_back(boolean ? static_cast<double>(interpreter.boolean_result())
                                 : static_cast<double>(interpreter.real_result()));
    }
    return values;
}

inline std::vector<double> on_processor(const HostTask& task) {
    using Kind = evaluate::NumberSystem::Kind;
    if (task.system.kind == Kind::binary32) return by_interpreter(task, evaluate::StandardArithmetic<float>{});
    if (task.system.kind == Kind::low_precision)
        return by_interpreter(task, evaluate::LowPrecisionArithmetic{numerics::find_format(task.system.format)});
    return by_interpreter(task, evaluate::StandardArithmetic<double>{});
}

}  // namespace farfield::tests
