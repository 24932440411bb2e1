#include <fmt/format.h>

#include <farfield/core/write_file.hpp>
#include <farfield/report/report.hpp>
#include <farfield/report/summary_page.hpp>

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

int write_report(const ReportOptions& options) {
    const std::string& folder = options.folder;
    const std::string page = folder + "/index.html";
    core::write_file(page, report::summary_page(report::read_all_results(folder), folder));
    print("{}\n", page);
    return as_expected;
}

}  // namespace

const Command report_command{"report", "write one page over the results of many studies",
                             declare<ReportOptions, add_report_options, write_report>};

}  // namespace farfield::cli
