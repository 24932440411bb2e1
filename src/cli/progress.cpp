#include "cli/progress.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <farfield/core/printable.hpp>

namespace farfield::cli {

std::string duration_text(double seconds) {
    if (seconds < 60) return fmt::format("{:.3g} s", seconds);
    const long long minutes = std::llround(seconds / 60);
    if (minutes < 60) return fmt::format("{} min", minutes);
    return minutes < 2880 ? fmt::format("{} h {} min", minutes / 60, minutes % 60)
                          : fmt::format("{} days {} h", minutes / 1440, minutes % 1440 / 60);
}

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
    clear();
}

void Progress::tell(const std::string& item, double done, double total) {
    if (!terminal_) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (seconds < 2) return;
    std::string left;
    if (done > 0 && total > done)
        left = ", about " + duration_text(std::round(seconds * (total - done) / done)) + " left";
    const double percent = total > 0 ? std::min(100.0, 100 * done / total) : 0;
    std::fprintf(stderr, "\r\033[K%s: %.0f%%%s", core::printable_line(item).c_str(), percent, left.c_str());
    std::fflush(stderr);
    shown_ = true;
}

void Progress::clear() {
    if (!shown_) return;
    std::fputs("\r\033[K", stderr);
    shown_ = false;
}

}  // namespace farfield::cli
