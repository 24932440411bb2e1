// Work shared out among threads. The threads that help are the same for all loops of the process: they start when a
// loop first needs them, and wait for the next one.
#pragma once

#include <cstddef>
#include <functional>

namespace farfield::numerics {

/// A range of indices [begin, end).
using OfRange = std::function<void(std::size_t, std::size_t)>;

/// What in_parallel does with more than one grain.
void spread(std::size_t count, std::size_t grain, const OfRange& work);

/// Calls work(begin, end) for ranges that together make [0, count), each but the last a multiple of `grain` long and
/// begun at a multiple of it. How many ranges there are depends on the machine: results must not. As many threads work
/// as loop_threads() says. The exception of the first range that failed is thrown again once all that began have ended.
template <class Work>
void in_parallel(std::size_t count, std::size_t grain, const Work& work) {
    if (count == 0) return;
    count <= grain ? work(std::size_t{0}, count) : spread(count, grain, std::ref(work));
}

/// A number of threads that share work out by index; one within another loop.
class Team {
public:
    explicit Team(std::size_t threads) : threads_(threads) {}

    std::size_t threads() const { return threads_; }

    /// Calls work(index, slot) for every index of [0, count). No two calls at one time have the same slot, which is
    /// below threads(). Which slot takes which index changes from run to run: results must not depend on it. The
    /// exception of the lowest index that failed is thrown again; indices above it may be left out.
    template <class Work>
    void run(std::size_t count, const Work& work) const {
        share_out(count, &work, [](const void* context, std::size_t index, std::size_t slot) {
            (*static_cast<const Work*>(context))(index, slot);
        });
    }

private:
    using Call = void (*)(const void*, std::size_t, std::size_t);

    void share_out(std::size_t count, const void* context, Call call) const;

    std::size_t threads_;
};

/// Calls task(i) for each i of [0, count), each on a thread of its own whose loops may use an equal part of
/// `processors`. The first exception is thrown again once all have ended.
void side_by_side(std::size_t count, std::size_t processors, const std::function<void(std::size_t)>& task);

}  // namespace farfield::numerics
