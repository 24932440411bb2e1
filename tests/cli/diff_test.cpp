#include <catch2/catch.hpp>

#include "cli/run_program.hpp"

using run_program::Done;
using run_program::Folder;

namespace {

const std::string claim = "[[claim]]\nid = 'T-1'\nsays = 'It is small.'\nholds = 'x <= 2'\n";

/// A study of one number, run into a folder of its own.
void run(const Folder& folder, const std::string& number, const std::string& more, const std::string& output) {
    folder.write("mine.toml", "[quantity.x]\nkind = 'value'\nformula = '" + number + "'\n" + more);
    folder.farfield({"run", "mine.toml", "-o", output});
}

}  // namespace

TEST_CASE("diff tells changed verdicts and numbers, and what only one side has") {
    const Folder folder;
    run(folder, "2", claim, "before");
    run(folder, "3", claim + "[quantity.y]\nkind = 'value'\nformula = '1'\n", "after");
    const Done done = folder.farfield({"diff", "before", "after"});
    CHECK(done.status == 1);
    CHECK(done.output ==
          "mine: claim T-1: confirmed (certified) -> refuted (certified)\n"
          "mine: claim T-1, reading 'as printed': confirmed (certified) -> refuted (certified)\n"
          "mine: x.value: 2 -> 3\n"
          "mine: y: only after\n"
          "4 differences\n");
    CHECK(folder.farfield({"diff", "after", "before"}).output.find("mine: y: only before\n") != std::string::npos);
}

TEST_CASE("diff finds nothing between equal results, files or folders, and below the tolerance") {
    const Folder folder;
    run(folder, "2", claim, "before");
    run(folder, "2 + 2^-40", claim, "after");
    CHECK(folder.farfield({"diff", "before", "before/mine/results.json"}).output == "0 differences\n");
    // The number changes by 2^-41 of itself, about 4.5e-13.
    CHECK(folder.farfield({"diff", "before", "after"}).status == 1);
    CHECK(folder.farfield({"diff", "before", "after", "--tolerance", "4.5e-13"}).output.find("x.value") !=
          std::string::npos);
    CHECK(folder.farfield({"diff", "before", "after", "--tolerance", "4.6e-13"}).output.find("x.value") ==
          std::string::npos);
}

TEST_CASE("infinities differ from each other and from numbers, whatever the tolerance") {
    const Folder folder;
    for (const char* number : {"inf", "-inf", "1e308"}) run(folder, number, "", std::string("of ") + number);
    const auto differ = [&](const std::string& before, const std::string& after) {
        return folder.farfield({"diff", "of " + before, "of " + after, "--tolerance", "0.5"}).output;
    };
    CHECK(differ("inf", "inf/mine/results.json") == "0 differences\n");
    CHECK(differ("inf", "-inf") == "mine: x.value: inf -> -inf\n1 difference\n");
    CHECK(differ("-inf", "1e308") == "mine: x.value: -inf -> 1e+308\n1 difference\n");
}

TEST_CASE("diff compares tables, failures and censored values") {
    const Folder folder;
    const auto table = [](const std::string& cell) {
        return "[[claim]]\nid = 'T-2'\nsays = 'Six.'\nholds = \"t['2', 'y'] == 6\"\n"
               "[quantity.t]\nkind = 'table'\nrows = [1, 2]\ncolumns = ['L', 'y']\ncells = [['1', '" +
               cell + "'], ['2', '6']]\n";
    };
    run(folder, "2", table("3.0"), "before");
    run(folder, "2", table("-33.0"), "after");
    CHECK(folder.farfield({"diff", "before", "after"}).output == "mine: t[1, y]: 3 -> -33\n1 difference\n");
    run(folder, "2", "[quantity.v]\nkind = 'value'\nformula = 'log(-1)'\n", "failed");
    run(folder, "2", "[quantity.v]\nkind = 'value'\nformula = 'log(1)'\n", "fine");
    CHECK_THAT(folder.farfield({"diff", "failed", "fine"}).output,
               Catch::Contains("v failed: ") && Catch::Contains(": only before\n"));
}

TEST_CASE("results of one name are compared by their folders") {
    const Folder folder;
    for (const char* side : {"before", "after"})
        for (const char* each : {"x", "y"}) {
            const bool differs = side == std::string("after") && each == std::string("y");
            run(folder, differs ? "3" : "2", claim, std::string(side) + "/" + each);
        }
    const Done done = folder.farfield({"diff", "before", "after"});
    CHECK(done.status == 1);
    CHECK_THAT(done.output, Catch::StartsWith("y/mine: claim T-1: confirmed (certified) -> refuted (certified)\n"));
}

TEST_CASE("diff wants two results") {
    const Folder folder;
    run(folder, "2", claim, "before");
    CHECK(folder.farfield({"diff", "before"}).status == 2);
    CHECK(folder.farfield({"diff", "before", "mine.toml"}).status == 2);
    CHECK(folder.farfield({"diff", "before", "nothing"}).status == 3);
    CHECK(folder.farfield({"diff", "before", "before", "--tolerance=-1"}).status == 2);
}
