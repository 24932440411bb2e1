// Runs the generated CUDA source of programs on the host.
#pragma once

#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <vector>

#include <farfield/evaluate/cuda/source.hpp>
#include <farfield/evaluate/evaluate.hpp>

#include "evaluate/cuda/prepare.hpp"
#include "support/host_kernels.hpp"

namespace farfield::tests {

/// A program with the inputs it is to be run on.
struct HostTask {
    formula::Program program;
    evaluate::NumberSystem system;
    evaluate::Inputs inputs;
};

/// Kernels of many programs, compiled together.
class CudaOnHost {
public:
    explicit CudaOnHost(const std::vector<HostTask>& tasks) : tasks_(&tasks) {
        std::string text =
            "#include <type_traits>\n#include <utility>\n" + evaluate::cuda::source_prologue() + cuda_on_host_prologue;
        for (std::size_t at = 0; at < tasks.size(); ++at) text += add(tasks[at], "kernel_" + std::to_string(at));
        compile(text);
    }
    CudaOnHost(const CudaOnHost&) = delete;
    CudaOnHost& operator=(const CudaOnHost&) = delete;
    ~CudaOnHost() {
        if (library_ != nullptr) dlclose(library_);
    }

    /// The results of one task, by a grid of that shape.
    std::vector<double> run(std::size_t at, unsigned blocks, unsigned threads) const {
        const evaluate::Inputs& inputs = (*tasks_)[at].inputs;
        std::vector<double> result(inputs.points, -12345);
        const evaluate::cuda::Prepared& prepared = prepared_[at];
        if (prepared.constant) return std::vector<double>(inputs.points, *prepared.constant);
        Arguments arguments(prepared, inputs, result);
        using Run = void (*)(unsigned, unsigned, void**);
        const std::string name = "run_kernel_" + std::to_string(at);
        const auto run = reinterpret_cast<Run>(dlsym(library_, name.c_str()));
        if (run == nullptr) throw std::runtime_error("no " + name);
        run(blocks, threads, arguments.pointers.data());
        return result;
    }

    const evaluate::cuda::Prepared& prepared(std::size_t at) const { return prepared_[at]; }

private:
    // Values that parameters point to; their addresses stay.
    struct Arguments {
        unsigned long long first = 0;
        unsigned long long points;
        double* result;
        const void* uniform;
        const void* remembered;
        std::vector<double> numbers;
        std::vector<const double*> arrays;
        std::vector<void*> pointers;

        Arguments(const evaluate::cuda::Prepared& prepared, const evaluate::Inputs& inputs, std::vector<double>& values)
            : points(inputs.points),
              result(values.data()),
              uniform(prepared.uniform.data()),
              remembered(prepared.remembered.data()) {
            pointers = {&first, &points, &result, &uniform};
            if (!prepared.source.remembered.empty()) pointers.push_back(&remembered);
            numbers.reserve(2 * inputs.varying.size() + inputs.tables.size());
            arrays.reserve(inputs.varying.size() + inputs.tables.size());
            for (const evaluate::Lane& lane : inputs.varying) {
                if (const auto* range = std::get_if<evaluate::Range>(&lane)) {
                    pointers.push_back(&numbers.emplace_back(range->from));
                    pointers.push_back(&numbers.emplace_back(range->step));
                } else {
                    pointers.push_back(&arrays.emplace_back(std::get<std::span<const double>>(lane).data()));
                }
            }
            for (const auto& table : inputs.tables) {
                pointers.push_back(&arrays.emplace_back(table.data()));
                pointers.push_back(&numbers.emplace_back(static_cast<double>(table.size())));
            }
        }
    };

    std::string add(const HostTask& task, const std::string& name) {
        prepared_.push_back(evaluate::cuda::prepare(task.program, task.inputs, task.system, name, ""));
        if (prepared_.back().constant) return {};
        return "\n" + prepared_.back().source.text + entry_of(name);
    }

    void compile(const std::string& text) {
        compile_for_host(text, folder_);
        library_ = dlopen(folder_.path("kernels.so").c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) throw std::runtime_error(dlerror());
    }

    const std::vector<HostTask>* tasks_;
    std::vector<evaluate::cuda::Prepared> prepared_;
    Folder folder_;
    void* library_ = nullptr;
};

}  // namespace farfield::tests
