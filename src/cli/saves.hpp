// Waits for files to be saved.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace farfield::cli {

/// The files in the folders of some paths, by name, with the times of their last change.
class Saves {
public:
    /// For a file, its folder is watched, so that the tables next to a study count too. `except`, the folder of
    /// results, is ignored, and so are files whose names begin with a point.
    Saves(const std::vector<std::string>& paths, const std::string& except);

    /// Waits until a file changes, appears or disappears; returns false if `stops` becomes true before. Editors save in
    /// several steps, so the files must not change for a moment after that. A change of a study file is seen within
    /// 20 ms. For other files, and for new ones, it takes up to ten times as long as listing the folders.
    bool wait(const std::function<bool()>& stops);

private:
    using Times = std::map<std::string, std::filesystem::file_time_type>;
    Times look() const;

    std::vector<std::filesystem::path> folders_;
    std::filesystem::path except_;
    Times times_;
};

}  // namespace farfield::cli
