// Waiting for files to be saved.
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
    /// Of a file, its folder is watched, so that the tables beside a study count too. `except`, the folder of results,
    /// is left out, and so are files whose names begin with a point.
    Saves(const std::vector<std::string>& paths, const std::string& except);

    /// Waits until a file changes, appears or goes; false if `stops` becomes true before. Editors save in several
    /// steps: the files must then be at rest for a moment. A change of a study file is seen at once; of other files,
    /// and new ones, it takes ten times as long as the folders take to list.
    bool wait(const std::function<bool()>& stops);

private:
    using Times = std::map<std::string, std::filesystem::file_time_type>;
    Times look() const;

    std::vector<std::filesystem::path> folders_;
    std::filesystem::path except_;
    Times times_;
};

}  // namespace farfield::cli
