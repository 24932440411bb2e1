// Pages and tables over claims: what they count, name and leave out.
#include <catch2/catch.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/report/report.hpp>
#include <farfield/report/summary_page.hpp>
#include <nlohmann/json.hpp>

#include "report/html.hpp"
#include "report/json_text.hpp"
#include "report/sample.hpp"
#include "report/summary.hpp"

using namespace farfield;
using namespace farfield::tests;
using Catch::Contains;
using core::Verdict;

namespace {

core::ClaimRecord claim_of(std::string id, Verdict verdict, std::optional<Verdict> expected, bool certified) {
    core::ClaimRecord claim;
    claim.id = std::move(id);
    claim.verdict = verdict;
    claim.expected = expected;
    claim.certified = certified;
    return claim;
}

/// Two certified confirmations and one that is not, three refutations, one of them unexpected, and one verdict of two
/// words without an expected one.
core::StudyRecord study_of_seven() {
    core::StudyRecord study;
    study.study = "seven";
    study.claims = {claim_of("A", Verdict::confirmed, Verdict::confirmed, true),
                    claim_of("B", Verdict::confirmed, Verdict::confirmed, true),
                    claim_of("C", Verdict::confirmed, Verdict::confirmed, false),
                    claim_of("D", Verdict::refuted, Verdict::refuted, false),
                    claim_of("E", Verdict::refuted, Verdict::refuted, false),
                    claim_of("F", Verdict::refuted, Verdict::confirmed, false),
                    claim_of("G", Verdict::not_reproduced, {}, false)};
    return study;
}

std::string page_of(const std::vector<report::StudyResults>& results) {
    return report::summary_page(results, "/none");
}

core::Place refusal(const std::string& text) {
    const Folder folder;
    folder.write("results.json", text);
    try {
        report::read_results(folder.path("results.json"));
    } catch (const core::UserError& error) {
        return error.diagnostics().front().place;
    }
    return {};
}

}  // namespace

TEST_CASE("the matrix of the page counts claims by verdict and certainty, and each number leads to its claims") {
    const std::string page = page_of({{study_of_seven(), "seven"}});
    const auto leads = [](const std::string& asked, int count) {
        return Contains("<a href=\"#show?verdict=" + asked + "\">" + std::to_string(count) + "</a>");
    };
    CHECK_THAT(page, leads("confirmed&amp;certified=yes", 2) && leads("confirmed&amp;certified=no", 1));
    CHECK_THAT(page, leads("confirmed", 3) && leads("refuted", 3) && leads("refuted&amp;certified=no", 3));
    CHECK_THAT(page, leads("not+reproduced", 1) && leads("&amp;certified=yes", 2) && leads("&amp;certified=no", 5));
    CHECK_THAT(page, leads("", 7) && !Contains("verdict=refuted&amp;certified=yes") && !Contains("verdict=skipped\""));
    CHECK_THAT(page, Contains("<td class=\"count\">0</td>"));
    CHECK_THAT(page,
               Contains("7 claims in 1 study; 1 without an expected verdict; <span class=\"unexpected\">1 differ"));
    CHECK_THAT(page, Contains("data-claim=\"F\" data-verdict=\"refuted\" data-certified=\"no\" data-study=\"seven\" "
                              "data-record=\"differs\""));
    CHECK_THAT(page, Contains("data-claim=\"A\" data-verdict=\"confirmed\" data-certified=\"yes\" "
                              "data-study=\"seven\" data-record=\"agrees\""));
    core::StudyRecord plain = study_of_seven();
    plain.claims.resize(2);
    CHECK_THAT(page_of({{plain, ""}}), Contains("<p>2 claims in 1 study.</p>"));
}

