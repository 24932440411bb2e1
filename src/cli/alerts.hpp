// Problems for programs that show them at their line: annotations of GitHub's workflows, and the files of `check`.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/record.hpp>
#include <farfield/report/report.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::cli {

/// Where GITHUB_ACTIONS is true, an annotation on standard error. `file` is that of a place without one.
void annotate(core::Place place, const std::string& file, std::string_view level, std::string_view message);

/// An annotation for each alert.
void annotate(const std::vector<report::Alert>& alerts);

/// An alert for each problem, its rule the family that `farfield explain` knows.
std::vector<report::Alert> alerts_of(const std::vector<core::Diagnostic>& problems, const std::string& file);

/// What failed while studies were computed, each cause once, and the claims that fail or are missing.
std::vector<report::Alert> alerts_of(const std::vector<core::StudyRecord>& records);

}  // namespace farfield::cli
