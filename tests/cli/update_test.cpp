// run --update. The expected texts follow from the rule: verdicts and their reasons are written, and nothing else.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "cli/run_program.hpp"

using run_program::Done;
using run_program::Folder;
using run_program::replaced;
using run_program::study;

TEST_CASE("--update puts the verdict on record with the reason and changes nothing else") {
    const Folder folder;
    const std::string before = replaced(study, "'confirmed'", "'refuted'");
    folder.write("line.toml", before);
    const Done done = folder.farfield({"run", "line.toml", "--no-figures", "--update", "--because", "it was a slip"});
    CHECK(done.status == 0);
    const std::string expected = replaced(before, "expect = 'refuted'  # on record\n",
                                          "expect = 'confirmed'  # on record\n# was refuted: it was a slip\n");
    CHECK(folder.read("line.toml") == expected);
    CHECK(folder.farfield({"check", "line.toml"}).status == 0);
}

TEST_CASE(
    "--update lists a changed verdict under the heading of the changelog above the study, after those before it") {
    const Folder folder;
    folder.write("studies/deep/line.toml", replaced(study, "'confirmed'", "'refuted'"));
    folder.write("CHANGELOG.md", "# Changelog\n\n## Verdicts changed\n\nHow.\n\n## 0.1.0\n\n- a line\n");
    const std::vector<std::string> update = {"run",      "studies",   "--no-figures",
                                             "--update", "--because", "it was a slip"};
    CHECK(folder.farfield(update).status == 0);
    const std::string listed = "- deep/line, T-1: refuted, now confirmed. it was a slip\n";
    CHECK(folder.read("CHANGELOG.md") ==
          "# Changelog\n\n## Verdicts changed\n\nHow.\n\n" + listed + "\n## 0.1.0\n\n- a line\n");
    // Nothing changed: nothing is listed.
    CHECK(folder.farfield(update).status == 0);
    CHECK(folder.read("CHANGELOG.md").find(listed) == folder.read("CHANGELOG.md").rfind(listed));
    folder.write("studies/deep/line.toml", replaced(study, "'confirmed'", "'undecided'"));
    CHECK(folder.farfield(update).status == 0);
    CHECK(
        folder.read("CHANGELOG.md").find(listed + "- deep/line, T-1: undecided, now confirmed. it was a slip\n\n##") !=
        std::string::npos);
}

TEST_CASE("--update changes nothing but verdicts, or refuses the layout") {
    // Each study has two claims that hold, with `refuted` or nothing on record.
    const std::string row = "[quantity.row]\nkind = 'curve'\nformula = '-n'\ndistances = { from = 0, to = 9 }\n";
    const std::string falls = "holds = 'row[2] < row[1]'", ends = "holds = 'row[9] < row[8]'";
    const auto claim = [](const std::string& id, const std::string& rest) {
        return "{ id = " + id + ", says = 's', " + rest + " }";
    };
    const std::vector<std::string> written = {
        "claim = [ " + claim("'A'", falls) + ", " + claim("'B'", ends) + " ]\n" + row,
        "claim = [\n  " + claim("'A'", falls) + ",\n  " + claim("'B'", ends) + "\n]\n" + row,
        "claim = [ " + claim("'A'", "expect = 'refuted', " + falls) + ", " +
            claim("'B'", "expect = 'refuted', " + ends) + " ]\n" + row,
        "\xEF\xBB\xBF"
        "claim = [ " +
            claim("'A'", "expect = 'refuted', " + falls) + " ]\n" + row,
        "\xEF\xBB\xBF" + row + "[[claim]]\r\nid = 'A'\r\nsays = 's'\r\nexpect = \"refuted\"\r\n" + falls,
        row + "[[claim]]\nid = 'A'\nsays = 's'\nreading = [ { name = 'p', expect = 'refuted', " + falls +
            " }, { name = 'q', expect = 'refuted', " + ends + " } ]\n",
    };
    for (const std::string& text : written) {
        const Folder folder;
        folder.write("s.toml", text);
        CHECK(folder.farfield({"run", "s.toml", "--no-figures", "--update", "--because", "a \x7f reason"}).status == 0);
        CHECK(folder.farfield({"check", "s.toml"}).status == 0);
        const std::string found = folder.read("s.toml");
        CHECK(found != text);
        CHECK(found.find("refuted'") == std::string::npos);
    }
    const std::vector<std::string> refused = {
        row + "[[claim]]\nid = \"\"\"\nA\"\"\"\nsays = 's'\n" + falls,
        row + "[[claim]]\nid = 'A'\nsays = 's'\nexpect = \"\\u0072efuted\"\n" + falls,
        "claim = [ { id = 'A', expect = 'refuted', says = \"\"\"x\ny\"\"\", " + falls + " } ]\n" + row,
    };
    for (const std::string& text : refused) {
        const Folder folder;
        folder.write("s.toml", text);
        const Done done = folder.farfield({"run", "s.toml", "--no-figures", "--update", "--because", "a reason"});
        CHECK(done.status == 2);
        CHECK(
            done.error.starts_with("s.toml: the verdicts cannot be written into this layout; expected a [[claim]] with "
                                   "each key on its own line\n"));
        CHECK(folder.read("s.toml") == text);
        CHECK(folder.has("results/s/results.json"));
    }
}

TEST_CASE("--update adds a verdict to a claim that has none") {
    const Folder folder;
    folder.write("line.toml", replaced(study, "expect = 'confirmed'  # on record\n", ""));
    CHECK(folder.farfield({"run", "line.toml", "--no-figures", "--update", "--because", "first run"}).status == 0);
    CHECK(folder.read("line.toml").find("id = 'T-1'\n# first put on record: first run\nexpect = \"confirmed\"\n") !=
          std::string::npos);
}
