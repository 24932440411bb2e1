// Waits for files to be saved.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace farfield::cli {

/// The files that a study names, with those that included studies name: corpora, tables, checkpoints. Also finds the
/// names in a study with a mistake.
std::vector<std::string> files_named_in(const std::string& study);

/// The studies under some paths and the files that they name (included studies, tables, models), with the times of
/// their last change. Other files do not count, such as those that a run writes or that its output is redirected to.
class Saves {
public:
    /// A folder means the studies in it, also later ones. Below `except`, the folder of results, there are none.
    Saves(const std::vector<std::string>& paths, const std::string& except);

    /// Waits until a file changes, appears or disappears; returns false if `stops` becomes true before. Editors save in
    /// several steps, so the files must not change for a moment after that. A change of a study file is seen within
    /// 20 ms. For other files, and for new ones, it takes up to ten times as long as listing the folders.
    bool wait(const std::function<bool()>& stops);

private:
    using Times = std::map<std::string, std::filesystem::file_time_type>;
    Times look() const;

    std::vector<std::filesystem::path> paths_;
    std::filesystem::path except_;
    Times times_;
};

}  // namespace farfield::cli
