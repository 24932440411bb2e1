#include "cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <farfield/core/printable.hpp>

namespace farfield::cli {

namespace {

std::string duration_text(double seconds) {
    char text[48];
    if (seconds < 120)
        std::snprintf(text, sizeof text, "%.0f s", seconds);
    else if (seconds < 7200)
        std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
    else
        std::snprintf(text, sizeof text, "%.1f h", seconds / 3600);
    return text;
}

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
    clear();
}

void Progress::tell(const std::string& item, double done, double total) {
    if (!terminal_) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (seconds < 2) return;
    std::string left;
    if (done > 0 && total > done) left = ", about " + duration_text(seconds * (total - done) / done) + " left";
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
