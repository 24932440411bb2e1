#include "cli/saves.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace farfield::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::steady_clock::duration interval = std::chrono::milliseconds(20);

fs::path whole(const fs::path& path) {
    std::error_code failure;
    const fs::path found = fs::weakly_canonical(path, failure);
    return failure ? path : found;
}

}  // namespace

Saves::Saves(const std::vector<std::string>& paths, const std::string& except) : except_(whole(except)) {
    for (const std::string& path : paths) {
        std::error_code failure;
        const fs::path found = whole(path);
        folders_.push_back(fs::is_directory(found, failure) ? found : found.parent_path());
    }
    times_ = look();
}

Saves::Times Saves::look() const {
    Times times;
    for (const fs::path& folder : folders_) {
        std::error_code failure;
        fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, failure);
        for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
            const bool is_hidden = entry->path().filename().string().starts_with(".");
            if (is_hidden || entry->path() == except_) {
                entry.disable_recursion_pending();
                continue;
            }
            std::error_code gone;
            if (entry->is_regular_file(gone)) times[entry->path().string()] = entry->last_write_time(gone);
        }
    }
    return times;
}

bool Saves::wait(const std::function<bool()>& stops) {
    Times last = times_;
    auto pause = interval;
    while (!stops()) {
        std::this_thread::sleep_for(pause);
        const auto begin = std::chrono::steady_clock::now();
        Times now = look();
        // Polling leaves most of the time to other processes, for any number of files.
        pause = std::max(interval, 10 * (std::chrono::steady_clock::now() - begin));
        const bool is_at_rest = now == last;
        last = std::move(now);
        if (!is_at_rest || last == times_) continue;
        times_ = std::move(last);
        return true;
    }
    return false;
}

}  // namespace farfield::cli
