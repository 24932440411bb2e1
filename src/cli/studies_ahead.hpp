// Computes studies in parallel; their records are taken in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <farfield/core/record.hpp>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace farfield::cli {

class StudiesAhead {
public:
    /// `run(i)` computes the i-th of `count` studies. With more than one thread it is called from the threads, in
    /// order; with one, from take().
    StudiesAhead(std::size_t count, std::size_t threads, std::function<core::StudyRecord(std::size_t)> run);
    /// Starts no further study, and waits for those that run.
    ~StudiesAhead();
    StudiesAhead(const StudiesAhead&) = delete;
    StudiesAhead& operator=(const StudiesAhead&) = delete;

    /// Waits for the record of a study, once for each; rethrows the exceptions of run().
    core::StudyRecord take(std::size_t at);

private:
    struct Slot {
        core::StudyRecord record;
        std::exception_ptr failure;
        bool is_done = false;
    };

    void serve();

    std::function<core::StudyRecord(std::size_t)> run_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Slot> slots_;
    std::size_t next_ = 0;
    std::vector<std::thread> threads_;
};

}  // namespace farfield::cli
