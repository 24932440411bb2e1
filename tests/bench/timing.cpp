// Does pieces of work on command and says how long each took, so that a script can take turns with its peers.
//   bench_timing TASK ARGUMENTS...
// Reads a name of work a line; answers with its microseconds, with `cpu` before it with those of the processors, to
// `values` with numbers, to `threads` with their count.
#include <chrono>
#include <ctime>
#include <farfield/numerics/processors.hpp>
#include <iostream>
#include <stdexcept>

#include "task.hpp"

using namespace farfield::bench;

namespace {

const std::map<std::string, Task (*)(Arguments)> tasks = {
    {"formula", formula_task}, {"sandwich", sandwich_task}, {"curve", curve_task},
    {"floor", floor_task},     {"step", step_task},         {"tile", tile_task},
};

double microseconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

/// Of all threads.
double processor_microseconds_of(const std::function<void()>& work) {
    const std::clock_t start = std::clock();
    work();
    return static_cast<double>(std::clock() - start) * (1e6 / CLOCKS_PER_SEC);
}

void answer(const Task& task, const std::string& name) {
    if (name == "threads") {
        std::cout << farfield::numerics::processors() << std::endl;
    } else if (name == "values") {
        for (const double value : task.values()) std::cout << value << ' ';
        std::cout << std::endl;
    } else if (name.starts_with("cpu ")) {
        std::cout << processor_microseconds_of(task.work.at(name.substr(4))) << std::endl;
    } else {
        std::cout << microseconds_of(task.work.at(name)) << std::endl;
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.empty() || !tasks.count(arguments[0])) {
        std::cerr << "bench_timing formula|sandwich|curve|floor|step|tile ARGUMENTS\n";
        return 2;
    }
    const Task task = tasks.at(arguments[0])(Arguments(arguments).subspan(1));
    std::cout.precision(17);
    for (std::string line; std::getline(std::cin, line);) answer(task, line);
    return 0;
}
