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
    return valid_text(text);
}

Json result_of(const core::StudyRecord& study, const core::ClaimRecord& claim) {
    const std::string& file = claim.place.file.empty() ? study.file : claim.place.file;
    Json place = {{"artifactLocation", {{"uri", url(file)}}}};
    if (claim.place.known()) place["region"] = {{"startLine", claim.place.line}};
    return {{"ruleId", valid_text(claim.id)},
            {"level", claim.fails() ? "error" : "warning"},
            {"message", {{"text", message_of(claim)}}},
            {"locations", Json::array({{{"physicalLocation", place}}})}};
}

}  // namespace

std::string sarif(std::span<const core::StudyRecord> studies, std::string_view version) {
    Json rules = Json::array(), results = Json::array();
    std::set<std::string> known;
    for (const core::StudyRecord& study : studies) {
        for (const core::ClaimRecord& claim : study.claims) {
            if (!is_told(claim)) continue;
            results.push_back(result_of(study, claim));
            if (known.insert(claim.id).second)
                rules.push_back(
                    {{"id", valid_text(claim.id)}, {"shortDescription", {{"text", valid_text(claim.says)}}}});
        }
    }
    const Json driver = {{"name", "farfield"}, {"version", version}, {"rules", rules}};
    return json_text({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"},
                      {"runs", Json::array({{{"tool", {{"driver", driver}}}, {"results", results}}})}});
}

}  // namespace farfield::report
