// One page over many studies.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <farfield/core/record.hpp>

namespace farfield::report {

/// The output of a run: the study's results.json, and its folder relative to the page.
struct StudyResults {
    core::StudyRecord study;
    std::string folder;
    std::string playground = "";  ///< the study's address in the page for browsers, from this page; "" for no link
};

/// Every results.json under `directory`, sorted by folder. Throws core::UserError with every file that is not a valid
/// results.json, or if there is no such file.
std::vector<StudyResults> read_all_results(const std::string& directory);

/// A self-contained HTML page: how many claims have which verdict, certified or not; filters (they need JavaScript;
/// without it everything is shown); each claim with its readings, numbers, figures, study file and the command that
/// computes its verdict again. The figures are those whose SVG is under `directory`; links to the studies' own pages
/// are relative to it. An address that ends in "#show?verdict=refuted,depends&certified=yes" opens the page with these
/// filters set (keys: verdict, certified, study, record=differs, find).
std::string summary_page(std::span<const StudyResults> results, const std::string& directory);

}  // namespace farfield::report
