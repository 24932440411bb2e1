#include <catch2/catch.hpp>
#include <farfield/study/keys.hpp>

#include <cmath>
#include <cstring>
#include <farfield/core/sha256.hpp>
#include <farfield/evaluate/array.hpp>
#include "study/result_bytes.hpp"
#include "study/study_support.hpp"

using namespace study_support;
using Catch::Matchers::Contains;
using Names = std::vector<std::string>;

namespace {

Names names_found(const std::vector<std::string>& paths) {
    Names names;
    std::vector<std::string> unreadable;
    for (const study::Found& found : study::find_studies(paths, unreadable)) names.push_back(found.name);
    CHECK(unreadable.empty());
    return names;
}

}  // namespace

TEST_CASE("studies of a folder are found sorted, named under their folder, and data files are left alone") {
    const Folder folder;
    folder.write("papers/chi/b.toml", "[study]\n");
    folder.write("papers/chi/a.toml", "[study]\n");
    folder.write("papers/sun/c.toml", "[quantity.x]\nkind = 'value'\n");
    folder.write("papers/tables.toml", "[table]\nx = 1\n");
    folder.write("papers/notes.txt", "[study]\n");
    CHECK(names_found({folder.path("papers")}) == Names{"chi/a", "chi/b", "sun/c"});
    CHECK(names_found({folder.path("papers/chi/a.toml")}) == Names{"a"});
    CHECK(names_found({folder.path("papers/chi"), folder.path("papers/chi/a.toml")}) == Names{"chi/a", "chi/b"});
    CHECK_THROWS_AS(names_found({folder.path("nowhere")}), core::UserError);
}

TEST_CASE("two studies of one name are refused") {
    const Folder folder;
    folder.write("x/a.toml", "[study]\n");
    folder.write("y/a.toml", "[study]\n");
    CHECK_THROWS_AS(names_found({folder.path("x/a.toml"), folder.path("y/a.toml")}), core::UserError);
}

TEST_CASE("new verdicts go into the file and everything else stays") {
    const Folder folder;
    const std::string before =
        "# head\r\n[[claim]]\r\n  id = \"A\"   # first\r\n  says = 's'\r\n  expect = \"confirmed\" # old\r\n  holds = "
        "'1 < 2'\r\n"
        "[[claim]]\nid = 'B'\nsays = 's'\n  [[claim.reading]]\n  name = 'r'\n  expect = 'undecided'\n  holds = '1 < 2'";
    folder.write("s.toml", before);
    core::StudyRecord record;
    core::ClaimRecord a, b;
    a.id = "A";
    a.verdict = core::Verdict::refuted;
    b.id = "B";
    b.verdict = core::Verdict::confirmed;
    b.readings.push_back({"r", "", "", false, core::Verdict::confirmed, core::Verdict::undecided, false, ""});
    record.claims = {a, b};
    CHECK(study::update_verdicts(folder.path("s.toml"), record, "why\nnot") == Names{"A", "B"});
    CHECK(folder.read("s.toml") ==
          "# head\r\n[[claim]]\r\n  id = \"A\"   # first\r\n  says = 's'\r\n  expect = \"refuted\" # old\r\n  # was "
          "confirmed: why not\r\n  holds = '1 < 2'\r\n"
          "[[claim]]\nid = 'B'\n# first put on record: why not\nexpect = \"confirmed\"\nsays = 's'\n  "
          "[[claim.reading]]\n  name = 'r'\n"
          "  expect = 'confirmed'\n  # was undecided: why not\n  holds = '1 < 2'");
    CHECK(study::update_verdicts(folder.path("s.toml"), record, "again").empty());
}

TEST_CASE("a claim alone is first put on record below its id; one that lost its id meanwhile stays as it is") {
    const Folder folder;
    core::StudyRecord record;
    core::ClaimRecord a;
    a.id = "A";
    a.verdict = core::Verdict::confirmed;
    core::ClaimRecord unnamed;
    unnamed.verdict = core::Verdict::confirmed;
    record.claims = {a, unnamed};
    folder.write("s.toml", "[[claim]]\nid = 'A'\nsays = 's'\n");
    CHECK(study::update_verdicts(folder.path("s.toml"), record, "why") == Names{"A"});
    CHECK(folder.read("s.toml") ==
          "[[claim]]\nid = 'A'\n# first put on record: why\nexpect = \"confirmed\"\nsays = 's'\n");
    folder.write("s.toml", "[[claim]]\nsays = 's'\n");
    CHECK(study::update_verdicts(folder.path("s.toml"), record, "why").empty());
    CHECK(folder.read("s.toml") == "[[claim]]\nsays = 's'\n");
}

TEST_CASE("no verdict is recorded in a file that was saved after it was read") {
    const Folder folder;
    const std::string text = "[[claim]]\nid = 'A'\nsays = 's'\n";
    core::StudyRecord record;
    core::ClaimRecord a;
    a.id = "A";
    a.verdict = core::Verdict::confirmed;
    record.claims = {a};
    record.manifest = {{"study_sha256", core::sha256(text)}};
    folder.write("s.toml", text + "# saved\n");
    CHECK_THROWS_WITH(study::update_verdicts(folder.path("s.toml"), record, "why"),
                      Contains("the study was changed after it was read"));
    CHECK(folder.read("s.toml") == text + "# saved\n");
    folder.write("s.toml", text);
    CHECK(study::update_verdicts(folder.path("s.toml"), record, "why") == Names{"A"});
}

