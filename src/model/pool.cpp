#include "model/pool.hpp"

namespace farfield::model {

Pool::Pool(std::size_t threads) {
    for (std::size_t slot = 1; slot < threads; ++slot) {
        workers_.emplace_back([this, slot] { serve(slot); });
    }
}

Pool::~Pool() {
    stopping_ = true;
    ++round_;
    round_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

void Pool::start(std::size_t count, const void* context, Call call) {
    count_ = count;
    context_ = context;
    call_ = call;
    failure_ = nullptr;
    next_ = 0;
    const bool shared = count > 1 && !workers_.empty();
    if (shared) {
        busy_ = workers_.size();
        ++round_;
        round_.notify_all();
    }
    take_all(0);
    for (std::size_t left = busy_; shared && left > 0; left = busy_) busy_.wait(left);
    if (failure_) std::rethrow_exception(failure_);
}

void Pool::take_all(std::size_t slot) {
    for (std::size_t index = next_++; index < count_; index = next_++) {
        try {
            call_(context_, index, slot);
        } catch (...) {
            const std::lock_guard lock(failing_);
            if (!failure_) failure_ = std::current_exception();
        }
    }
}

void Pool::serve(std::size_t slot) {
    std::uint64_t seen = 0;
    while (true) {
        round_.wait(seen);
        seen = round_;
        if (stopping_) return;
        take_all(slot);
        if (--busy_ == 0) busy_.notify_all();
    }
}

}  // namespace farfield::model
