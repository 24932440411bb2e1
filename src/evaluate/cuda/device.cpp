#include "evaluate/cuda/device.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "evaluate/cuda/cuda_driver.hpp"
#include "evaluate/cuda/interpreter.cuh"
#include "evaluate/cuda/kernels_text.hpp"
#include "evaluate/cuda/operations.hpp"
#include "evaluate/cuda/waves.cuh"

namespace farfield::evaluate::cuda {

namespace {

constexpr unsigned threads = 256;
// Enough blocks to fill every multiprocessor several times; each thread processes the remaining points in strides.
constexpr std::size_t blocks_a_processor = 32;
// The most columns of the second factor of a sum of waves, which must fit into the cache: 4 MB for 64 waves.
constexpr std::size_t most_columns = 4096;

/// A kernel's parameters in the order that source.hpp defines; their addresses do not change.
struct Parameters {
    unsigned long long first;
    unsigned long long points;
    std::vector<const void*> addresses;
    std::vector<double> numbers;
    std::vector<void*> pointers;

    Parameters(std::size_t begin, std::size_t count, std::size_t values) : first(begin), points(count) {
        addresses.reserve(values);
        numbers.reserve(values);
        pointers = {&first, &points};
    }
    void add(const void* address) { pointers.push_back(&addresses.emplace_back(address)); }
    void add(double number) { pointers.push_back(&numbers.emplace_back(number)); }
};

/// The inputs for the computation before a kernel, which does not depend on the content of lanes.
Inputs before_kernel(const DeviceTask& task) {
    static constexpr double any = 0;
    Inputs inputs{task.uniform, {}, task.tables, task.points};
    for (const DeviceLane& lane : task.varying) {
        if (const Range* range = std::get_if<Range>(&lane))
            inputs.varying.emplace_back(*range);
        else
            inputs.varying.emplace_back(std::span(&any, 1));
    }
    return inputs;
}

/// The sum of waves, if the task consists only of it.
const WaveLane* only_waves(const DeviceTask& task) {
    const formula::Program& program = task.program;
    const std::size_t last = program.first_input() + program.signature.uniform.size() + task.varying.size() - 1;
    const bool is_input = program.rows.empty() && program.type == formula::Type::real && !task.varying.empty();
    return is_input && program.result == last ? std::get_if<WaveLane>(&task.varying.back()) : nullptr;
}

}  // namespace

CudaDevice::CudaDevice(std::unique_ptr<Driver> driver, Tools tools, DeviceOptions options)
    : session_(std::make_shared<Session>(std::move(driver), options.report)),
      compiler_(std::move(tools.compiler)),
      options_(std::move(options)) {
    if (compiler_) kernels_.emplace(this->driver(), *compiler_, options_.cache);
    if (tools.operations) operations_ = tools.operations(this->driver());
}

bool CudaDevice::takes(double points) {
    return !session_->is_lost() && points >= static_cast<double>(std::max<std::size_t>(options_.fewest_points, 1));
}

bool CudaDevice::evaluate_into(const DeviceTask& task, std::span<double> result) {
    using Kind = NumberSystem::Kind;
    if (task.system.kind == Kind::multiprecision || task.system.kind == Kind::interval) return false;
    const bool is_done = takes(static_cast<double>(task.points)) && session_->attempt([&] {
        const auto found = made(task);
        if (const double* constant = std::get_if<double>(&found))
            std::fill(result.begin(), result.end(), *constant);
        else
            in_chunks(std::get<Run>(found), result);
    });
    if (is_done) ++done_.evaluations;
    return is_done;
}

std::shared_ptr<const Resident> CudaDevice::evaluate_there(const DeviceTask& task) {
    using Kind = NumberSystem::Kind;
    if (task.system.kind == Kind::multiprecision || task.system.kind == Kind::interval || !operations_) return nullptr;
    if (!takes(static_cast<double>(task.points))) return nullptr;
    std::shared_ptr<CudaResident> row;
    const bool is_done = session_->attempt([&] {
        row.reset();
        const auto found = made(task);
        // A value that is the same at all points needs no device.
        if (std::holds_alternative<double>(found)) return;
        row = session_->row(task.points);
        std::get<Run>(found)(0, task.points, row->room());
        driver().finish();
    });
    if (!is_done) return nullptr;
    if (row) ++done_.evaluations;
    return row;
}

bool CudaDevice::operate(std::size_t points, const std::function<void(Workplace&)>& work) {
    class Place : public Workplace {
    public:
        Place(Session& session, Operations& operations) : session_(session), operations_(operations) {}
        Operations& operations() override { return operations_; }
        Store& store() override { return session_.driver(); }
        std::shared_ptr<const Resident> row(std::size_t count) override { return session_.row(count); }

    private:
        Session& session_;
        Operations& operations_;
    };
    if (!operations_ || !takes(static_cast<double>(points))) return false;
    const bool is_done = session_->attempt([&] {
        Place place(*session_, *operations_);
        work(place);
    });
    if (is_done) ++done_.operations;
    return is_done;
}

void CudaDevice::sum_waves(const WaveLane& lane, std::size_t first, std::size_t count, double* result) {
    // As many columns as rows, except for long ranges, where the first factor is larger, because each part has its own.
    std::size_t columns = 64;
    while (columns * columns < count && columns < most_columns) columns *= 2;
    const std::size_t waves = lane.waves.size();
    constexpr std::size_t tile = device::rows_a_thread;
    const std::size_t rows = (count + columns * tile - 1) / (columns * tile) * tile;
    const Memory there = copied(driver(), lane.waves);
    const Memory left(driver(), rows * waves * sizeof(device::WaveStart));
    const Memory right(driver(), columns * 2 * waves * sizeof(double));
    device::WaveTask task{};
    task.waves = there.as<const Wave>();
    task.count = waves;
    task.from = lane.range.at(first);
    task.step = lane.range.step;
    task.columns = columns;
    task.rows = rows;
    task.left = left.as<device::WaveStart>();
    task.right = right.as<double>();
    task.points = count;
    task.result = result;
    launch(built_in("waves_fill_right"), {&task}, waves * columns);
    launch(built_in("waves_fill_left"), {&task}, waves * rows);
    // One block for each 256 tiles, because a tile takes long and the threads' shares of whole tiles would be uneven.
    launch(built_in("waves_fill_tile"), {&task}, device::tiles_of(task), std::numeric_limits<std::size_t>::max());
    // The factors are freed here, so wait for the kernel.
    driver().finish();
}

Driver::Kernel CudaDevice::built_in(const std::string& name) {
    const auto known = built_in_.find(name);
    if (known != built_in_.end()) return known->second;
    return built_in_.emplace(name, driver().load(kernels_text(), name)).first->second;
}

std::variant<double, CudaDevice::Run> CudaDevice::made(const DeviceTask& task) {
    if (const WaveLane* waves = only_waves(task))
        return Run([=, this](std::size_t first, std::size_t count, double* result) {
            sum_waves(*waves, first, count, result);
        });
    const Inputs inputs = before_kernel(task);
    if (kernels_) {
        Prepared prepared = prepare(task.program, inputs, task.system, "formula", "a formula");
        if (prepared.constant) return *prepared.constant;
        return compiled(task, std::move(prepared));
    }
    Registers registers = prepare_registers(task.program, inputs, task.system);
    if (registers.constant) return *registers.constant;
    return interpreted(task, std::move(registers));
}

void CudaDevice::reserve(std::size_t bytes) {
    if (result_ && result_->bytes() >= bytes) return;
    result_.reset();
    result_.emplace(driver(), bytes);
}

void CudaDevice::in_chunks(const Run& run, std::span<double> result) {
    std::size_t length = std::min(result.size(), most_points);
    for (std::size_t first = 0; first < result.size();) {
        const std::size_t count = std::min(length, result.size() - first);
        try {
            reserve(count * sizeof(double));
            run(first, count, result_->as<double>());
            driver().finish();
            driver().copy_out(result.data() + first, result_->pointer(), count * sizeof(double));
        } catch (const MachineError& error) {
            // Half as many points may fit.
            if (error.kind() != MachineError::Kind::memory || count / 2 < least_part) throw;
            result_.reset();
            length = count / 2;
            continue;
        }
        first += count;
    }
}

void CudaDevice::launch(Driver::Kernel kernel, std::vector<void*> parameters, std::size_t count) {
    launch(kernel, std::move(parameters), count,
           static_cast<std::size_t>(std::max(1, driver().processors())) * blocks_a_processor);
}

void CudaDevice::launch(Driver::Kernel kernel, std::vector<void*> parameters, std::size_t count,
                        std::size_t most_blocks) {
    // The largest first dimension of a grid.
    constexpr std::size_t longest = std::numeric_limits<std::int32_t>::max();
    const std::size_t wanted = (count + threads - 1) / threads;
    driver().launch(kernel, static_cast<unsigned>(std::min({wanted, most_blocks, longest})), threads,
                    parameters.data());
}

const double* CudaDevice::address(const DeviceLane& lane, std::size_t first, std::size_t count,
                                  std::vector<Memory>& held) {
    if (const auto* values = std::get_if<std::span<const double>>(&lane)) {
        held.push_back(copied(driver(), values->subspan(first, count)));
    } else if (const auto* waves = std::get_if<WaveLane>(&lane)) {
        held.emplace_back(driver(), count * sizeof(double));
        sum_waves(*waves, first, count, held.back().as<double>());
    } else {
        const ResidentLane& resident = std::get<ResidentLane>(lane);
        if (const double* there = resident.row->data()) return there + resident.first + first;
        std::vector<double> numbers(count);
        resident.row->fetch(resident.first + first, numbers);
        held.push_back(copied(driver(), numbers));
    }
    return held.back().as<const double>();
}

CudaDevice::Run CudaDevice::compiled(const DeviceTask& task, Prepared prepared) {
    const Driver::Kernel kernel = kernels_->find(source_prologue() + prepared.source.text, "formula");
    return [=, this, &task, prepared = std::move(prepared)](std::size_t first, std::size_t count, double* result) {
        std::vector<Memory> held;
        const auto hold = [&](const auto& values) {
            return held.emplace_back(copied(driver(), values)).template as<void>();
        };
        Parameters parameters(first, count, 2 + 2 * (task.varying.size() + task.tables.size()) + 1);
        parameters.add(result);
        parameters.add(hold(prepared.uniform));
        if (!prepared.source.remembered.empty()) parameters.add(hold(prepared.remembered));
        for (const DeviceLane& lane : task.varying) {
            if (const Range* range = std::get_if<Range>(&lane)) {
                parameters.add(range->from);
                parameters.add(range->step);
            } else {
                parameters.add(address(lane, first, count, held));
            }
        }
        for (const std::span<const double>& table : task.tables) {
            parameters.add(hold(table));
            parameters.add(static_cast<double>(table.size()));
        }
        launch(kernel, parameters.pointers, count);
        // The memory that is kept for the call is freed here, so wait for the kernel.
        driver().finish();
    };
}

CudaDevice::Run CudaDevice::interpreted(const DeviceTask& task, Registers registers) {
    const formula::Program& program = task.program;
    if (program.real_registers > device::most_registers || program.boolean_registers > device::most_registers)
        throw MachineError(MachineError::Kind::other, "the interpreter of formulas",
                           "this one has more than " + std::to_string(device::most_registers) +
                               " values; NVRTC (of the CUDA toolkit) would compile it");
    const Driver::Kernel kernel = built_in("interpret_" + task.system.name());
    return [=, this, &task, &program, registers = std::move(registers)](std::size_t first, std::size_t count,
                                                                        double* result) {
        std::vector<Memory> held;
        std::vector<device::InterpretedLane> lanes;
        for (const DeviceLane& lane : task.varying) {
            if (const Range* range = std::get_if<Range>(&lane))
                lanes.push_back({nullptr, range->from, range->step});
            else
                lanes.push_back({address(lane, first, count, held), 0, 0});
        }
        std::vector<device::InterpretedTable> tables;
        for (const std::span<const double>& table : task.tables) {
            held.push_back(copied(driver(), table));
            tables.push_back({held.back().as<const double>(), static_cast<double>(table.size())});
        }
        const Memory rows = copied(driver(), program.rows);
        const Memory constants = copied(driver(), program.constants);
        const Memory reals = copied(driver(), registers.reals);
        const Memory truths = copied(driver(), registers.truths);
        const Memory lanes_there = copied(driver(), lanes);
        const Memory tables_there = copied(driver(), tables);
        device::InterpretedTask interpreted{};
        interpreted.rows = rows.as<const formula::Instruction>();
        interpreted.begin = static_cast<std::uint32_t>(program.varying_begin);
        interpreted.end = static_cast<std::uint32_t>(program.rows.size());
        interpreted.real_registers = program.real_registers;
        interpreted.boolean_registers = program.boolean_registers;
        interpreted.constants = constants.as<const double>();
        interpreted.constant_count = static_cast<std::uint32_t>(program.constants.size());
        interpreted.reals = reals.as<void>();
        interpreted.truths = truths.as<const unsigned char>();
        interpreted.lanes = lanes_there.as<const device::InterpretedLane>();
        interpreted.lane_count = static_cast<std::uint32_t>(lanes.size());
        interpreted.first_lane = static_cast<std::uint32_t>(program.first_input() + program.signature.uniform.size());
        interpreted.tables = tables_there.as<const device::InterpretedTable>();
        interpreted.result_register = program.result;
        interpreted.result_is_boolean = program.type == formula::Type::boolean;
        interpreted.first = first;
        interpreted.points = count;
        interpreted.result = result;
        launch(kernel, {&interpreted}, count);
        driver().finish();
    };
}

}  // namespace farfield::evaluate::cuda

namespace farfield::evaluate {

std::unique_ptr<Device> open_cuda(const DeviceOptions& options) {
    std::unique_ptr<cuda::Driver> driver = cuda::open_driver();
    cuda::Tools tools{cuda::open_compiler(driver->capability()), cuda::open_operations};
    return std::make_unique<cuda::CudaDevice>(std::move(driver), std::move(tools), options);
}

}  // namespace farfield::evaluate
