// A few threads that share work out by index.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace farfield::model {

/// Runs work(index, slot) for every index of [0, count), where slot < threads() is the worker's number. Which worker
/// takes which index changes from run to run: results must not depend on it.
class Pool {
public:
    explicit Pool(std::size_t threads);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    std::size_t threads() const { return workers_.size() + 1; }

    template <class Work>
    void run(std::size_t count, const Work& work) {
        start(count, &work, [](const void* context, std::size_t index, std::size_t slot) {
            (*static_cast<const Work*>(context))(index, slot);
        });
    }

private:
    using Call = void (*)(const void*, std::size_t, std::size_t);

    void start(std::size_t count, const void* context, Call call);
    void take_all(std::size_t slot);
    void serve(std::size_t slot);

    std::vector<std::thread> workers_;
    std::atomic<std::uint64_t> round_{0};
    std::atomic<std::size_t> busy_{0};
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> stopping_{false};
    std::size_t count_ = 0;
    const void* context_ = nullptr;
    Call call_ = nullptr;
    std::mutex failing_;
    std::exception_ptr failure_;
};

}  // namespace farfield::model
