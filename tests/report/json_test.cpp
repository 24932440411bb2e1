#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/report/report.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "report/json_text.hpp"
#include "report/sample.hpp"

using namespace farfield;
using namespace farfield::tests;

namespace {

nlohmann::json parsed(const core::StudyRecord& study) {
    return nlohmann::json::parse(report::results_json(study));
}

}  // namespace

TEST_CASE("results.json has the keys of the contract") {
    const auto json = parsed(sample_study());
    CHECK(json["farfield"] == "0.1.0");
    CHECK(json["study"] == "paper/sample");
    CHECK(json["device"] == "cpu");
    CHECK(json["seconds"] == 0.25);
    CHECK(json["quantities"]["fit"]["kind"] == "fit");
    CHECK(json["quantities"]["fit"]["seconds"] == 0.0005);
    CHECK(json["quantities"]["fit"]["series"] == "fit.csv");
    CHECK(json["claims"][0]["id"] == "EX-01");
    CHECK(json["claims"][0]["verdict"] == "refuted");
    CHECK(json["claims"][0]["expected"] == "refuted");
    CHECK(json["claims"][0]["certified"] == false);
    CHECK(json["claims"][0]["readings"][0]["explain"] == "fit.a = -0.1, printed -0.825");
    CHECK(json["manifest"]["commit"] == "abc");
}

TEST_CASE("a list of numbers fills lines of 120 characters, and other lists have an element on each") {
    report::Json numbers = report::Json::array();
    for (int i = 0; i < 40; ++i) numbers.push_back(100'000'000 + i);
    const std::string text = report::json_text({{"n", numbers}});
    std::istringstream lines(text);
    std::vector<std::size_t> widths;
    for (std::string line; std::getline(lines, line);) widths.push_back(line.size());
    // Four blanks and ten numbers of nine digits, a comma and a blank; the eleventh would end at 124.
    CHECK(widths == std::vector<std::size_t>{1, 8, 113, 113, 113, 112, 3, 1});
    CHECK(nlohmann::ordered_json::parse(text)["n"] == numbers);
    const report::Json texts = std::vector<std::string>(12, "0123456789");
    CHECK(report::json_text({{"t", texts}}).find("    \"0123456789\",\n    \"0123456789\",\n") != std::string::npos);
}

TEST_CASE("the claims of studies are a list with their study and file, one of them by its id") {
    core::StudyRecord study = sample_study();
    study.file = "studies/paper/sample.toml";
    const std::vector<core::StudyRecord> studies = {study};
    const auto all = nlohmann::json::parse(report::claims_json(studies, ""));
    REQUIRE(all.size() == study.claims.size());
    CHECK(all[0]["study"] == "paper/sample");
    CHECK(all[0]["file"] == "studies/paper/sample.toml");
    const std::string one = report::claims_json(studies, "EX-02");
    CHECK(nlohmann::json::parse(one).size() == 1);
    CHECK(nlohmann::json::parse(one)[0]["id"] == "EX-02");
    CHECK(one.starts_with("[\n  {\n    \"study\""));
    CHECK(report::claims_json(studies, "none") == "[]\n");
}

TEST_CASE("a value that does not exist is null and one that is not finite is a text") {
    const auto json = parsed(sample_study());
    CHECK(json["quantities"]["row"]["values"]["width"].is_null());
    CHECK(json["quantities"]["fit"]["values"]["ratio"] == "-inf");
    core::StudyRecord study;
    core::Result odd;
    odd.name = "odd";
    odd.set("up", core::Cell::of(INFINITY));
    odd.set("none", core::Cell::of(NAN));
    study.quantities = {odd};
    CHECK(parsed(study)["quantities"]["odd"]["values"]["up"] == "inf");
    CHECK(parsed(study)["quantities"]["odd"]["values"]["none"] == "nan");
}

// 1/3 to 17 significant digits, by hand; the nearest double to it is 6004799503160661 * 2^-54.
TEST_CASE("numbers carry 17 significant digits and read back as the same double") {
    const std::string text = report::results_json(sample_study());
    CHECK(text.find("\"b\": 0.33333333333333331") != std::string::npos);
    CHECK(nlohmann::json::parse(text)["quantities"]["fit"]["values"]["b"].get<double>() == 1.0 / 3);
    for (const double value : {5e-324, std::numeric_limits<double>::max(), 0.1, -1e22, 123456789.125}) {
        core::StudyRecord study;
        core::Result one;
        one.name = "one";
        one.set("x", core::Cell::of(value));
        study.quantities = {one};
        CHECK(parsed(study)["quantities"]["one"]["values"]["x"].get<double>() == value);
    }
}

