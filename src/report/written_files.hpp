// The files that a run wrote into a folder, according to its results.json.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace farfield::report {

struct WrittenFiles {
    std::string study;               ///< the study's name
    std::string file;                ///< the study's file as the user named it
    std::vector<std::string> names;  ///< files of series and figures, in the folder
    std::set<std::string> computed;  ///< quantities, claims with a verdict as "claim SA-31", and "figure f"
};

/// The content of a file that this program or gnuplot wrote; empty if there is none.
std::string content_of(const std::string& path);

/// Nothing if the folder has no results.json. Throws core::UserError for one that farfield did not write or that was
/// damaged, core::MissingError for one that cannot be read.
std::optional<WrittenFiles> read_written_files(const std::string& folder);

/// Removes the files of `before` that are not in `now`: plain files in the folder itself, nothing else.
void remove_left_over(const std::string& folder, const WrittenFiles& before, const std::vector<std::string>& now);

}  // namespace farfield::report
