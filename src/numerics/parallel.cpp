#include "numerics/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <farfield/core/pulse.hpp>
#include <farfield/numerics/processors.hpp>

#include "core/threads.hpp"

namespace farfield::numerics {

namespace {

// There are more ranges than threads, so that a slow range or a busy processor does not delay all the others.
constexpr std::size_t ranges_a_thread = 16;

// How often a thread yields before it sleeps. Loops often follow one another, and waking a thread takes as long as a
// short loop.
constexpr int turns_before_sleep = 100;

// Whether this thread works in a loop. Nested loops run on this thread only.
thread_local bool in_loop = false;

/// Keeps the exception with the lowest index, because no exception may leave a thread.
class FirstFailure {
public:
    /// Runs the work, and returns whether it succeeded.
    template <class Work>
    bool guard(std::size_t index, const Work& work) {
        try {
            work();
            return true;
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (index < index_) thrown_ = std::current_exception();
            index_ = std::min(index, index_);
            return false;
        }
    }
    void rethrow() const {
        if (thrown_) std::rethrow_exception(thrown_);
    }

private:
    std::mutex mutex_;
    std::size_t index_ = std::numeric_limits<std::size_t>::max();
    std::exception_ptr thrown_;
};

/// A loop from which threads take indices one by one, in order.
class Loop {
public:
    Loop(std::size_t count, std::size_t threads, const void* context,
         void (*call)(const void*, std::size_t, std::size_t))
        : count_(count), threads_(threads), context_(context), call_(call) {}

    void take_all(std::size_t slot) {
        for (std::size_t index = next_++; index < count_; index = next_++) {
            // All lower indices have begun, so that the lowest index that fails is the same for any number of threads.
            if (!failure_.guard(index, [&] { call_(context_, index, slot); })) next_ = count_;
        }
    }
    void rethrow() const { failure_.rethrow(); }
    const std::shared_ptr<core::Pulse>& pulse() const { return pulse_; }

    // State that helpers read under their lock.
    bool is_full() const { return joined_ == threads_; }
    std::size_t join() {
        ++helping_;
        return joined_++;
    }
    bool leave() { return --helping_ == 0; }
    bool is_helped() const { return helping_ > 0; }  // also without the lock

private:
    std::size_t count_;
    std::size_t threads_;
    const void* context_;
    void (*call_)(const void*, std::size_t, std::size_t);
    const std::shared_ptr<core::Pulse> pulse_ = core::PulseScope::current();
    std::atomic<std::size_t> next_ = 0;
    FirstFailure failure_;
    std::size_t joined_ = 1;  // including the thread that began the loop
    std::atomic<std::size_t> helping_ = 0;
};

/// Threads that join any open loop. A loop never waits for a thread that has not joined it. If all threads are busy
/// with other loops or not scheduled, the thread that began the loop does all of its work.
class Helpers {
public:
    /// Never destroyed: a thread may still help when the process ends.
    static Helpers& all() {
        static Helpers& helpers = *new Helpers;
        return helpers;
    }

    void run(Loop& loop, std::size_t threads) {
        std::unique_lock lock(mutex_);
        start(std::max(threads, processors()) - 1);
        open_.push_back(&loop);
        open_loops_ = open_.size();
        const bool takes_all = threads > count_;
        lock.unlock();
        if (takes_all) opened_.notify_all();
        for (std::size_t i = 1; i < threads && !takes_all; ++i) opened_.notify_one();
        in_loop = true;
        loop.take_all(0);
        in_loop = false;
        lock.lock();
        close(loop);
        wait_while(lock, [&] { return loop.is_helped(); });
        left_.wait(lock, [&] { return !loop.is_helped(); });
    }

private:
    void start(std::size_t wanted) {
        try {
            for (; count_ < wanted; ++count_) std::thread([this] { serve(); }).detach();
        } catch (const std::system_error&) {
            // The system cannot start more threads; the running ones do the work.
        }
    }
    void close(const Loop& loop) {
        std::erase(open_, &loop);
        open_loops_ = open_.size();
    }

    /// Yields a few times while the condition, which needs no lock, holds.
    template <class Condition>
    static void wait_while(std::unique_lock<std::mutex>& lock, const Condition& holds) {
        lock.unlock();
        for (int turn = 0; turn < turns_before_sleep && holds(); ++turn) std::this_thread::yield();
        lock.lock();
    }

    void serve() {
        in_loop = true;
        std::unique_lock lock(mutex_);
        while (true) {
            wait_while(lock, [&] { return open_loops_ == 0; });
            opened_.wait(lock, [&] { return !open_.empty(); });
            Loop& loop = *open_.front();
            const std::size_t slot = loop.join();
            if (loop.is_full()) close(loop);
            lock.unlock();
            {
                const core::PulseScope scope(loop.pulse());
                loop.take_all(slot);
            }
            lock.lock();
            close(loop);
            if (loop.leave()) left_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable opened_;
    std::condition_variable left_;
    std::vector<Loop*> open_;  // the loops that another thread may join
    std::atomic<std::size_t> open_loops_ = 0;
    std::size_t count_ = 0;
};

}  // namespace

void Turns::take(std::size_t index, const std::function<void()>& work, const std::function<void()>& act) {
    try {
        work();
        std::unique_lock lock(mutex_);
        passed_.wait(lock, [&] { return turn_ == index || failed_; });
        if (failed_) return;
        lock.unlock();
        act();
    } catch (...) {
        const std::lock_guard lock(mutex_);
        failed_ = true;
        passed_.notify_all();
        throw;
    }
    const std::lock_guard lock(mutex_);
    ++turn_;
    passed_.notify_all();
}

void Team::share_out(std::size_t count, const void* context, Call call) const {
    const std::size_t useful = std::min(count, threads_);
    if (useful < 2 || in_loop || !core::has_threads) {
        for (std::size_t index = 0; index < count; ++index) call(context, index, 0);
        return;
    }
    Loop loop(count, useful, context, call);
    Helpers::all().run(loop, useful);
    loop.rethrow();
}

void spread(std::size_t count, std::size_t grain, const OfRange& work) {
    const std::size_t grains = (count + grain - 1) / grain;
    const std::size_t threads = in_loop ? 1 : loop_threads();
    const std::size_t wanted = threads * ranges_a_thread;
    const std::size_t length = (grains + wanted - 1) / wanted * grain;
    if (threads == 1 || length >= count) return work(0, count);
    Team(threads).run((count + length - 1) / length, [&](std::size_t range, std::size_t) {
        work(range * length, std::min(count, (range + 1) * length));
    });
}

void side_by_side(std::size_t count, std::size_t processors, const std::function<void(std::size_t)>& task) {
    FirstFailure failure;
    const auto run = [&](std::size_t i) {
        const ThreadShare share(processors / count);
        failure.guard(i, [&] { task(i); });
    };
    if (!core::has_threads) {
        for (std::size_t i = 0; i < count; ++i) run(i);
        return failure.rethrow();
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back(run, i);
    if (count > 0) run(0);
    for (std::thread& thread : threads) thread.join();
    failure.rethrow();
}

}  // namespace farfield::numerics
