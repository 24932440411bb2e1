// Progress on a terminal.
#pragma once

#include <chrono>
#include <string>

namespace farfield::cli {

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
};

/// "35%, about 12 s left" after this many seconds; "running for 5 s" while no progress is known.
std::string progress_text(double seconds, double done, double total);

/// "2 h 5 min", "12 s".
std::string duration_text(double seconds);

}  // namespace farfield::cli