TEST_CASE("a study's part of the page has links relative to it, its source and its claims' figures") {
    core::StudyRecord study = study_of_seven();
    study.claims.resize(1);
    study.claims[0].uses = {"a"};
    study.figures = {{"f", "", "", {}}, {"g", "", "", {}}};
    for (core::FigureRecord& figure : study.figures) figure.settings.list = {texts("series", {"a"})};
    const std::string inside = page_of({{study, "in side"}}), at = page_of({{study, ""}});
    CHECK_THAT(inside, Contains("href=\"in%20side/report.html\"") && Contains("href=\"in%20side/results.json\""));
    CHECK_THAT(at, Contains("href=\"report.html\"") && Contains("href=\"results.json\""));
    CHECK_THAT(at, Contains("<h2>seven</h2>") && !Contains("Source: ") && !Contains("<figure"));
    CHECK_THAT(
        at, Contains("<dt>Figure</dt><dd><a href=\"#figure-seven/f\">f</a>, <a href=\"#figure-seven/g\">g</a></dd>"));
    study.title = "T";
    study.source = "S";
    study.figures.clear();
    CHECK_THAT(page_of({{study, ""}}),
               Contains("<h2>T</h2>") && Contains("Source: S. Study:") && !Contains("<dt>Figure"));
}

TEST_CASE("a missing folder has no results, and the reason is reported for one that cannot be read") {
    const Folder folder;
    folder.write("file", "");
    std::filesystem::create_symlink("loop", folder.path("loop"));
    CHECK_THROWS_AS(report::read_all_results(folder.path("none")), core::UserError);
    CHECK_THROWS_AS(report::read_all_results(folder.path("file")), core::UserError);
    CHECK_THROWS_AS(report::read_all_results(folder.path("loop")), core::MissingError);
    core::write_file(folder.path("results.json"), report::results_json(study_of_seven()));
    const auto results = report::read_all_results(folder.path());
    REQUIRE(results.size() == 1);
    CHECK(results[0].folder.empty());
    // A file that is no results.json is reported even beside one that is.
    folder.write("other/results.json", "{");
    CHECK_THROWS_AS(report::read_all_results(folder.path()), core::UserError);
}

TEST_CASE("a page leaves out the parts that a study does not have") {
    core::StudyRecord study;
    study.study = "name";
    const std::string bare = report::study_page(study, {});
    CHECK_THAT(bare, Contains("<h1>name</h1>") && Contains("<title>name</title>"));
    for (const char* part : {"verdicts", "claims", "quantities", "formulas", "figures"}) {
        CHECK_THAT(bare, !Contains("id=\"" + std::string(part) + "\""));
    }
    for (const char* part : {"Source: ", "<p>", "interrupted", " is missing", " failed"})
        CHECK_THAT(bare, !Contains(part));
    core::StudyRecord full = sample_study();
    full.doc = "what it is";
    const std::string page = report::study_page(full, {});
    for (const char* part : {"verdicts", "claims", "quantities", "formulas"}) {
        CHECK_THAT(page, Contains("id=\"" + std::string(part) + "\""));
    }
    CHECK_THAT(page, Contains("<title>Biases &lt;b&gt;") && Contains("Source: Somebody 2023, section 6"));
    CHECK_THAT(page, Contains("<p>what it is</p>") && !Contains("id=\"figures\""));
    CHECK_THAT(page, Contains("<a href=\"#claim-EX-02\">EX-02</a>") && Contains("id=\"claim-EX-02\""));
}

TEST_CASE("a quantity's row has its values to ten digits, notes, series and time to three digits") {
    core::StudyRecord study;
    core::Result quantity = curve("a b", 3, [](double n) { return n; });
    quantity.set("x", core::Cell::of(1.0 / 3));
    quantity.set("y", core::Cell::missing());
    quantity.notes = {{"how", "QR"}};
    quantity.seconds = 2.0 / 3;
    study.quantities = {quantity};
    const std::string page = report::study_page(study, {});
    CHECK_THAT(page, Contains("<th scope=\"row\">x</th><td class=\"whole\" title=\"0.3333333333333333\">0</td>"
                              "<td class=\"rest\" title=\"0.3333333333333333\">.3333333333</td>"));
    CHECK_THAT(page, Contains("<th scope=\"row\">y</th><td class=\"whole\">none</td><td class=\"rest\"></td>"));
    CHECK_THAT(page, Contains("<span class=\"soft\">how: QR</span></td>"));
    CHECK_THAT(page, Contains("<a href=\"a%2520b.csv\">a%20b.csv</a><br><span class=\"soft\">3 rows</span>"));
    CHECK_THAT(page, Contains("<td>0.667&nbsp;s</td>") && !Contains("censored"));
    study.seconds = 4.0 / 3;
    CHECK_THAT(report::study_page(study, {}), Contains("<td>seconds</td><td>1.33</td>"));
}

