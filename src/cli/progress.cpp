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

std::string left_text(const SecondsLeft& left) {
    const std::string least = duration_text(std::ceil(left.least));
    if (left.most > 2 * left.least) return least + " to " + duration_text(std::ceil(left.most)) + " left";
    return "about " + duration_text(std::ceil((left.least + left.most) / 2)) + " left";
}

std::string progress_text(double seconds, double share, std::optional<SecondsLeft> left) {
    if (share <= 0) return fmt::format("running for {}", duration_text(std::floor(seconds)));
    if (share >= 1) return "100%, nearly done";
    std::string percent = fmt::format("{:.0f}", 100 * share);
    if (share < 0.01) percent = fmt::format("{:.1f}", 100 * share);
    if (share < 0.0005) percent = share < 0.00005 ? "under 0.01" : fmt::format("{:.2f}", 100 * share);
    percent += '%';
    return left ? percent + ", " + left_text(*left) : percent;
}

void Pace::tell(double seconds, double share) {
    now_ = {seconds, share};
    if (!first_) first_ = last_ = now_;
    const double passed = seconds - last_.seconds;
    if (share == last_.share || passed < 1) return;
    mean_ = (share - first_->share) / (seconds - first_->seconds);
    step_ = (share - last_.share) / passed;
    last_ = now_;
    ++steps_;
}

std::optional<SecondsLeft> Pace::left() const {
    if (steps_ == 0) return std::nullopt;
    const double until_now = (now_.share - first_->share) / (now_.seconds - first_->seconds);
    const auto [slowest, fastest] = std::minmax({until_now, mean_, step_});
    if (slowest <= 0) return std::nullopt;  // the total has grown
    const SecondsLeft left{(1 - now_.share) / fastest, (1 - now_.share) / slowest};
    const bool is_steady = steps_ > 1 && fastest < 2 * slowest;
    const bool is_near = left.most <= 100 * (now_.seconds - first_->seconds);
    return is_steady || is_near ? std::optional(left) : std::nullopt;
}

Progress::Progress()
    : terminal_(isatty(STDERR_FILENO) == 1), start_(std::chrono::steady_clock::now()), begin_(start_) {}

Progress::~Progress() {
    clear();
}

void Progress::begin() {
    begin_ = std::chrono::steady_clock::now();
    pace_ = Pace();
}

void Progress::tell(const std::string& item, double done, double total) {
    if (!terminal_) return;
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    const double share = total > 0 ? std::min(1.0, done / total) : 0;
    pace_.tell(seconds, share);
    if (std::chrono::duration<double>(now - start_).count() < 2) return;
    std::fprintf(stderr, "\r\033[K%s: %s", core::printable_line(item).c_str(),
                 progress_text(seconds, share, pace_.left()).c_str());
    std::fflush(stderr);
    shown_ = true;
}

void Progress::clear() {
    if (!shown_) return;
    std::fputs("\r\033[K", stderr);
    shown_ = false;
}

}  // namespace farfield::cli
