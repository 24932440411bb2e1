// Progress on a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace farfield::cli {

/// The rate of some work. Only what is done after the first report counts, because results of an earlier run may be
/// there at the start.
class Pace {
public:
    /// `share` of the work is done after this many seconds.
    void tell(double seconds, double share);
    /// The seconds left; nothing if the rate is not steady: after less than two steps of at least a second, if the last
    /// step had less than half or more than twice the mean rate, or if the work has stood still for two seconds and
    /// twice as long as this step.
    std::optional<double> left() const;

private:
    struct Point {
        double seconds;
        double share;
    };
    std::optional<Point> first_;
    Point last_{};
    double share_ = 0;
    double step_ = 0;  ///< the seconds of the last step
    std::size_t steps_ = 0;
    double rate_ = 0;  ///< of the work per second; 0 if it is not steady
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

/// "35%, about 12 s left" after this many seconds; "35%" if the seconds left are unknown; "running for 5 s" while no
/// progress is known.
std::string progress_text(double seconds, double share, std::optional<double> left);

/// "2 h 5 min", "12 s".
std::string duration_text(double seconds);

}  // namespace farfield::cli