TEST_CASE("enclosures are written next to their values") {
    const auto json = parsed(sample_study())["quantities"];
    CHECK(json["fit"]["enclosures"]["a"][0] == -0.11);
    CHECK(json["fit"]["enclosures"]["a"][1] == -0.09);
    CHECK(json["fit"]["rigour"]["a"] == "rigorous");
    CHECK(json["row"]["rigour"]["first"] == "exact");
    CHECK_FALSE(json["fit"]["enclosures"].contains("b"));
}

TEST_CASE("a censored value is written with its lower bound and the reason, in the results and on the page") {
    core::StudyRecord study = sample_study();
    study.quantities[0].set("erf", core::Cell::at_least(48.5, "1 of 2 seeds"));
    const auto quantity = parsed(study)["quantities"][study.quantities[0].name];
    CHECK(quantity["values"]["erf"] == 48.5);
    CHECK(quantity["enclosures"]["erf"] == nlohmann::json::array({48.5, "inf"}));
    CHECK(quantity["censored"] == nlohmann::json::object({{"erf", "1 of 2 seeds"}}));
    const std::string page = report::study_page(study, {});
    CHECK(page.find("<th scope=\"row\">erf</th><td class=\"whole\">\u2265&nbsp;48</td><td class=\"rest\">.5</td><td "
                    "class=\"soft\">censored: 1 of 2 seeds</td>") != std::string::npos);
}

TEST_CASE("evidence has its facts, and its boxes unless they are too many to read") {
    core::StudyRecord study;
    core::Result result;
    result.name = "f";
    result.evidence.add("formula", "x^2");
    result.evidence.boxes.emplace_back("x in [0, 1]", "[0, 2]");
    study.quantities = {result};
    const auto few = parsed(study)["quantities"]["f"]["evidence"];
    CHECK(few["facts"]["formula"] == "x^2");
    CHECK(few["boxes"][0]["on"] == "x in [0, 1]");
    CHECK(few["boxes"][0]["found"] == "[0, 2]");
    study.quantities[0].evidence.boxes.resize(201);
    CHECK(parsed(study)["quantities"]["f"]["evidence"]["boxes"] == 201);
}

TEST_CASE("the thresholds of a condition are written next to it") {
    core::StudyRecord study;
    core::ClaimRecord claim;
    core::ReadingRecord reading;
    reading.given = {{"snug", "0.95"}};
    claim.readings = {reading};
    study.claims = {claim};
    CHECK(parsed(study)["claims"][0]["readings"][0]["given"]["snug"] == "0.95");
}

TEST_CASE("exact values are written next to their numbers, and so are steps that no double represents") {
    core::StudyRecord study = sample_study();
    core::Result one;
    one.name = "one";
    one.set("third", core::Cell::rationally(1.0 / 3, {0.33333333333333331, 0.33333333333333337}, "1/3"));
    one.set("half", core::Cell::exact(0.5));
    one.series = core::Series{{{"x", {0, 0.1}, {}, core::Steps{"0", "0.1"}}, {"y", {1, 2}, {}}}, core::Rigour::none, 1};
    core::Result two = one;
    two.name = "two";
    two.series->columns[0].steps = core::Steps{"0", "0.25"};
    study.quantities = {one, two};
    const auto json = parsed(study)["quantities"];
    CHECK(json["one"]["exact"] == nlohmann::json{{"third", "1/3"}});
    CHECK(json["one"]["steps"]["x"] == nlohmann::json{{"from", "0"}, {"step", "0.1"}});
    CHECK_FALSE(json["two"].contains("steps"));
    CHECK_FALSE(parsed(sample_study())["quantities"]["fit"].contains("exact"));
}

TEST_CASE("every claim counts once in the summary; missing and skipped are no verdicts") {
    core::StudyRecord study = sample_study();
    core::ClaimRecord claim = study.claims[0];
    claim.verdict = core::Verdict::missing;
    study.claims.push_back(claim);
    claim.verdict = core::Verdict::skipped;
    study.claims.push_back(claim);
    const auto summary = parsed(study)["summary"];
    CHECK(summary["claims"] == 4);
    CHECK(summary["as_expected"] == 1);
    CHECK(summary["unexpected"] == 1);
    CHECK(summary["missing"] == 1);
    CHECK(summary["skipped"] == 1);
}

TEST_CASE("a reading that differs from its verdict on record makes the claim unexpected") {
    core::StudyRecord study = sample_study();
    study.claims.resize(1);
    study.claims[0].readings[0].expected = core::Verdict::confirmed;
    CHECK(parsed(study)["summary"]["unexpected"] == 1);
}

