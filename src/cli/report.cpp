#include <fmt/format.h>

#include <farfield/core/write_file.hpp>
#include <farfield/report/report.hpp>
#include <farfield/report/summary_page.hpp>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

namespace {

struct ReportOptions {
    std::string folder = "results";
};

void add_report_options(CLI::App& app, ReportOptions& options) {
    app.add_option("DIR", options.folder, "folder of results; default: results");
}

/// The page of a study whose run wrote none, or whose page was removed: the record keeps numbers and figures alone.
void write_page_of(const report::StudyResults& result, const std::string& folder) {
    const std::string own = (std::filesystem::path(folder) / result.folder).string();
    const std::string page = own + "/report.html";
    std::error_code failure;
    if (!std::filesystem::exists(page, failure)) core::write_file(page, report::study_page(result.study, own));
}

int write_report(const ReportOptions& options) {
    const std::string& folder = options.folder;
    const std::string page = folder + "/index.html";
    const std::vector<report::StudyResults> results = report::read_all_results(folder);
    for (const report::StudyResults& result : results) write_page_of(result, folder);
    core::write_file(page, report::summary_page(results, folder));
    print("{}\n", page);
    return as_expected;
}

}  // namespace

const Command report_command{"report", "write one page over the results of many studies",
                             declare<ReportOptions, add_report_options, write_report>};

}  // namespace farfield::cli
