// The kernels that do not depend on a formula: the interpreter in each arithmetic, and sums of waves. nvcc compiles
// this file to PTX when farfield is built.
#include "evaluate/cuda/interpreter.cuh"
#include "evaluate/cuda/waves.cuh"

#define FARFIELD_INTERPRETER(name, arithmetic)                                                                  \
    extern "C" __global__ void interpret_##name(farfield::device::InterpretedTask task) {                       \
        const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;              \
        farfield::device::PointInterpreter<farfield::device::arithmetic> interpreter;                           \
        for (unsigned long long point = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; \
             point < task.points; point += stride)                                                              \
            task.result[point] = interpreter.run(task, point);                                                  \
    }

FARFIELD_INTERPRETER(double, Standard<double>)
FARFIELD_INTERPRETER(float, Standard<float>)
#define EMULATED(name) FARFIELD_INTERPRETER(name, formats::name)
#include <farfield/numerics/formats.def>

// The launch bounds: CudaDevice::launch() uses 256 threads a block, and the registers must suffice for two blocks on
// one multiprocessor.
#define FARFIELD_WAVES(name, count)                                                                          \
    extern "C" __global__ void __launch_bounds__(256, 2) waves_##name(farfield::device::WaveTask task) {     \
        const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;           \
        for (unsigned long long at = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; \
             at < (count); at += stride)                                                                     \
            farfield::device::name(task, at);                                                                \
    }

FARFIELD_WAVES(fill_right, task.count* task.columns)
FARFIELD_WAVES(fill_left, task.count* task.rows)
FARFIELD_WAVES(fill_tile, farfield::device::tiles_of(task))
