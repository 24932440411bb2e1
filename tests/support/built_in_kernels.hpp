// The kernels of evaluate/cuda/kernels.cu on the host: the text that their PTX is made of, by the host's compiler,
// every thread of a grid in turn.
#pragma once

#include <map>
#include <string>

#include "evaluate/cuda/interpreter.cuh"
#include "evaluate/cuda/waves.cuh"

namespace farfield::tests {

using HostKernel = void (*)(unsigned blocks, unsigned threads, void** arguments);

template <class Arithmetic>
void interpret_on_host(unsigned blocks, unsigned threads, void** arguments) {
    const auto& task = *static_cast<const device::InterpretedTask*>(arguments[0]);
    device::PointInterpreter<Arithmetic> interpreter;
    const unsigned long long stride = static_cast<unsigned long long>(blocks) * threads;
    for (unsigned long long start = 0; start < stride; ++start) {
        for (unsigned long long point = start; point < task.points; point += stride)
            task.result[point] = interpreter.run(task, point);
    }
}

template <void (*fill)(const device::WaveTask&, unsigned long long)>
void fill_on_host(unsigned, unsigned, void** arguments) {
    const auto& task = *static_cast<const device::WaveTask*>(arguments[0]);
    unsigned long long count = task.count * task.columns;
    if (fill == device::fill_left) count = task.count * task.rows;
    if (fill == device::fill_tile) count = device::tiles_of(task);
    for (unsigned long long at = 0; at < count; ++at) fill(task, at);
}

/// Null for any other name.
inline HostKernel built_in_kernel(const std::string& name) {
    static const std::map<std::string, HostKernel> all = {
        {"interpret_double", interpret_on_host<device::Standard<double>>},
        {"interpret_float", interpret_on_host<device::Standard<float>>},
#define EMULATED(name) {"interpret_" #name, interpret_on_host<device::formats::name>},
#include <farfield/numerics/formats.def>
        {"waves_fill_right", fill_on_host<device::fill_right>},
        {"waves_fill_left", fill_on_host<device::fill_left>},
        {"waves_fill_tile", fill_on_host<device::fill_tile>}};
    const auto found = all.find(name);
    return found != all.end() ? found->second : nullptr;
}

}  // namespace farfield::tests