TEST_CASE("a reading's verdict on record counts in the same way in the record, its results and both tables") {
    core::StudyRecord study = sample_study();
    study.claims.resize(1);
    for (const core::Verdict verdict : {core::Verdict::refuted, core::Verdict::missing, core::Verdict::skipped}) {
        core::ClaimRecord& claim = study.claims[0];
        claim.verdict = verdict;
        claim.expected.reset();
        claim.readings.resize(1);
        claim.readings[0].verdict = core::Verdict::refuted;
        claim.readings[0].expected = core::Verdict::refuted;
        CHECK(claim.as_expected());
        CHECK(parsed(study)["summary"]["unexpected"] == 0);
        claim.readings[0].expected = core::Verdict::confirmed;
        CHECK_FALSE(claim.as_expected());
        CHECK(parsed(study)["summary"]["unexpected"] == 1);
        CHECK(report::junit({&study, 1}).find("<failure") != std::string::npos);
        CHECK(report::markdown({&study, 1}).find("**" + std::string(core::verdict_name(verdict)) + "**") !=
              std::string::npos);
        // A reading without a verdict contradicts none.
        claim.readings[0].verdict = core::Verdict::skipped;
        CHECK(claim.as_expected());
        CHECK(parsed(study)["summary"]["unexpected"] == 0);
    }
}

TEST_CASE("an interruption and missing items are in the results and on the page") {
    core::StudyRecord study = sample_study();
    CHECK_FALSE(parsed(study).contains("interrupted"));
    CHECK_FALSE(parsed(study).contains("missing"));
    study.interrupted = true;
    study.missing = {{"erf", "no corpus <kjv>"}};
    CHECK(parsed(study)["interrupted"] == true);
    CHECK(parsed(study)["missing"]["erf"] == "no corpus <kjv>");
    const std::string page = report::study_page(study, {});
    CHECK(page.find("The run was interrupted") != std::string::npos);
    CHECK(page.find("erf is missing: no corpus &lt;kjv&gt;") != std::string::npos);
}

TEST_CASE("warnings are in the results and on the page, in their order") {
    core::StudyRecord study = sample_study();
    CHECK_FALSE(parsed(study).contains("warnings"));
    CHECK(report::study_page(study, {}).find("Warning") == std::string::npos);
    study.warnings = {"the model m was not kept: <full>", "another"};
    CHECK(parsed(study)["warnings"] == nlohmann::json{"the model m was not kept: <full>", "another"});
    CHECK(report::study_page(study, {}).find("<p>Warning: the model m was not kept: &lt;full&gt;</p>") !=
          std::string::npos);
}

TEST_CASE("failures are in the results and on the page, with their place and reason") {
    core::StudyRecord study = sample_study();
    CHECK_FALSE(parsed(study).contains("failed"));
    core::Place place;
    place.file = "s.toml";
    place.line = 7;
    place.column = 2;
    study.failed = {{"fit", {{place, "no points <here>", "two", {}}}}};
    CHECK(parsed(study)["failed"]["fit"] == "s.toml:7:2: no points <here>; expected two");
    CHECK(report::study_page(study, {}).find("fit failed: s.toml:7:2: no points &lt;here&gt;; expected two") !=
          std::string::npos);
}

TEST_CASE("the same study gives the same bytes") {
    CHECK(report::results_json(sample_study()) == report::results_json(sample_study()));
}

TEST_CASE("results.json reads back to the same text, series aside") {
    const Folder folder;
    core::StudyRecord study = sample_study();
    study.interrupted = true;
    study.missing = {{"erf", "no corpus"}, {"R", "no device"}};
    study.warnings = {"the model of 'm' was not kept"};
    study.failed = {{"fit", {{{}, "no points", "two", "try more"}}}};
    study.quantities[0].set("erf", core::Cell::at_least(48.5, "1 of 2 seeds"));
    for (core::Result& quantity : study.quantities) quantity.series.reset();
    study.quantities[0].set("odd", core::Cell::of(NAN));
    core::Table table{{"r"}, {"c", "d"}, {core::Cell::of(5.5), core::Cell::missing()}};
    table.cells[0].printed = "5.50";
    study.quantities[0].table = table;
    const std::string text = report::results_json(study);
    core::write_file(folder.path("results.json"), text);
    CHECK(report::results_json(report::read_results(folder.path("results.json"))) == text);
}

