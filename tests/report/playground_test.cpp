// Links to the page for browsers. tests/browser/studies.py runs every study that the links of the repository's pages
// hold.
#include <catch2/catch.hpp>
#include <farfield/report/report.hpp>
#include <farfield/report/summary_page.hpp>

#include "report/sample.hpp"

using namespace farfield;
using namespace farfield::tests;
using Catch::Contains;

TEST_CASE("a fragment holds a study in blocks of deflate without compression, in base64 for addresses") {
    // RFC 1951, section 3.2.4: 01, the length, its complement, the bytes; 01 00 00 FF FF and 01 01 00 FE FF 61.
    CHECK(report::playground_fragment("") == "#tab=study&study=AQAA__8");
    CHECK(report::playground_fragment("a") == "#tab=study&study=AQEA_v9h");
    // 300 bytes: 01 2C 01 D3 FE 61.
    CHECK_THAT(report::playground_fragment(std::string(300, 'a')),
               Catch::Matchers::StartsWith("#tab=study&study=ASwB0_5hYWFh"));
    // 70,000 bytes are two blocks, each with five bytes before: 00 FF FF 00 00 61 is "AP__AABh".
    const std::string fragment = report::playground_fragment(std::string(70000, 'a'));
    CHECK_THAT(fragment, Catch::Matchers::StartsWith("#tab=study&study=AP__AABhYWFh"));
    CHECK(fragment.size() == std::string("#tab=study&study=").size() + (70010 * 8 + 5) / 6);
}

TEST_CASE("a fragment holds the files that a study names, each once") {
    const std::string study = "file = \"t/1 a.csv\"  # one\n\tfile = 't/1 a.csv'\nfile='b.csv'\n";
    const auto content_of = [](const std::string& name) -> std::optional<std::string> {
        return name == "b.csv" ? "a" : "";
    };
    const std::string fragment = report::playground_fragment(study, content_of);
    // RFC 1951 and RFC 3986: the contents "a" and "" as above, by name.
    CHECK_THAT(fragment, Catch::Matchers::EndsWith("&file=b.csv&content=AQEA_v9h&file=t/1%20a.csv&content=AQAA__8"));
    CHECK(report::playground_fragment(study, [](const std::string&) { return std::nullopt; }).empty());
    for (const std::string line :
         {"file = [\"b.csv\"]", "file = \"b.csv", "file = \"b\\u002ecsv\"", "file = \"\"", "file = 'b' + 'c'"}) {
        CAPTURE(line);
        CHECK(report::playground_fragment(line, content_of).empty());
    }
}

TEST_CASE("a study that needs models or files that are not given has no fragment") {
    for (const std::string line : {"[train.a]", "[model.m]", " [corpus.c]", "[[checkpoint]]", "[checkpoint.x]",
                                   "file = 'a'", "\tfiles=['a']", "data = 'a.csv'", "against = 'a'"}) {
        CAPTURE(line);
        CHECK(report::playground_fragment("[quantity.a]\n" + line).empty());
        CHECK(report::playground_fragment(line + "\n[quantity.a]\n").empty());
    }
    for (const std::string line : {"[trained.a]", "[figure.train]", "# file = 'a'", "profile = 'a'", "filed = 'a'",
                                   "kind = 'file'", "file", ""}) {
        CAPTURE(line);
        CHECK(!report::playground_fragment("[quantity.a]\n" + line + "\n").empty());
    }
}

TEST_CASE("a page links to the page for browsers: as a whole, and at each claim and figure") {
    const Folder folder;
    core::StudyRecord study = sample_study();
    study.claims[0].id = "EX&1";
    report::write_study(study, folder.path());
    CHECK_THAT(report::study_page(study, folder.path()), !Contains("playground"));
    const std::string page = report::study_page(study, folder.path(), "../try/index.html#tab=study&study=AA");
    const std::string start = "<a href=\"../try/index.html#tab=study&amp;study=AA";
    CHECK_THAT(page, Contains("</h1>\n<p>" + start + "\">Open in the playground</a></p>"));
    CHECK_THAT(page, Contains("<dt>Try</dt><dd>" + start + "&amp;claim=EX%261\">"));
    CHECK_THAT(page, Contains(". " + start + "&amp;figure=" + study.figures[0].name + "\">"));
    CHECK_THAT(report::summary_page(std::vector<report::StudyResults>{{study, "", "page#x"}}, folder.path()),
               Contains("<a href=\"page#x\">Open in the playground</a>"));
}
