// Public reports of the faults that findings show.
#include <algorithm>

#include "doctor/check.hpp"
#include "doctor/data.hpp"

namespace farfield::doctor {

namespace {

using core::Entries;

std::string_view text_at(const Entries& entries, std::string_view key) {
    const core::Entry* entry = entries.find(key);
    const std::string* text = entry ? entry->value.string() : nullptr;
    return text ? std::string_view(*text) : std::string_view();
}

std::string_view last_part(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

/// Whether the report belongs to this finding; a missing condition always holds.
bool is_of(const Entries& report, const Finding& finding, std::string_view model_type) {
    const std::string_view model = text_at(report, "model"), key = text_at(report, "key");
    return text_at(report, "finding") == finding.id && (model.empty() || model == model_type) &&
           (key.empty() || last_part(key) == last_part(finding.key)) &&
           finding.message.find(text_at(report, "says")) != std::string::npos;
}

const std::vector<core::Value>& reports() {
    static const Entries root = read_data(data_files(), "reports");
    return *root.find("report")->value.list();
}

}  // namespace

void cite_reports(std::vector<Finding>& findings, std::string_view model_type) {
    for (Finding& finding : findings) {
        const auto found = std::find_if(reports().begin(), reports().end(), [&](const core::Value& each) {
            return is_of(*each.entries(), finding, model_type);
        });
        if (found != reports().end()) finding.report = text_at(*found->entries(), "report");
    }
}

}  // namespace farfield::doctor
