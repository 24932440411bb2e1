#include "cli/saves.hpp"

#include <chrono>
#include <farfield/core/input_file.hpp>
#include <set>
#include <stdexcept>
#include <thread>

namespace farfield::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::steady_clock::duration interval = std::chrono::milliseconds(20);

fs::path whole(const fs::path& path) {
    std::error_code failure;
    const fs::path found = fs::weakly_canonical(fs::absolute(path), failure);
    return failure ? path : found;
}

bool is_study(const fs::path& path) {
    return path.extension() == ".toml";
}

/// The studies in a folder.
std::vector<fs::path> studies_in(const fs::path& folder, const fs::path& except) {
    std::vector<fs::path> found;
    std::error_code failure;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, failure);
    for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
        if (entry->path().filename().string().starts_with(".") || entry->path() == except)
            entry.disable_recursion_pending();
        else if (is_study(entry->path()))
            found.push_back(entry->path());
    }
    return found;
}

/// The texts between quotes in a study, as paths from its folder. Those of files are the ones that it reads. This also
/// finds the names in a study with a mistake, and names of files that do not exist yet.
std::vector<fs::path> names_in(const fs::path& study) {
    std::string text;
    try {
        text = core::read_file(study.string());
    } catch (const std::runtime_error&) {
        return {};  // it is gone or unreadable, which the next run reports
    }
    std::vector<fs::path> names;
    for (std::size_t at = text.find_first_of("\"'"); at != std::string::npos; at = text.find_first_of("\"'", at)) {
        const std::size_t end = text.find_first_of(std::string{text[at], '\n'}, at + 1);
        if (end == std::string::npos) break;
        const bool is_closed = text[end] == text[at];
        if (is_closed && end > at + 1) names.push_back(study.parent_path() / text.substr(at + 1, end - at - 1));
        at = end + 1;
    }
    return names;
}

/// Reads the times of the study files again; whether one has changed.
bool update_studies(std::map<std::string, fs::file_time_type>& times) {
    bool has_changed = false;
    for (auto& [path, time] : times) {
        if (!is_study(path)) continue;
        std::error_code gone;
        const fs::file_time_type now = fs::last_write_time(path, gone);
        has_changed = has_changed || now != time;
        time = now;
    }
    return has_changed;
}

}  // namespace

Saves::Saves(const std::vector<std::string>& paths, const std::string& except) : except_(whole(except)) {
    for (const std::string& path : paths) paths_.push_back(whole(path));
    times_ = look();
}

std::vector<std::string> files_named_in(const std::string& study) {
    std::vector<fs::path> left = {whole(study)};
    std::set<std::string> found;
    while (!left.empty()) {
        const fs::path path = left.back().lexically_normal();
        left.pop_back();
        for (const fs::path& each : names_in(path)) {
            const fs::path name = each.lexically_normal();
            std::error_code failure;
            if (!fs::is_regular_file(name, failure) || !found.insert(name.string()).second) continue;
            if (is_study(name)) left.push_back(name);
        }
    }
    return {found.begin(), found.end()};
}

Saves::Times Saves::look() const {
    std::vector<fs::path> left;
    for (const fs::path& path : paths_) {
        std::error_code failure;
        if (!fs::is_directory(path, failure))
            left.push_back(path);
        else
            for (fs::path& study : studies_in(path, except_)) left.push_back(std::move(study));
    }
    Times times;
    while (!left.empty()) {
        const fs::path path = left.back().lexically_normal();
        left.pop_back();
        std::error_code gone;
        if (!fs::is_regular_file(path, gone)) continue;
        const fs::file_time_type time = fs::last_write_time(path, gone);
        if (gone || !times.emplace(path.string(), time).second || !is_study(path)) continue;
        for (fs::path& name : names_in(path)) left.push_back(std::move(name));
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
