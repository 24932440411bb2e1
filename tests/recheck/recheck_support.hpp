// Records with one claim, as texts, and what becomes of it.
#pragma once

#include "recheck/recheck.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

namespace recheck_support {

using namespace farfield::recheck;

using Texts = std::map<std::string, std::string>;

inline std::string json_of(const Texts& texts) {
    std::string json;
    for (const auto& [key, text] : texts) json += (json.empty() ? "\"" : ", \"") + key + "\": \"" + text + "\"";
    return "{" + json + "}";
}

/// A quantity of a results.json: its facts, and what else it has ("values": {...}, ...).
inline std::string quantity(const std::string& name, const std::string& kind, const Texts& facts,
                            const std::string& more = "\"values\": {}") {
    return "\"" + name + "\": {\"kind\": \"" + kind + "\", \"evidence\": {\"facts\": " + json_of(facts) + "}, " + more +
           "}";
}

/// A results.json with one certified claim of one reading.
inline std::string results(const std::string& quantities, const std::string& holds, const std::string& verdict,
                           const std::string& given = "{}") {
    return R"({"study": "s", "quantities": {)" + quantities + R"(}, "claims": [{"id": "C", "verdict": ")" + verdict +
           R"(", "certified": true, "readings": [{"name": "r", "certified": true, "verdict": ")" + verdict +
           R"(", "holds": ")" + holds + R"(", "given": )" + given + "}]}]}";
}

inline Outcome outcome(const std::string& quantities, const std::string& holds, const std::string& verdict,
                       const std::string& given = "{}") {
    const std::vector<CheckedClaim> claims = recheck(results(quantities, holds, verdict, given));
    REQUIRE(claims.size() == 1);
    for (const Checked& reading : claims[0].readings) UNSCOPED_INFO(reading.why);
    return claims[0].outcome();
}

/// The condition is proved as it is, and contradicted with the other verdict.
inline void check_both(const std::string& quantities, const std::string& holds,
                       const std::string& verdict = "confirmed") {
    CAPTURE(quantities, holds);
    CHECK(outcome(quantities, holds, verdict) == Outcome::proved);
    CHECK(outcome(quantities, holds, verdict == "confirmed" ? "refuted" : "confirmed") == Outcome::contradicted);
}

inline Texts with(Texts facts, const Texts& more) {
    facts.insert(more.begin(), more.end());
    return facts;
}

}  // namespace recheck_support
