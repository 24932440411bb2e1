#include "cli/watched.hpp"

#include <chrono>
#include <farfield/core/pulse.hpp>
#include <memory>

#include "cli/interrupt.hpp"

namespace farfield::cli {

bool Watched::run(const std::function<void()>& job) {
    constexpr int beats_to_stop = 5;  // of a tenth of a second each
    const auto pulse = std::make_shared<core::Pulse>();
    int beats = 0;
    const auto steps = [&] { return counts_ == Counts::operations ? pulse->steps() : 0; };
    const auto go_on = [&] {
        progress_.tell(item_, done_ + steps(), total_);
        if (was_interrupted()) pulse->stop();
        return !was_interrupted() || ++beats < beats_to_stop;
    };
    bool finished = false;
    try {
        finished = worker_.run(
            [pulse, job] {
                const core::PulseScope scope(pulse);
                job();
            },
            go_on);
    } catch (const core::Stopped&) {
    }
    done_ += counts_ == Counts::operations ? pulse->steps() : 1;
    progress_.clear();
    return finished && !was_interrupted();
}

}  // namespace farfield::cli