TEST_CASE("the table of verdicts marks those that fail") {
    const std::string page = report::study_page(study_of_seven(), {});
    CHECK_THAT(page, Contains("<td><span class=\"unexpected\">confirmed</span></td>"));
    CHECK_THAT(page, Contains("<td><span class=\"unexpected\">none</span></td>") && Contains("<td>refuted</td>"));
    CHECK_THAT(page,
               Contains("7 claims: 5 as expected, 1 unexpected, 1 without an expected verdict, 0 missing, 0 skipped"));
}

TEST_CASE("the page counts one claim and no claim, and adds up several studies") {
    report::Summary summary;
    CHECK(report::text_of(summary) == "0 claims: 0 as expected, 0 unexpected, 0 missing, 0 skipped");
    const report::Summary one = {1, 2, 3, 4, 5, 6}, tens = {10, 20, 30, 40, 50, 60};
    CHECK(report::text_of(one) ==
          "1 claim: 2 as expected, 3 unexpected, 4 without an expected verdict, 5 missing, 6 skipped");
    CHECK(report::text_of(one + tens) ==
          "11 claims: 22 as expected, 33 unexpected, 44 without an expected verdict, 55 missing, 66 skipped");
}

TEST_CASE("Markdown and JUnit list each reading, and leave out unknown values") {
    core::StudyRecord study;
    study.study = "st_udy";
    study.file = "s.toml";
    study.claims = {claim_of("A", Verdict::refuted, {}, false)};
    study.claims[0].readings = {{"one", "", "", false, Verdict::refuted, {}, false, "a*[b] \\ & c"},
                                {"two", "", "", true, Verdict::confirmed, {}, false, ""}};
    const std::vector<core::StudyRecord> studies = {study, {}};
    const std::string markdown = report::markdown(studies);
    CHECK_THAT(markdown, Contains("### st\\_udy\n\n`s.toml`\n\n"));
    CHECK_THAT(markdown,
               Contains("| **refuted** | none | no | one: refuted (a\\*\\[b\\] \\\\ &amp; c)<br>two: confirmed |\n"));
    CHECK(markdown.find("###") == markdown.rfind("###"));
    const std::string xml = report::junit(studies);
    CHECK_THAT(xml, Contains(">one: refuted; a*[b] \\ &amp; c\ntwo: confirmed (extra)\n</failure>"));
    CHECK_THAT(xml, Contains("<system-out>refuted\none: refuted;") && !Contains("line=") && !Contains("<skipped"));
    CHECK_THAT(xml, Contains("time=\"0\""));
    study.claims[0].place.line = 3;
    study.claims[0].expected = Verdict::refuted;
    study.title = "T";
    CHECK_THAT(report::junit({&study, 1}), Contains("line=\"3\"") && !Contains("<failure") && !Contains("<skipped"));
    CHECK_THAT(report::markdown({&study, 1}), Contains("### T\n") && Contains("| refuted | refuted | no |"));
}

TEST_CASE("a syntax error of JSON is reported at its place") {
    struct Case {
        const char* text;
        std::size_t line, column;
    };
    const Case each = GENERATE(Case{"x", 1, 1}, Case{"{x", 1, 2}, Case{"\nx", 2, 1}, Case{"{\n\n  x", 3, 3},
                               Case{"", 1, 1}, Case{"{}\n x", 2, 2});
    const core::Place place = refusal(each.text);
    CHECK(place.line == each.line);
    CHECK(place.column == each.column);
}

TEST_CASE("values that results.json does not have are empty, and 200 boxes are still listed") {
    const Folder folder;
    folder.write("results.json", R"({"study": "s", "claims": [{"verdict": "confirmed"}]})");
    const core::StudyRecord study = report::read_results(folder.path("results.json"));
    CHECK(study.seconds == 0);
    CHECK_FALSE(study.interrupted);
    REQUIRE(study.claims.size() == 1);
    CHECK_FALSE(study.claims[0].certified);
    CHECK_FALSE(study.claims[0].expected);
    CHECK(study.claims[0].place.line == 0);
    CHECK(nlohmann::json::parse(report::results_json(study))["farfield"] == "unknown");
    CHECK_FALSE(nlohmann::json::parse(report::results_json(study))["claims"][0].contains("line"));
    core::StudyRecord boxed;
    boxed.quantities.resize(1);
    boxed.quantities[0].name = "q";
    boxed.quantities[0].evidence.boxes.resize(200);
    CHECK(nlohmann::json::parse(report::results_json(boxed))["quantities"]["q"]["evidence"]["boxes"].size() == 200);
    CHECK_THROWS_WITH(report::number_of("\u03b8"), Contains("\u03b8"));
    folder.write("results.json", R"({"study": "s", "claims": [], "quantities": {"q": {"values": {"x": 1},
                                     "rigour": {"x": "utter"}}}})");
    CHECK_THROWS_WITH(report::read_results(folder.path("results.json")), Contains("no rigour: 'utter'"));
}

