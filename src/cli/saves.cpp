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

/// Reads the times of the study files again; whether one has changed.
bool update_studies(std::map<std::string, fs::file_time_type>& times) {
    bool has_changed = false;
    for (auto& [path, time] : times) {
        if (!path.ends_with(".toml")) continue;
        std::error_code gone;
        const fs::file_time_type now = fs::last_write_time(path, gone);
        has_changed = has_changed || now != time;
        time = now;
    }
    return has_changed;
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
    using Clock = std::chrono::steady_clock;
    Times last = times_;
    Clock::time_point next_look = Clock::now();
    bool has_changed = false;
    while (!stops()) {
        std::this_thread::sleep_for(interval);
        const Clock::time_point begin = Clock::now();
        bool is_at_rest = true;
        if (begin < next_look) {
            is_at_rest = !update_studies(last);
        } else {
            Times now = look();
            is_at_rest = now == last;
            last = std::move(now);
            // Polling leaves most of the time to other processes, for any number of files.
            next_look = Clock::now();
            if (is_at_rest) next_look += 10 * (next_look - begin);
        }
        has_changed = has_changed || !is_at_rest;
        if (!is_at_rest || !has_changed) continue;
        has_changed = last != times_;
        if (!has_changed) continue;
        times_ = std::move(last);
        return true;
    }
    return false;
}

}  // namespace farfield::cli
