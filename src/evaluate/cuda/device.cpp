#include "evaluate/cuda/device.hpp"

#include <algorithm>
#include <utility>

#include "evaluate/cuda/cuda_driver.hpp"
#include "evaluate/cuda/interpreter.cuh"
#include "evaluate/cuda/kernels_text.hpp"
#include "evaluate/cuda/waves.cuh"

namespace farfield::evaluate::cuda {

namespace {

constexpr unsigned threads = 256;
// Enough blocks to fill every processor some times over; each thread takes the points that are left in strides.
constexpr std::size_t blocks_a_processor = 32;
// Of the second factor of a sum of waves, which must stay near the processors: 4 MB for 64 waves.
constexpr std::size_t most_columns = 4096;

template <class Values>
Memory upload(Driver& driver, const Values& values) {
    // No memory has no bytes, and a kernel may not read it.
    const std::size_t bytes = values.size() * sizeof(values[0]);
    Memory memory(driver, std::max<std::size_t>(bytes, sizeof(double)));
    if (bytes > 0) driver.copy_in(memory.pointer(), values.data(), bytes);
    return memory;
}

/// A kernel's parameters in the order that source.hpp gives; their addresses stay.
struct Parameters {
    unsigned long long first;
    unsigned long long points;
    std::vector<Memory> memory;
    std::vector<double> numbers;
    std::vector<void*> pointers;

