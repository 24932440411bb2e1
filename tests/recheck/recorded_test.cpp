// Verdicts of the committed studies. The first implementation found them, so that each is a test of the second: what is
// certified is proved, and the opposite is not.
#include "recheck/recheck.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace farfield::recheck;

namespace {

using Json = nlohmann::ordered_json;

/// Those whose claims are all proved again within half a second.
const std::vector<std::string> studies = {"alibi-receptive-field/bias",
                                          "alibi-receptive-field/profile",
                                          "an-2024/frequency",
                                          "an-2024/model",
                                          "an-2024/shifted-positions",
                                          "an-2024/tables",
                                          "barbero-2024/angles",
                                          "barbero-2024/tables",
                                          "chen-2023/bound",
                                          "chen-2023/extrapolation",
                                          "chen-2023/tables",
                                          "chen-2023/windows",
                                          "chi-2023/alibi",
                                          "chi-2023/efficient",
                                          "chi-2023/tables-comparison",
                                          "chi-2023/tables-slopes-windows",
                                          "chi-2023/window",
                                          "ding-2024/benchmarks",
                                          "ding-2024/search",
                                          "ding-2024/tables",
                                          "gelberg-2025/budget",
                                          "gelberg-2025/scaling",
                                          "gelberg-2025/tables",
                                          "gelberg-2025/theory",
                                          "implementations/transformers-rotary",
                                          "in-the-wild/bf16-frequencies",
                                          "in-the-wild/bf16-position",
                                          "in-the-wild/conventions",
                                          "in-the-wild/positions",
                                          "in-the-wild/rope-bf16",
                                          "in-the-wild/xpos-overflow",
                                          "men-2024/fit",
                                          "peng-2023/ntk",
                                          "peng-2023/tables",
                                          "press-2022/cost",
                                          "press-2022/extrapolation",
                                          "press-2022/slopes",
                                          "press-2022/windows",
                                          "su-2021/derivation",
                                          "su-2021/tables",
                                          "sun-2023/blockwise",
                                          "sun-2023/design",
                                          "sun-2023/model",
                                          "sun-2023/range",
                                          "sun-2023/tables",
                                          "tutorial/my-bias",
                                          "tutorial/printed-number",
                                          "wu-2025/decay",
                                          "wu-2025/masks",
                                          "wu-2025/rope",
                                          "wu-2025/tables",
                                          "xiong-2023/scaling",
                                          "xiong-2023/tables"};

Json record_of(const std::string& study) {
    std::ifstream file(FARFIELD_SOURCE "/results/" + study + "/results.json");
    REQUIRE(file);
    return Json::parse(file);
}

/// Every certified reading with a verdict that says the opposite of its condition.
void turn_round(Json& record) {
    for (Json& claim : record["claims"])
        for (Json& reading : claim["readings"])
            if (reading["certified"].get<bool>())
                reading["verdict"] = reading["verdict"] == "refuted" ? "confirmed" : "refuted";
}

}  // namespace

TEST_CASE("verdicts on record are proved again") {
    std::size_t proved = 0;
    for (const std::string& study : studies)
        for (const CheckedClaim& claim : recheck(record_of(study).dump())) {
            INFO(study << " " << claim.id << " " << claim.why);
            for (const Checked& reading : claim.readings) UNSCOPED_INFO(reading.reading << ": " << reading.why);
            CHECK(claim.outcome() == Outcome::proved);
            ++proved;
        }
    CHECK(proved > 4 * studies.size());
}

TEST_CASE("the opposite of a verdict on record is contradicted") {
    for (const std::string& study : studies) {
        Json record = record_of(study);
        turn_round(record);
        for (const CheckedClaim& claim : recheck(record.dump())) {
            INFO(study << " " << claim.id);
            for (const Checked& reading : claim.readings) CHECK(reading.outcome == Outcome::contradicted);
        }
    }
}