TEST_CASE("a figure on a page names the series it is drawn from") {
    const Folder folder;
    core::StudyRecord study;
    study.study = "s";
    study.figures = {{"f", "", "", {}}, {"g", "", "", {}}};
    study.figures[0].settings.list = {texts("series", {"a", "b"})};
    folder.write("f.svg", "<?xml?><svg></svg>");
    const std::string page = report::study_page(study, folder.path());
    CHECK_THAT(page, Contains("<figure id=\"figure-s/f\"><div class=\"picture\" "
                              "tabindex=\"0\"><svg id=\"figure-s/f-svg\"></svg></div><figcaption>f, drawn from a, "
                              "b</figcaption></figure>"));
    CHECK_THAT(page, !Contains("figure-s/g"));
}

TEST_CASE("the page has a bar and numbers for each folder of results, and small pictures of its figures") {
    const Folder folder;
    core::StudyRecord study = study_of_seven();
    study.figures = {{"f", "A figure", "", {}}};
    study.figures[0].settings.list = {texts("series", {"a"})};
    folder.write("paper/one/f.svg", "<svg viewBox=\"0 0 880 500\"></svg>");
    core::StudyRecord other = study_of_seven();
    other.study = "paper/two";
    other.claims.resize(4);
    for (core::ClaimRecord& claim : other.claims) claim.id += "2";
    study.source = "Doe et al. 2020, section 2";
    other.source = "Doe et al. 2020, section 3";
    const std::string page = report::summary_page(
        std::vector<report::StudyResults>{{study, "paper/one"}, {other, "paper/two"}}, folder.path());
    // Seven claims and four: 3 + 3 confirmed, 3 + 1 refuted, 1 not reproduced.
    CHECK_THAT(page, Contains("<td>Doe et al. 2020</td>") && Contains(">6 confirmed<") && Contains(">4 refuted<") &&
                         Contains(">1 not reproduced<"));
    CHECK_THAT(page, Contains("<span class=\"confirmed\" style=\"flex:6\"></span>") &&
                         Contains("<span class=\"not-reproduced\" style=\"flex:1\"></span>"));
    CHECK_THAT(page, Contains("<summary>1 figure</summary>"));
    CHECK_THAT(page, Contains("<a href=\"#figure-paper/one/f\"><svg viewBox=\"0 0 880 500\" aria-hidden=\"true\"><use "
                              "href=\"#figure-paper/one/f-svg\"></use></svg>A figure</a>"));
}

TEST_CASE("a folder of studies of several works is named by its folder") {
    core::StudyRecord study = study_of_seven(), other = study_of_seven();
    study.source = "Doe et al. 2020, section 2";
    other.source = "Roe et al. 2021";
    const std::string page =
        report::summary_page(std::vector<report::StudyResults>{{study, "paper/one"}, {other, "paper/two"}}, "");
    CHECK_THAT(page, Contains("<td>paper</td>"));
}

TEST_CASE("a claim's verdict is explained in sentences") {
    core::ClaimRecord claim = claim_of("A", Verdict::confirmed, Verdict::confirmed, true);
    CHECK_THAT(report::in_sentences(claim),
               Catch::Matchers::StartsWith("The condition holds under every reading that counts. It is certified: "));
    claim.verdict = Verdict::depends;
    claim.certified = false;
    CHECK_THAT(report::in_sentences(claim),
               Catch::Matchers::StartsWith("Some readings hold and others fail. It rests on floating-point numbers"));
    claim.verdict = Verdict::reproduced;
    claim.scale = "4 layers, width 64, 3 seeds";
    CHECK_THAT(report::in_sentences(claim), Contains("It was measured on models of 4 layers, width 64, 3 seeds."));
}
