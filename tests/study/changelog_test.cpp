// The expected texts follow from the rule: a line a changed verdict, below the lines that are there, the rest as it
// was.
#include <catch2/catch.hpp>

#include <farfield/core/record.hpp>
#include <farfield/study/study.hpp>
#include <string>

#include "support/folder.hpp"

namespace farfield::study {
namespace {

using core::Verdict;
using tests::Folder;

core::StudyRecord record_of(const Folder& folder, const std::string& file) {
    core::StudyRecord record;
    record.study = "s";
    record.file = folder.path(file);
    core::ClaimRecord claim;
    claim.id = "A";
    claim.verdict = Verdict::refuted;
    claim.expected = Verdict::confirmed;
    core::ReadingRecord same;
    same.name = "same";
    same.verdict = Verdict::refuted;
    same.expected = Verdict::refuted;
    core::ReadingRecord unstated;
    unstated.name = "unstated";
    unstated.verdict = Verdict::refuted;
    core::ReadingRecord changed;
    changed.name = "changed";
    changed.verdict = Verdict::refuted;
    changed.expected = Verdict::depends;
    claim.readings = {same, unstated, changed};
    record.claims = {claim};
    return record;
}

const std::string heading = "## Verdicts changed\n";
const std::string lines =
    "- s, A: confirmed, now refuted. A word.\n- s, A, reading 'changed': depends, now refuted. A "
    "word.\n";

struct Case {
    const char* name;
    std::string before;
    std::string after;
};

TEST_CASE("changed verdicts are noted below those that are already under the heading") {
    const std::vector<Case> cases = {
        {"nothing below", heading, heading + "\n" + lines},
        {"nothing below, a blank line", heading + "\n", heading + "\n" + lines},
        {"lines below", "# C\n\n" + heading + "\n- one\n- two\n", "# C\n\n" + heading + "\n- one\n- two\n" + lines},
        {"another heading below", heading + "\n- one\n\n## More\n\n- other\n",
         heading + "\n- one\n" + lines + "\n## More\n\n- other\n"},
        {"another heading with lines, none here", heading + "\n## More\n\n- other\n",
         heading + "\n" + lines + "\n## More\n\n- other\n"},
    };
    for (const Case& each : cases) {
        INFO(each.name);
        const Folder folder;
        folder.write("CHANGELOG.md", each.before);
        CHECK(note_changed_verdicts(record_of(folder, "s.toml"), "A word.") == folder.path("CHANGELOG.md"));
        CHECK(folder.read("CHANGELOG.md") == each.after);
    }
}

TEST_CASE("verdicts are noted in the nearest changelog that has the heading, within the repository") {
    const Folder folder;
    folder.write("a/b/CHANGELOG.md", "# no heading\n");
    folder.write("a/CHANGELOG.md", heading);
    folder.write("a/b/c/other", "");
    CHECK(note_changed_verdicts(record_of(folder, "a/b/c/s.toml"), "A word.") == folder.path("a/CHANGELOG.md"));
    CHECK(folder.read("a/b/CHANGELOG.md") == "# no heading\n");
    folder.write("a/b/.git/HEAD", "");
    CHECK(note_changed_verdicts(record_of(folder, "a/b/c/s.toml"), "A word.").empty());
}

TEST_CASE("nothing is noted without a changed verdict, and not where the heading is part of a line") {
    const Folder folder;
    folder.write("CHANGELOG.md", "see " + heading);
    CHECK(note_changed_verdicts(record_of(folder, "s.toml"), "A word.").empty());
    CHECK(folder.read("CHANGELOG.md") == "see " + heading);
    folder.write("CHANGELOG.md", heading);
    core::StudyRecord record = record_of(folder, "s.toml");
    record.claims[0].verdict = Verdict::confirmed;
    record.claims[0].readings.pop_back();
    CHECK(note_changed_verdicts(record, "A word.").empty());
    record.claims[0].verdict = Verdict::missing;
    CHECK(note_changed_verdicts(record, "A word.").empty());
    CHECK(folder.read("CHANGELOG.md") == heading);
}

TEST_CASE("the heading is a line of its own outside of code, with any line break or none") {
    const std::string before[] = {"# C\r\n\r\n## Verdicts changed\r\n", "See ## Verdicts changed\n\n" + heading,
                                  "```\n" + heading + "```\n\n## Verdicts changed"};
    for (const std::string& text : before) {
        const Folder folder;
        folder.write("CHANGELOG.md", text);
        CHECK(note_changed_verdicts(record_of(folder, "s.toml"), "A word.") == folder.path("CHANGELOG.md"));
        CHECK(folder.read("CHANGELOG.md").starts_with(text));
        CHECK(folder.read("CHANGELOG.md").ends_with("\n" + lines));
    }
    const Folder folder;
    folder.write("CHANGELOG.md", "```\n" + heading + "```\n");
    CHECK(note_changed_verdicts(record_of(folder, "s.toml"), "A word.").empty());
}

TEST_CASE("a reason is one line of valid text") {
    const Folder folder;
    folder.write("CHANGELOG.md", heading);
    note_changed_verdicts(record_of(folder, "s.toml"), "two\nlines caf\xe9\x7f");
    CHECK(folder.read("CHANGELOG.md").find(" two lines caf\\xe9\\x7f\n") != std::string::npos);
}

}  // namespace
}  // namespace farfield::study
