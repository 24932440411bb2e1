// Progress on a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace farfield::cli {

/// An estimate of the seconds left: `least` at the fastest rate seen lately, `most` at the slowest.
struct SecondsLeft {
    double least;
    double most;
};

/// The rate of some work. Only what is done after the first report counts, because results of an earlier run may be
/// there at the start.
class Pace {
public:
    /// `share` of the work is done after this many seconds.
    void tell(double seconds, double share);
    /// From the mean rate until now, the mean rate until the last step, and the rate of that step. Nothing before the
    /// first step of at least a second, or while the rate is not steady and the rest may take more than a hundred times
    /// as long as what was observed, because uneven work may begin slowly.
    std::optional<SecondsLeft> left() const;

private:
    struct Point {
        double seconds;
        double share;
    };
    std::optional<Point> first_;
    Point last_{};  ///< the end of the last step
    Point now_{};
    double mean_ = 0;  ///< the share per second until the end of the last step
    double step_ = 0;  ///< that of the last step
    std::size_t steps_ = 0;
};

/// One line on standard error, rewritten in place, with the remaining time; nothing before two seconds of work, or if
/// standard error is not a terminal.
class Progress {
public:
    Progress();
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Restarts the count, because the following work has another rate.
    void begin();
    /// `done` of `total` are in any unit of work.
    void tell(const std::string& item, double done, double total);
    /// Removes the line, so that other text may be written.
    void clear();

private:
    bool terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point begin_;
    Pace pace_;
};

/// "35%, about 12 s left" after this many seconds, or "35%, 12 s to 2 min left" if the rate varies by more than a
/// factor of two; "35%" if the seconds left are unknown; "running for 5 s" while no progress is known.
std::string progress_text(double seconds, double share, std::optional<SecondsLeft> left);

/// "2 h 5 min", "12 s".
std::string duration_text(double seconds);

}  // namespace farfield::cli
