#include "interruptible.hpp"

#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <farfield/core/worker.hpp>
#include <farfield/numerics/processors.hpp>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace farfield::python {

namespace py = pybind11;

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto time_to_stop = std::chrono::seconds(1);

/// All of it is touched by the main thread alone.
struct State {
    unsigned long main_thread = 0;
    std::unique_ptr<core::Worker> worker;
    bool is_busy = false;  ///< a handler of a signal may call the library itself
    pid_t process = 0;     ///< whose thread the worker has: a forked process has none of them
    std::vector<std::shared_ptr<std::atomic<bool>>> left_behind;  ///< true once its job has ended
};

State& state() {
    // Never destroyed: a job may outlive the interpreter's own end.
    static State* const only = new State;
    return *only;
}

core::Worker& worker() {
    State& own = state();
    if (own.process != getpid()) {
        own.worker.release();  // its thread stayed behind in the process that was forked
        own.process = getpid();
    }
    if (!own.worker) own.worker = std::make_unique<core::Worker>();
    return *own.worker;
}

class Busy {
public:
    Busy() { state().is_busy = true; }
    ~Busy() { state().is_busy = false; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
};

/// What a signal's handler raised, if one came.
std::optional<py::error_already_set> raised_by_signal() {
    if (PyErr_CheckSignals() == 0) return std::nullopt;
    return py::error_already_set();
}

/// A job that says when it has ended, and when all that it holds has been freed, which may need Python.
struct Job {
    std::shared_ptr<void> at_end;  ///< the first member is destroyed last
    std::function<void(const Stop&)> work;
    Stop stop;

    void operator()() const { work(stop); }
};

void wait_for_left_behind() {
    std::vector<std::shared_ptr<std::atomic<bool>>>& jobs = state().left_behind;
    while (!jobs.empty()) {
        if (jobs.back()->load()) {
            jobs.pop_back();
            continue;
        }
        if (PyErr_CheckSignals() != 0) {
            PyErr_Clear();
            std::fflush(nullptr);
            std::_Exit(130);
        }
        const py::gil_scoped_release unlocked;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

}  // namespace

void prepare_interruptions() {
    state().main_thread = py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
    py::module_::import("atexit").attr("register")(py::cpp_function(wait_for_left_behind));
}

void run_briefly(const std::function<void()>& job) {
    const py::gil_scoped_release unlocked;
    job();
}

void run_interruptibly(std::function<void(const Stop&)> job) {
    const auto stop = std::make_shared<std::atomic<bool>>(false);
    if (PyThread_get_thread_ident() != state().main_thread || state().is_busy) return run_briefly([&] { job(stop); });

    const auto ended = std::make_shared<std::atomic<bool>>(false);
    std::optional<py::error_already_set> raised;
    Clock::time_point since;
    const auto go_on = [&] {
        if (stop->load()) return Clock::now() - since < time_to_stop;
        const py::gil_scoped_acquire locked;
        raised = raised_by_signal();
        if (!raised) return true;
        stop->store(true);
        since = Clock::now();
        return true;
    };
    Job told{std::shared_ptr<void>(nullptr, [ended](void*) { ended->store(true); }), std::move(job), stop};
    core::Worker& thread = worker();
    const Busy busy;
    try {
        const py::gil_scoped_release unlocked;
        if (!thread.run(std::move(told), go_on)) {
            state().worker.reset();
            state().left_behind.push_back(ended);
        }
    } catch (...) {
        if (!raised) throw;
    }
    if (raised) throw std::move(*raised);
}

}  // namespace farfield::python