TEST_CASE("missing and skipped verdicts are never recorded") {
    const Folder folder;
    folder.write("s.toml", "[[claim]]\nid = 'A'\nsays = 's'\nexpect = 'confirmed'\n");
    core::StudyRecord record;
    core::ClaimRecord a;
    a.id = "A";
    a.verdict = core::Verdict::skipped;
    record.claims = {a};
    CHECK(study::update_verdicts(folder.path("s.toml"), record, "why").empty());
}

TEST_CASE("the digest is SHA-256") {
    // FIPS 180-4, examples.
    CHECK(core::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(core::sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(core::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(core::sha256(std::string(1000000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a result is read back from its bytes, and truncated bytes are not a result") {
    core::Result result;
    result.name = "x";
    result.kind = "curve";
    result.seconds = 0.25;
    result.set("a", core::Cell::enclosed(0.1, {0.09, 0.11}));
    result.set("third", core::Cell::rationally(1.0 / 3, {0.33333333333333331, 0.33333333333333337}, "1/3"));
    result.set("gone", core::Cell::missing());
    result.notes.emplace_back("method", "QR");
    result.evidence.add("formula", "n + 1");
    result.evidence.boxes.emplace_back("n in [0, 1]", "[1, 2]");
    result.series =
        core::Series{{{"n", {0, 0.1}, {}, core::Steps{"0", "0.1"}}, {"y", {1.5, -0.0}, {{1, 2}, {-1, 1}}, {}, "n^2"}},
                     core::Rigour::rigorous,
                     1};
    result.table = core::Table{{"r"}, {"c"}, {{5.5, "5.50", core::Enclosure{5.495, 5.505}, core::Rigour::rounding}}};
    const std::string bytes = study::to_bytes(result);
    const auto back = study::from_bytes(bytes);
    REQUIRE(back);
    CHECK(study::to_bytes(*back) == bytes);
    CHECK(back->series->columns[1].enclosures[1] == core::Enclosure{-1, 1});
    CHECK(back->table->cells[0].printed == "5.50");
    CHECK(back->evidence.facts == result.evidence.facts);
    CHECK(back->evidence.boxes == result.evidence.boxes);
    CHECK(back->find("third")->rational == "1/3");
    CHECK(back->find("third")->rigour == core::Rigour::exact);
    REQUIRE(back->series->columns[0].steps);
    CHECK(back->series->columns[0].steps->from == "0");
    CHECK(back->series->columns[0].steps->step == "0.1");
    CHECK_FALSE(back->series->columns[1].steps);
    CHECK(back->series->columns[1].formula == "n^2");
    for (std::size_t length = 0; length < bytes.size(); ++length)
        CHECK_FALSE(study::from_bytes(bytes.substr(0, length)));
}

TEST_CASE("any number of empty texts is a valid result") {
    for (const std::size_t count : {1, 2, 7}) {
        core::Result result;
        result.evidence.boxes.assign(count, {"", ""});
        result.values.resize(count);
        const auto back = study::from_bytes(study::to_bytes(result));
        REQUIRE(back);
        CHECK(back->evidence.boxes.size() == count);
        CHECK(back->values.size() == count);
    }
}

TEST_CASE("equal steps take three numbers of a kept result, and come back as the same doubles") {
    core::Result result;
    const evaluate::Range range{-3, 0.25, 100'000};
    result.series = core::Series{{{"x", evaluate::Array(range).values(), {}}}, core::Rigour::none, 1};
    const std::string bytes = study::to_bytes(result);
    CHECK(bytes.size() < 500);
    const auto back = study::from_bytes(bytes);
    REQUIRE(back);
    CHECK(back->series->columns[0].values == result.series->columns[0].values);
    CHECK(study::to_bytes(*back) == bytes);
    // A count that no series has.
    std::string changed = bytes;
    const double count = 100'000;
    const std::string_view written(reinterpret_cast<const char*>(&count), sizeof count);
    const std::size_t at = changed.find(written);
    REQUIRE(at != std::string::npos);
    for (const double other : {-1.0, 1e300, std::nan("")}) {
        std::memcpy(changed.data() + at, &other, sizeof other);
        CHECK_FALSE(study::from_bytes(changed));
    }
}

TEST_CASE("the page of study files holds the key tables as the program knows them") {
    const std::string path = std::string(FARFIELD_SOURCE) + "/docs/study.md";
    std::ifstream stream(path);
    std::string page{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    const std::string begin = "holds them to it. -->\n\n";
    const std::size_t from = page.find(begin) + begin.size();
    const std::size_t to = page.find("<!-- end of the tables -->");
    REQUIRE(from < to + 1);
    // FARFIELD_UPDATE_DOCS=1 writes the tables into the page instead.
    if (getenv("FARFIELD_UPDATE_DOCS")) {
        page.replace(from, to - from, study::document_parts());
        std::ofstream(path) << page;
    } else {
        CHECK(page.substr(from, to - from) == study::document_parts());
    }
}
