// Times formulas in double on a CUDA device, and what the device cannot go below: copying, writing, functions without
// memory.
//
// Usage: cuda_timing FORMULA COUNT REPEATS [EXPRESSION@LAST ...], the expressions as ground.hpp has them. Prints
// one JSON object: times in milliseconds, each the least and the median of REPEATS; status 3 where there is no device.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <farfield/core/error.hpp>
#include <farfield/evaluate/array.hpp>
#include <farfield/formula/parser.hpp>

#include "evaluate/array_work.hpp"
#include "evaluate/cuda/device.hpp"
#include "evaluate/cuda/kernel_store.hpp"
#include "evaluate/cuda/prepare.hpp"
#include "ground.hpp"
#include "support/folder.hpp"
#include "support/worst.hpp"

using namespace farfield;
using namespace farfield::evaluate;
using namespace farfield::bench;

namespace {

class Bench : private Ground {
public:
    using Ground::tell_floors;

    /// The kernel alone, its results left on the device.
    void formula(const formula::Program& program, const Inputs& inputs, int repeats) {
        const cuda::Prepared prepared = cuda::prepare(program, inputs, {}, "formula", "a formula");
        const tests::Folder folder;
        const std::string text = cuda::source_prologue() + prepared.source.text;
        for (const char* name : {"first_use", "cached_use"}) {
            cuda::KernelStore kernels(*driver_, *compiler_, folder.path());
            std::printf(", \"%s_ms\": %.6f", name, milliseconds_of([&] { kernels.find(text, "formula"); }));
        }
        cuda::KernelStore kernels(*driver_, *compiler_, folder.path());
        const Memory result(*driver_, inputs.points * sizeof(double));
        const Memory uniform(*driver_, prepared.uniform.size() + sizeof(double));
        const Memory remembered(*driver_, prepared.remembered.size() + sizeof(double));
        driver_->copy_in(uniform.pointer(), prepared.uniform.data(), prepared.uniform.size());
        driver_->copy_in(remembered.pointer(), prepared.remembered.data(), prepared.remembered.size());
        unsigned long long first = 0;
        unsigned long long points = inputs.points;
        Range range = std::get<Range>(inputs.varying[0]);
        std::vector<void*> arguments = {&first, &points, pointer_to(result), pointer_to(uniform)};
        if (!prepared.source.remembered.empty()) arguments.push_back(pointer_to(remembered));
        arguments.push_back(&range.from);
        arguments.push_back(&range.step);
        const auto kernel = kernels.find(text, "formula");
        tell("kernel", times_of(repeats, [&] { run(kernel, arguments.data()); }));
        std::vector<double> found(few_of(inputs));
        driver_->copy_out(found.data(), result.pointer(), found.size() * sizeof(double));
        tell_difference("kernel", program, inputs, found);
    }

    /// By the way that studies take, sums of waves by angle addition: with the values left on the device, its memory
    /// taken anew each time, and up to the values in the processor's memory.
    void as_studies(const formula::Program& program, const Inputs& inputs, int repeats) {
        const std::unique_ptr<Device> device = open_cuda({});
        const OnDevice scope(device.get());
        Array there;
        tell("there", times_of(repeats, [&] {
                 there = {};
                 there = evaluate_array(program, {}, {Array(std::get<Range>(inputs.varying[0]))}, inputs.points);
             }));
        if (!there.is_on_device()) throw std::runtime_error("the device did not accept the formula");
        std::vector<double> found(few_of(inputs));
        std::get<ResidentLane>(lane_of(there)).row->fetch(0, found);
        tell_difference("there", program, inputs, found);
        there = {};
        std::vector<double> values(inputs.points);
        const std::size_t before = device->done().evaluations;
        tell("whole", times_of(std::min(repeats, 3), [&] { evaluate_into(program, inputs, {}, values); }));
        if (device->done().evaluations == before) throw std::runtime_error("the device did not accept the formula");
    }

private:
    static std::size_t few_of(const Inputs& inputs) { return std::min<std::size_t>(inputs.points, 100000); }

    /// The largest difference of the first values from the processor's, as a share of the largest value.
    void tell_difference(const char* name, const formula::Program& program, const Inputs& inputs,
                         const std::vector<double>& found) {
        const OnDevice none(nullptr);
        Inputs few = inputs;
        few.points = found.size();
        std::get<Range>(few.varying[0]).count = found.size();
        const std::vector<double> wanted = evaluate::evaluate(program, few);
        double largest = 0, worst = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            largest = std::max(largest, std::fabs(wanted[i]));
            worst = tests::worse(worst, std::fabs(wanted[i] - found[i]));
        }
        std::printf(", \"%s_difference\": %.6g", name, worst / largest);
    }
};

void run(const std::vector<std::string>& arguments) {
    const std::size_t count = std::stoull(arguments.at(1));
    const int repeats = std::stoi(arguments.at(2));
    const formula::Program program = formula::compile(formula::parse(arguments.at(0)), {{}, {"n"}, {}});
    const Inputs inputs{{}, {Range{0, 1, count}}, {}, count};
    Bench bench;
    std::printf("{");
    std::vector<Rated> rated;
    for (std::size_t at = 3; at < arguments.size(); ++at) rated.push_back(read_rated(arguments[at]));
    bench.tell_floors(std::min<std::size_t>(count, 100000000), repeats, rated);
    bench.formula(program, inputs, repeats);
    bench.as_studies(program, inputs, repeats);
    std::printf("}\n");
}

}  // namespace

int main(int count, char** words) {
    try {
        run({words + 1, words + count});
        return 0;
    } catch (const core::MissingError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 3;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cuda_timing: %s\n", error.what());
        return 1;
    }
}
