// Problems for programs that show them at their lines: annotations in GitHub's workflows, and the files of `check`.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/record.hpp>
#include <farfield/report/report.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::cli {

/// If GITHUB_ACTIONS is true, prints an annotation to standard error. `file` is used for a place without a file.
void annotate(core::Place place, const std::string& file, std::string_view level, std::string_view message);

/// An annotation for each alert.
void annotate(const std::vector<report::Alert>& alerts);

/// An alert for each problem; its rule is the family of the message in `farfield explain`.
std::vector<report::Alert> alerts_of(const std::vector<core::Diagnostic>& problems, const std::string& file);

/// Alerts for failures of studies, each cause once, and for claims that fail or are missing.
std::vector<report::Alert> alerts_of(const std::vector<core::StudyRecord>& records);

}  // namespace farfield::cli
