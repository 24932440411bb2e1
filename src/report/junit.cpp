#include <algorithm>
#include <farfield/report/report.hpp>

#include "report/summary.hpp"
#include "report/text.hpp"

namespace farfield::report {
namespace {

std::string xml_attribute(std::string_view name, std::string_view value) {
    return " " + std::string(name) + "=\"" + escaped(value) + "\"";
}

std::string xml_attribute(std::string_view name, std::size_t value) {
    return xml_attribute(name, std::to_string(value));
}

/// The results of the readings, one per line.
std::string readings_text(const core::ClaimRecord& claim) {
    std::string text;
    for (const core::ReadingRecord& reading : claim.readings) {
        text +=
            reading.name + ": " + std::string(core::verdict_name(reading.verdict)) + (reading.extra ? " (extra)" : "");
        text += (reading.explain.empty() ? "" : "; " + reading.explain) + "\n";
    }
    return text;
}

std::string test_case(const core::StudyRecord& study, const core::ClaimRecord& claim) {
    const std::string found(core::verdict_name(claim.verdict));
    std::string text = "    <testcase" + xml_attribute("classname", study.study) +
                       xml_attribute("name", claim.id + ": " + claim.says) + xml_attribute("file", study.file);
    if (claim.place.known()) text += xml_attribute("line", claim.place.line);
    text += ">\n";
    if (!claim.fails()) {
        if (!core::is_verdict(claim.verdict)) text += "      <skipped" + xml_attribute("message", found) + "/>\n";
    } else {
        const std::string expected = claim.expected ? "expected " + std::string(core::verdict_name(*claim.expected))
                                                    : "without an expected verdict";
        text += "      <failure" + xml_attribute("message", expected + ", found " + found) + ">" +
                escaped(readings_text(claim)) + "</failure>\n";
    }
    return text + "      <system-out>" + escaped(found + "\n" + readings_text(claim)) +
           "</system-out>\n    </testcase>\n";
}

std::string counts(std::span<const core::ClaimRecord> claims, std::size_t errors = 0) {
    const Summary summary = summarise(claims);
    const auto failures = static_cast<std::size_t>(
        std::count_if(claims.begin(), claims.end(), [](const core::ClaimRecord& claim) { return claim.fails(); }));
    return xml_attribute("tests", summary.claims + errors) + xml_attribute("failures", failures) +
           xml_attribute("errors", errors) + xml_attribute("skipped", summary.missing + summary.skipped);
}

/// A suite of problems of the studies themselves.
std::string suite_of_problems(std::span<const Alert> problems) {
    if (problems.empty()) return "";
    std::string text = "  <testsuite name=\"problems\"" + counts({}, problems.size()) + ">\n";
    for (const Alert& problem : problems) {
        text += "    <testcase classname=\"problems\"" + xml_attribute("name", problem.rule) +
                xml_attribute("file", problem.place.file);
        if (problem.place.known()) text += xml_attribute("line", problem.place.line);
        text += "><error" + xml_attribute("message", problem.message) + "/></testcase>\n";
    }
    return text + "  </testsuite>\n";
}

}  // namespace

std::string junit(std::span<const core::StudyRecord> studies, std::span<const Alert> problems) {
    std::vector<core::ClaimRecord> all;
    std::string suites;
    for (const core::StudyRecord& study : studies) {
        all.insert(all.end(), study.claims.begin(), study.claims.end());
        suites += "  <testsuite" + xml_attribute("name", study.study) + counts(study.claims) +
                  xml_attribute("time", short_number(study.seconds)) + ">\n";
        for (const core::ClaimRecord& claim : study.claims) suites += test_case(study, claim);
        suites += "  </testsuite>\n";
    }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"farfield\"" + counts(all, problems.size()) +
           ">\n" + suites + suite_of_problems(problems) + "</testsuites>\n";
}

}  // namespace farfield::report