    Parameters(std::size_t begin, std::size_t count, std::size_t memories, std::size_t values)
        : first(begin), points(count) {
        memory.reserve(memories);
        numbers.reserve(values);
        pointers = {&first, &points};
    }
    void add(Memory uploaded) { pointers.push_back(pointer_to(memory.emplace_back(std::move(uploaded)))); }
    void add(double number) { pointers.push_back(&numbers.emplace_back(number)); }
    static void* pointer_to(const Memory& each) { return const_cast<Driver::Pointer*>(&each.pointer()); }
};

}  // namespace

CudaDevice::CudaDevice(std::unique_ptr<Driver> driver, std::unique_ptr<Compiler> compiler, DeviceOptions options)
    : driver_(std::move(driver)), compiler_(std::move(compiler)), options_(std::move(options)) {
    name_ = "cuda: " + driver_->device_name() + ", sm_" + std::to_string(driver_->capability());
    if (compiler_) kernels_.emplace(*driver_, *compiler_, options_.cache);
}

void CudaDevice::report_once(const std::string& text) {
    if (std::find(reported_.begin(), reported_.end(), text) != reported_.end()) return;
    reported_.push_back(text);
    options_.report(text);
}

bool CudaDevice::attempt(std::size_t points, const std::function<void()>& work) {
    if (is_lost_ || points < std::max<std::size_t>(options_.fewest_points, 1)) return false;
    try {
        work();
        ++evaluations_;
        return true;
    } catch (const MachineError& error) {
        is_lost_ = error.kind() == MachineError::Kind::lost;
        report_once(name_ + ": " + error.what() +
                    (is_lost_ ? "\n   the device is lost to this run; the processor goes on alone"
                              : "\n   the processor does this work instead"));
        return false;
    }
}

bool CudaDevice::evaluate_into(const formula::Program& program, const Inputs& inputs, const NumberSystem& system,
                               std::span<double> result) {
    using Kind = NumberSystem::Kind;
    if (system.kind == Kind::multiprecision || system.kind == Kind::interval) return false;
    return attempt(inputs.points, [&] { run(program, inputs, system, result); });
}

bool CudaDevice::sum_waves(const std::vector<Wave>& waves, const Range& range, std::span<double> result) {
    return attempt(result.size(), [&] {
        const Memory there = upload(*driver_, waves);
        in_chunks(result, [&](std::size_t first, std::span<double> part) {
            sum_waves_of_part(there, waves.size(), range, first, part);
        });
    });
}

void CudaDevice::sum_waves_of_part(const Memory& waves, std::size_t count, const Range& range, std::size_t first,
                                   std::span<double> result) {
    // As many columns as rows, but for long ranges: there the first factor is the larger, which each part has its own
    // of.
    std::size_t columns = 64;
    while (columns * columns < result.size() && columns < most_columns) columns *= 2;
    const std::size_t rows = (result.size() + columns - 1) / columns;
    const Memory left(*driver_, rows * 2 * count * sizeof(double));
    const Memory right(*driver_, columns * 2 * count * sizeof(double));
    device::WaveTask task{};
    task.waves = reinterpret_cast<const Wave*>(waves.pointer());
    task.count = count;
    task.from = range.at(first);
    task.step = range.step;
    task.columns = columns;
    task.rows = rows;
    task.left = reinterpret_cast<double*>(left.pointer());
    task.right = reinterpret_cast<double*>(right.pointer());
    task.points = result.size();
    task.result = reinterpret_cast<double*>(result_->pointer());
    launch(built_in("waves_fill_right"), {&task}, count * columns);
    launch(built_in("waves_fill_left"), {&task}, count * rows);
    launch(built_in("waves_fill_tile"), {&task}, device::tiles_of(task));
    fetch(result);
}

Driver::Kernel CudaDevice::built_in(const std::string& name) {
    const auto known = built_in_.find(name);
    if (known != built_in_.end()) return known->second;
    return built_in_.emplace(name, driver_->load(kernels_text(), name)).first->second;
}

void CudaDevice::run(const formula::Program& program, const Inputs& inputs, const NumberSystem& system,
                     std::span<double> result) {
    if (kernels_) {
        const Prepared prepared = prepare(program, inputs, system, "formula", "a formula");
        if (!prepared.constant) return run_compiled(prepared, inputs, result);
        return std::fill(result.begin(), result.end(), *prepared.constant);
    }
    const Registers registers = prepare_registers(program, inputs, system);
    if (!registers.constant) return interpret(program, registers, inputs, system, result);
    std::fill(result.begin(), result.end(), *registers.constant);
}

void CudaDevice::reserve(std::size_t bytes) {
    if (result_ && result_->bytes() >= bytes) return;
    result_.reset();
    result_.emplace(*driver_, bytes);
}

void CudaDevice::in_chunks(std::span<double> result,
                           const std::function<void(std::size_t, std::span<double>)>& run_chunk) {
    std::size_t length = std::min(result.size(), most_points);
    for (std::size_t first = 0; first < result.size();) {
        const std::size_t count = std::min(length, result.size() - first);
        try {
            reserve(count * sizeof(double));
            run_chunk(first, result.subspan(first, count));
        } catch (const MachineError& error) {
            // Half as much may do.
            if (error.kind() != MachineError::Kind::memory || count / 2 < fewest_points) throw;
            result_.reset();
            length = count / 2;
            continue;
        }
        first += count;
    }
}

void CudaDevice::launch(Driver::Kernel kernel, std::vector<void*> parameters, std::size_t count) {
    const std::size_t wanted = (count + threads - 1) / threads;
    const std::size_t most = static_cast<std::size_t>(std::max(1, driver_->processors())) * blocks_a_processor;
    driver_->launch(kernel, static_cast<unsigned>(std::min(wanted, most)), threads, parameters.data());
}

void CudaDevice::fetch(std::span<double> result) {
    driver_->finish();
    driver_->copy_out(result.data(), result_->pointer(), result.size() * sizeof(double));
}

void CudaDevice::run_compiled(const Prepared& prepared, const Inputs& inputs, std::span<double> result) {
    const Driver::Kernel kernel = kernels_->find(source_prologue() + prepared.source.text, "formula");
    in_chunks(result, [&](std::size_t first, std::span<double> part) {
        Parameters parameters(first, part.size(), 2 + inputs.varying.size() + inputs.tables.size(),
                              2 * inputs.varying.size() + inputs.tables.size());
        parameters.pointers.push_back(Parameters::pointer_to(*result_));
        parameters.add(upload(*driver_, prepared.uniform));
        if (!prepared.source.remembered.empty()) parameters.add(upload(*driver_, prepared.remembered));
        for (const Lane& lane : inputs.varying) {
            if (const Range* range = std::get_if<Range>(&lane)) {
                parameters.add(range->from);
                parameters.add(range->step);
            } else {
                parameters.add(upload(*driver_, std::get<std::span<const double>>(lane).subspan(first, part.size())));
            }
        }
        for (const std::span<const double>& table : inputs.tables) {
            parameters.add(upload(*driver_, table));
            parameters.add(static_cast<double>(table.size()));
        }
        launch(kernel, parameters.pointers, part.size());
        fetch(part);
    });
}

void CudaDevice::interpret(const formula::Program& program, const Registers& registers, const Inputs& inputs,
                           const NumberSystem& system, std::span<double> result) {
    if (program.real_registers > device::most_registers || program.boolean_registers > device::most_registers)
        throw MachineError(MachineError::Kind::other, "the interpreter of formulas",
                           "this one has more than " + std::to_string(device::most_registers) +
                               " values; NVRTC (of the CUDA toolkit) would compile it");
    const Driver::Kernel kernel = built_in("interpret_" + system.name());
    const auto address = [](const Memory& memory) { return reinterpret_cast<void*>(memory.pointer()); };
    in_chunks(result, [&](std::size_t first, std::span<double> part) {
        std::vector<Memory> memory;
        std::vector<device::InterpretedLane> lanes;
        for (const Lane& lane : inputs.varying) {
            if (const Range* range = std::get_if<Range>(&lane)) {
                lanes.push_back({nullptr, range->from, range->step});
            } else {
                memory.push_back(upload(*driver_, std::get<std::span<const double>>(lane).subspan(first, part.size())));
                lanes.push_back({static_cast<const double*>(address(memory.back())), 0, 0});
            }
        }
        std::vector<device::InterpretedTable> tables;
        for (const std::span<const double>& table : inputs.tables) {
            memory.push_back(upload(*driver_, table));
            tables.push_back({static_cast<const double*>(address(memory.back())), static_cast<double>(table.size())});
        }
        const Memory rows = upload(*driver_, program.rows);
        const Memory reals = upload(*driver_, registers.reals);
        const Memory truths = upload(*driver_, registers.truths);
        const Memory lanes_there = upload(*driver_, lanes);
        const Memory tables_there = upload(*driver_, tables);
        device::InterpretedTask task{};
        task.rows = static_cast<const formula::Instruction*>(address(rows));
        task.begin = static_cast<std::uint32_t>(program.varying_begin);
        task.end = static_cast<std::uint32_t>(program.rows.size());
        task.real_registers = program.real_registers;
        task.boolean_registers = program.boolean_registers;
        task.reals = address(reals);
        task.truths = static_cast<const unsigned char*>(address(truths));
        task.lanes = static_cast<const device::InterpretedLane*>(address(lanes_there));
        task.lane_count = static_cast<std::uint32_t>(lanes.size());
        task.first_lane = static_cast<std::uint32_t>(program.first_input() + program.signature.uniform.size());
        task.tables = static_cast<const device::InterpretedTable*>(address(tables_there));
        task.result_register = program.result;
        task.result_is_boolean = program.type == formula::Type::boolean;
        task.first = first;
        task.points = part.size();
        task.result = static_cast<double*>(address(*result_));
        launch(kernel, {&task}, part.size());
        fetch(part);
    });
}

}  // namespace farfield::evaluate::cuda

namespace farfield::evaluate {

std::unique_ptr<Device> open_cuda(const DeviceOptions& options) {
    std::unique_ptr<cuda::Driver> driver = cuda::open_driver();
    std::unique_ptr<cuda::Compiler> compiler = cuda::open_compiler(driver->capability());
    return std::make_unique<cuda::CudaDevice>(std::move(driver), std::move(compiler), options);
}

}  // namespace farfield::evaluate
