#include <farfield/report/report.hpp>
#include <set>

#include "report/json_text.hpp"
#include "report/text.hpp"

namespace farfield::report {
namespace {

bool is_told(const core::ClaimRecord& claim) {
    return claim.fails() || claim.verdict == core::Verdict::missing;
}

/// "expected confirmed, found refuted; reading 'as printed': fit.a = ...".
std::string message_of(const core::ClaimRecord& claim) {
    const std::string found(core::verdict_name(claim.verdict));
    std::string text = claim.id + ": ";
    if (claim.expected && *claim.expected != claim.verdict)
        text += "expected " + std::string(core::verdict_name(*claim.expected)) + ", found " + found;
    else if (claim.as_expected())
        text += "found " + found + (claim.expected ? "" : ", without an expected verdict");
    else
        text += "found " + found + "; a reading differs from its verdict on record";
    text += ". " + claim.says;
    for (const core::ReadingRecord& reading : claim.readings) {
        if (reading.extra) continue;
        text += "\nReading '" + reading.name + "': " + std::string(core::verdict_name(reading.verdict));
        if (!reading.explain.empty()) text += "; " + reading.explain;
    }
    return text;
}

Alert alert_of(const core::StudyRecord& study, const core::ClaimRecord& claim) {
    Alert alert{claim.id, claim.says, claim.fails() ? "error" : "warning", message_of(claim), claim.place};
    if (alert.place.file.empty()) alert.place.file = study.file;
    alert.place.column = 0;  // a claim is a block of lines
    return alert;
}

Json result_of(const Alert& alert) {
    Json place = {{"artifactLocation", {{"uri", url(alert.place.file)}}}};
    if (alert.place.known()) {
        place["region"] = {{"startLine", alert.place.line}};
        if (alert.place.column > 0) {
            place["region"]["startColumn"] = alert.place.column;
            place["region"]["endColumn"] = alert.place.column + alert.place.length;
        }
    }
    return {{"ruleId", valid_text(alert.rule)},
            {"level", alert.level},
            {"message", {{"text", valid_text(alert.message)}}},
            {"locations", alert.place.file.empty() ? Json::array() : Json::array({{{"physicalLocation", place}}})}};
}

}  // namespace

std::vector<Alert> alerts_of(std::span<const core::StudyRecord> studies) {
    std::vector<Alert> alerts;
    for (const core::StudyRecord& study : studies)
        for (const core::ClaimRecord& claim : study.claims)
            if (is_told(claim)) alerts.push_back(alert_of(study, claim));
    return alerts;
}

std::string sarif(std::span<const Alert> alerts, std::string_view version) {
    Json rules = Json::array(), results = Json::array();
    std::set<std::string> known;
    for (const Alert& alert : alerts) {
        results.push_back(result_of(alert));
        if (!known.insert(alert.rule).second) continue;
        Json rule = {{"id", valid_text(alert.rule)}};
        if (!alert.meaning.empty()) rule["shortDescription"] = {{"text", valid_text(alert.meaning)}};
        rules.push_back(rule);
    }
    const Json driver = {{"name", "farfield"}, {"version", version}, {"rules", rules}};
    return json_text({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"},
                      {"runs", Json::array({{{"tool", {{"driver", driver}}}, {"results", results}}})}});
}

}  // namespace farfield::report
