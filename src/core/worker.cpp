#include <farfield/core/worker.hpp>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "core/threads.hpp"

namespace farfield::core {

struct Worker::State {
    std::mutex mutex;
    std::condition_variable changed;
    std::function<void()> job;
    std::exception_ptr failure;
    bool busy = false;
    bool closing = false;
    bool left_behind = false;
    std::thread thread;

    void serve() {
        std::unique_lock lock(mutex);
        for (;;) {
            changed.wait(lock, [this] { return busy || closing; });
            if (!busy) return;
            lock.unlock();
            std::exception_ptr thrown;
            try {
                job();
            } catch (...) {
                thrown = std::current_exception();
            }
            lock.lock();
            job = nullptr;
            failure = thrown;
            busy = false;
            changed.notify_all();
        }
    }
};

Worker::Worker() : state_(std::make_shared<State>()) {
    // The thread shares the state, so that it may outlive the worker.
    if (has_threads) state_->thread = std::thread([state = state_] { state->serve(); });
}

Worker::~Worker() {
    if (!has_threads) return;
    {
        const std::lock_guard lock(state_->mutex);
        state_->closing = true;
        state_->changed.notify_all();
    }
    state_->left_behind ? state_->thread.detach() : state_->thread.join();
}

bool Worker::run(std::function<void()> job, const std::function<bool()>& go_on) {
    if (!has_threads) {
        job();
        return true;
    }
    std::unique_lock lock(state_->mutex);
    state_->job = std::move(job);
    state_->busy = true;
    state_->changed.notify_all();
    while (!state_->changed.wait_for(lock, std::chrono::milliseconds(100), [this] { return !state_->busy; })) {
        lock.unlock();
        const bool more = go_on();
        lock.lock();
        if (!more && state_->busy) {
            state_->left_behind = true;
            return false;
        }
    }
    if (state_->failure) std::rethrow_exception(state_->failure);
    return true;
}

}  // namespace farfield::core