TEST_CASE("each cell of a table is in its row and column, as a number and as it was printed") {
    core::Table table{{"r", "s", "t"}, {"c", "d"}, {}};
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 2; ++column) {
            core::Cell cell = core::Cell::of(10 * row + column);
            cell.printed = std::to_string(10 * row + column) + ".0";
            table.cells.push_back(cell);
        }
    }
    core::StudyRecord study;
    study.quantities.emplace_back();
    study.quantities[0].name = "q";
    study.quantities[0].table = table;
    const auto json = parsed(study)["quantities"]["q"]["table"];
    CHECK(json["rows"] == nlohmann::json{"r", "s", "t"});
    CHECK(json["columns"] == nlohmann::json{"c", "d"});
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 2; ++column) {
            CHECK(json["cells"][row][column] == static_cast<double>(10 * row + column));
            CHECK(json["printed"][row][column] == std::to_string(10 * row + column) + ".0");
        }
    }
}

TEST_CASE("bytes that are not text do not break results.json") {
    core::StudyRecord study;
    study.title = "a\xff\"\n";
    CHECK(parsed(study)["title"] == "a\xEF\xBF\xBD\"\n");
}

TEST_CASE("a file that is not a results.json is refused with its name, line and column") {
    const Folder folder;
    const std::string path = folder.path("results.json");
    core::write_file(path, "{\n  \"study\": }\n");
    try {
        report::read_results(path);
        FAIL("nothing was thrown");
    } catch (const core::UserError& error) {
        const core::Diagnostic& problem = error.diagnostics().front();
        CHECK(problem.place.file == path);
        CHECK(problem.place.line == 2);
        CHECK(problem.place.column == 12);
    }
    for (const char* wrong : {"[]", "{}", "{\"study\": 3, \"claims\": []}",
                              "{\"study\": \"x\", \"claims\": [{\"verdict\": \"perhaps\"}]}"}) {
        core::write_file(path, wrong);
        CHECK_THROWS_AS(report::read_results(path), core::UserError);
    }
    CHECK_THROWS_AS(report::read_results(folder.path("none.json")), core::MissingError);
}

TEST_CASE("a claim without an expected verdict is counted separately and fails unless it is confirmed") {
    core::StudyRecord study = sample_study();
    study.claims.resize(1);
    core::ClaimRecord& claim = study.claims[0];
    claim.expected.reset();
    for (core::ReadingRecord& reading : claim.readings) reading.expected.reset();
    for (const core::Verdict verdict :
         {core::Verdict::confirmed, core::Verdict::refuted, core::Verdict::undecided, core::Verdict::depends}) {
        claim.verdict = verdict;
        const bool fails = verdict != core::Verdict::confirmed;
        CHECK(claim.is_unstated());
        CHECK(claim.fails() == fails);
        CHECK(parsed(study)["summary"]["unstated"] == 1);
        CHECK(parsed(study)["summary"]["as_expected"] == 0);
        CHECK(parsed(study)["summary"]["unexpected"] == 0);
        CHECK((report::junit({&study, 1}).find("failures=\"1\"") != std::string::npos) == fails);
        CHECK((report::junit({&study, 1}).find("without an expected verdict, found") != std::string::npos) == fails);
        CHECK(report::markdown({&study, 1}).find("1 without an expected verdict") != std::string::npos);
    }
    for (const core::Verdict verdict : {core::Verdict::missing, core::Verdict::skipped}) {
        claim.verdict = verdict;
        CHECK_FALSE(claim.is_unstated());
        CHECK_FALSE(claim.fails());
        CHECK(parsed(study)["summary"]["unstated"] == 0);
    }
}

TEST_CASE("break-evens and verdicts by definition are written and read back") {
    core::StudyRecord study = sample_study();
    core::ReadingRecord& reading = study.claims[0].readings[0];
    core::BreakEven threshold;
    threshold.name = "snug";
    threshold.given = "0.95";
    threshold.from = "0";
    threshold.is_least = true;
    threshold.to = "0.9771";
    threshold.above = "0.9772";
    threshold.verdict_above = core::Verdict::confirmed;
    threshold.sensitive = true;
    reading.break_even = {threshold};
    reading.by_definition = true;
    const auto json = parsed(study);
    const auto& written = json["claims"][0]["readings"][0];
    CHECK(json["claims"][0]["sensitive"] == true);
    CHECK(written["by_definition"] == true);
    CHECK(written["break_even"][0]["text"] == "refuted for any snug up to 0.9771, confirmed at 0.9772");
    CHECK(written["break_even"][0]["above"]["at"] == "0.9772");
    CHECK_FALSE(written["break_even"][0].contains("below"));
    const Folder folder;
    core::write_file(folder.path("results.json"), report::results_json(study));
    CHECK(parsed(report::read_results(folder.path("results.json")))["claims"] == json["claims"]);
}
