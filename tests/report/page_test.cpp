#include <catch2/catch.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/report/report.hpp>
#include <farfield/report/summary_page.hpp>

#include "report/html.hpp"
#include "report/sample.hpp"
#include "report/text.hpp"

using namespace farfield;
using namespace farfield::tests;
using Catch::Contains;

TEST_CASE("texts of the user are escaped for HTML and XML") {
    CHECK(report::escaped("<a href=\"x\">'&'</a>") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
    // Not UTF-8: a lone continuation byte, an overlong slash, a surrogate half; and a control character XML forbids.
    CHECK(report::escaped("\x80|\xC0\xAF|\xED\xA0\x80|\x01") == "\uFFFD|\uFFFD\uFFFD|\uFFFD\uFFFD\uFFFD|\uFFFD");
    CHECK(report::escaped("\u00e9\u2713\U0001F600\n") == "\u00e9\u2713\U0001F600\n");
}

TEST_CASE("a study's page shows verdicts, numbers, formulas and provenance, and does not use the network") {
    const Folder folder;
    report::write_study(sample_study(), folder.path());
    const std::string page = content(folder.path("report.html"));
    CHECK_THAT(page, Contains("Biases &lt;b&gt;&amp;&lt;/b&gt; &quot;fits&quot;") && !Contains("<b>&"));
    CHECK_THAT(page, Contains("EX-01") && Contains("refuted") && Contains("fit.a = -0.1, printed -0.825"));
    CHECK_THAT(page, Contains("<math><mi>n</mi></math>") && Contains("-log(1 + n)"));
    CHECK_THAT(page, Contains("<svg") && Contains("commit") && Contains("abc"));
    CHECK_THAT(page, Contains("./farfield check studies/paper/sample.toml --only EX-01"));
    CHECK_THAT(page, !Contains("src=\"http") && !Contains("href=\"http"));
    CHECK_THAT(page, Contains("default-src 'none'"));
}

TEST_CASE("a page without figures shows none of an earlier run") {
    const Folder folder;
    report::write_study(sample_study(), folder.path());
    report::write_study(sample_study(), folder.path(), {.figures = false});
    CHECK_THAT(content(folder.path("report.html")), !Contains("<svg"));
}

TEST_CASE("the command that finds a claim again quotes characters that a shell would interpret") {
    core::StudyRecord study;
    study.file = "my studies/it's.toml";
    CHECK(report::reproduce_command(study, "A-1") == "./farfield check 'my studies/it'\\''s.toml' --only A-1");
}

TEST_CASE("the page over many studies counts claims by verdict and certainty") {
    const Folder folder;
    report::write_study(sample_study(), folder.path("paper/sample"));
    core::StudyRecord other = sample_study();
    other.study = "other";
    other.claims[0].id = "OT-01";
    other.claims.resize(1);
    report::write_study(other, folder.path("other"), {.figures = false});
    const auto results = report::read_all_results(folder.path());
    REQUIRE(results.size() == 2);
    CHECK(results[0].folder == "other");
    CHECK(results[1].folder == "paper/sample");
    const std::string page = report::summary_page(results, folder.path());
    CHECK_THAT(page, Contains("3 claims in 2 studies") && Contains("1 differ from the verdict on record"));
    CHECK_THAT(page, Contains("<a href=\"#show?verdict=refuted&amp;certified=no\">2</a>"));
    CHECK_THAT(page, Contains("<a href=\"#show?verdict=confirmed&amp;certified=yes\">1</a>"));
    CHECK_THAT(page, Contains("href=\"paper/sample/report.html\"") && Contains("id=\"claim-OT-01\""));
    CHECK_THAT(page, Contains("<svg"));
}

TEST_CASE("a folder without results, or with files that are not results, is refused") {
    const Folder folder;
    CHECK_THROWS_WITH(report::read_all_results(folder.path()), Contains("there is no results.json"));
    core::write_file(folder.path("a/results.json"), "{");
    core::write_file(folder.path("b/results.json"), "[]");
    try {
        report::read_all_results(folder.path());
        FAIL("nothing was thrown");
    } catch (const core::UserError& error) {
        CHECK(error.diagnostics().size() == 2);
    }
}

TEST_CASE("JUnit reports a wrong verdict as a failure and a missing one as skipped") {
    core::StudyRecord study = sample_study();
    core::ClaimRecord missing = study.claims[0];
    missing.id = "EX-03";
    missing.verdict = core::Verdict::missing;
    study.claims.push_back(missing);
    const std::vector<core::StudyRecord> studies = {study};
    const std::string xml = report::junit(studies);
    CHECK_THAT(xml, Contains("<testsuite name=\"paper/sample\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""));
    CHECK_THAT(xml,
               Contains("name=\"EX-01: The slope is -0.825 &amp; the offset &lt; 0.\"") && Contains("line=\"21\""));
    CHECK_THAT(xml, Contains("<failure message=\"expected undecided, found confirmed\">"));
    CHECK_THAT(xml, Contains("<skipped message=\"missing\"/>"));
}

TEST_CASE("the totals of JUnit are those of its studies together") {
    core::StudyRecord first = sample_study();
    core::ClaimRecord claim = first.claims[0];
    claim.verdict = core::Verdict::missing;
    first.claims.push_back(claim);
    core::StudyRecord second = sample_study();
    claim.verdict = core::Verdict::skipped;
    second.claims.insert(second.claims.end(), 4, claim);
    const std::vector<core::StudyRecord> studies = {first, second, sample_study()};
    const std::string xml = report::junit(studies);
    // 3 + 6 + 2 claims, of each study one that is not as expected, and 1 + 4 without a verdict.
    CHECK_THAT(xml, Contains("<testsuites name=\"farfield\" tests=\"11\" failures=\"3\" errors=\"0\" skipped=\"5\">"));
    CHECK_THAT(xml, Contains("tests=\"6\" failures=\"1\" errors=\"0\" skipped=\"4\""));
}

TEST_CASE("the Markdown table marks verdicts that differ, and no text breaks it") {
    core::StudyRecord study = sample_study();
    study.claims[0].says = "a | b\n<i>`c`</i>";
    const std::vector<core::StudyRecord> studies = {study};
    const std::string text = report::markdown(studies);
    CHECK_THAT(text, Contains("2 claims: 1 as expected, 1 unexpected, 0 missing, 0 skipped."));
    CHECK_THAT(text, Contains("| EX-01 | a \\| b &lt;i>\\`c\\`&lt;/i> | refuted | refuted | no |"));
    CHECK_THAT(text, Contains("| **confirmed** | undecided | yes |"));
}
