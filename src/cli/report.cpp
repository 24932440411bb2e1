#include <fmt/format.h>

#include <farfield/core/write_file.hpp>
#include <farfield/report/report.hpp>
#include <farfield/report/summary_page.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

int report(const CommandLine& line) {
    const std::string folder = line.subject.empty() ? "results" : line.subject;
    const std::string page = folder + "/index.html";
    core::write_file(page, report::summary_page(report::read_all_results(folder), folder));
    print("{}\n", page);
    return as_expected;
}

}  // namespace farfield::cli
