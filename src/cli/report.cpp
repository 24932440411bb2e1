#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/input_file.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/report/report.hpp>
#include <farfield/report/summary_page.hpp>
#include <filesystem>
#include <optional>

#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

namespace {

struct ReportOptions {
    std::string folder = "results";
    std::string playground;
};

void add_report_options(CLI::App& app, ReportOptions& options) {
    app.add_option("DIR", options.folder, "folder of results; default: results");
    app.add_option("--playground", options.playground,
                   "address of the page for browsers: studies, figures and claims link to it; a relative one is "
                   "relative to DIR")
        ->type_name("ADDRESS");
}

bool is_relative(const std::string& address) {
    return address.find(':') == std::string::npos && !address.starts_with('/');
}

/// The content of a file next to a study, such as a table of a paper. Larger ones would make each link of a page large.
std::optional<std::string> small_file(const std::filesystem::path& path) {
    constexpr std::uintmax_t most_bytes = 8192;
    std::error_code failure;
    if (!std::filesystem::is_regular_file(path, failure) || std::filesystem::file_size(path, failure) > most_bytes)
        return {};
    return core::read_file(path.string());
}

/// The address of the study in the page for browsers, from the page over all; empty if its file is gone or the page
/// cannot run it.
std::string playground_of(const core::StudyRecord& study, const std::string& page) {
    std::error_code failure;
    if (page.empty() || !std::filesystem::is_regular_file(study.file, failure)) return "";
    const std::filesystem::path folder = std::filesystem::path(study.file).parent_path();
    const std::string fragment = report::playground_fragment(
        core::read_file(study.file), [&](const std::string& name) -> std::optional<std::string> {
            // The page has the study's folder and two around it.
            if (name.starts_with('/') || name.starts_with("../../../")) return {};
            return small_file(folder / name);
        });
    return fragment.empty() ? "" : page + fragment;
}

/// The same address, from the study's own folder.
std::string from_inside(const std::string& address, const std::string& folder) {
    if (address.empty() || folder.empty() || !is_relative(address)) return address;
    const auto depth = 1 + std::count(folder.begin(), folder.end(), '/');
    std::string up;
    for (std::ptrdiff_t i = 0; i < depth; ++i) up += "../";
    return up + address;
}

/// The page of a study whose run wrote none, or whose page was removed: the record keeps numbers and figures alone. One
/// that gets links is written anew.
void write_page_of(const report::StudyResults& result, const std::string& folder) {
    const std::string own = (std::filesystem::path(folder) / result.folder).string();
    const std::string page = own + "/report.html";
    std::error_code failure;
    if (result.playground.empty() && std::filesystem::exists(page, failure)) return;
    core::write_file(page, report::study_page(result.study, own, from_inside(result.playground, result.folder)));
}

/// Pages link to the address, which must not be a script.
void check_address(const std::string& address) {
    const bool is_page = address.starts_with("https://") || address.starts_with("http://") ||
                         address.starts_with("file:///") || address.find(':') == std::string::npos;
    const bool has_blanks = address.find_first_of(" \t\r\n") != std::string::npos;
    if (!is_page || has_blanks)
        refuse_input("--playground has '" + address + "'", "an http or https address, or a path, without blanks");
}

int write_report(const ReportOptions& options) {
    check_address(options.playground);
    const std::string& folder = options.folder;
    const std::string page = folder + "/index.html";
    std::vector<report::StudyResults> results = report::read_all_results(folder);
    for (report::StudyResults& result : results) {
        result.playground = playground_of(result.study, options.playground);
        write_page_of(result, folder);
    }
    core::write_file(page, report::summary_page(results, folder));
    print("{}\n", page);
    return as_expected;
}

}  // namespace

const Command report_command{"report", "write one page over the results of many studies",
                             declare<ReportOptions, add_report_options, write_report>};

}  // namespace farfield::cli
