// Distributes work over threads. All loops of the process share the helper threads, which start when a loop first needs
// them and then wait for the next one.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

namespace farfield::numerics {

/// A range of indices [begin, end).
using OfRange = std::function<void(std::size_t, std::size_t)>;

/// What in_parallel does with more than one grain.
void spread(std::size_t count, std::size_t grain, const OfRange& work);

/// Calls work(begin, end) for ranges that together make [0, count), each but the last a multiple of `grain` long and
/// begun at a multiple of it. The number of ranges depends on the computer, so results must not depend on it.
/// loop_threads() gives the number of threads. The exception of the first range that failed is rethrown after all
/// ranges that began have ended.
template <class Work>
void in_parallel(std::size_t count, std::size_t grain, const Work& work) {
    if (count == 0) return;
    count <= grain ? work(std::size_t{0}, count) : spread(count, grain, std::ref(work));
}

/// Lets the threads of a loop act one after the other, in the order of their indices.
class Turns {
public:
    /// Works, waits until all lower indices have acted, and acts. If one of the two throws, higher indices do not act.
    void take(std::size_t index, const std::function<void()>& work, const std::function<void()>& act);

private:
    std::mutex mutex_;
    std::condition_variable passed_;
    std::size_t turn_ = 0;
    bool failed_ = false;
};

/// Threads that distribute work by index; a single thread inside another loop.
class Team {
public:
    explicit Team(std::size_t threads) : threads_(threads) {}

    std::size_t threads() const { return threads_; }

    /// Calls work(index, slot) for every index of [0, count). No two concurrent calls have the same slot, which is
    /// below threads(). Which slot gets which index changes from run to run, so results must not depend on it. The
    /// exception of the lowest index that failed is rethrown; higher indices may be skipped.
    template <class Work>
    void run(std::size_t count, const Work& work) const {
        share_out(count, &work, [](const void* context, std::size_t index, std::size_t slot) {
            (*static_cast<const Work*>(context))(index, slot);
        });
    }

    /// The same, and calls act(index, slot) after it in the order of indices, one call at a time. No call of act
    /// follows one that throws.
    template <class Work, class Act>
    void run_in_turn(std::size_t count, const Work& work, const Act& act) const {
        Turns turns;
        run(count, [&](std::size_t index, std::size_t slot) {
            turns.take(
                index, [&] { work(index, slot); }, [&] { act(index, slot); });
        });
    }

private:
    using Call = void (*)(const void*, std::size_t, std::size_t);

    void share_out(std::size_t count, const void* context, Call call) const;

    std::size_t threads_;
};

/// Calls task(i) for each i of [0, count), each on its own thread, whose loops may use an equal part of `processors`.
/// The first exception is rethrown after all have ended.
void side_by_side(std::size_t count, std::size_t processors, const std::function<void(std::size_t)>& task);

}  // namespace farfield::numerics
