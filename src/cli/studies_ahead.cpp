#include "cli/studies_ahead.hpp"

#include <exception>
#include <utility>

namespace farfield::cli {

StudiesAhead::StudiesAhead(std::size_t count, std::size_t threads, std::function<core::StudyRecord(std::size_t)> run)
    : run_(std::move(run)), slots_(count) {
    if (threads < 2) return;
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

StudiesAhead::~StudiesAhead() {
    {
        const std::lock_guard lock(mutex_);
        next_ = slots_.size();
    }
    for (std::thread& thread : threads_) thread.join();
}

core::StudyRecord StudiesAhead::take(std::size_t at) {
    if (threads_.empty()) return run_(at);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return slots_[at].is_done; });
    if (slots_[at].failure) std::rethrow_exception(slots_[at].failure);
    return std::move(slots_[at].record);
}

void StudiesAhead::serve() {
    std::unique_lock lock(mutex_);
    while (next_ < slots_.size()) {
        Slot& slot = slots_[next_];
        const std::size_t at = next_++;
        lock.unlock();
        try {
            slot.record = run_(at);
        } catch (...) {
            slot.failure = std::current_exception();
        }
        lock.lock();
        slot.is_done = true;
        changed_.notify_all();
    }
}

}  // namespace farfield::cli
