// Problems where programs show them at their line: annotations of workflows, SARIF, JUnit and Markdown.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_program.hpp"

using run_program::Done;
using run_program::Folder;
using run_program::replaced;
using run_program::study;

namespace {

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

Done in_a_workflow(const Folder& folder, const std::vector<std::string>& arguments) {
    ::setenv("GITHUB_ACTIONS", "true", 1);
    Done done = folder.farfield(arguments);
    ::unsetenv("GITHUB_ACTIONS");
    return done;
}

}  // namespace

TEST_CASE("the problems of an invalid study are annotations, and in every file that check writes") {
    const Folder folder;
    folder.write("good.toml", study);
    folder.write("bad.toml", replaced(study, "formula", "fromula"));
    const std::vector<std::string> check = {"check",   "good.toml", "bad.toml",   "--sarif", "s.sarif",
                                            "--junit", "j.xml",     "--markdown", "m.md"};
    const Done done = in_a_workflow(folder, check);
    CHECK(done.status == 2);
    const std::size_t line = [] {
        const std::string before = study.substr(0, study.find("formula"));
        return static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    }();
    CHECK(has(done.error, "::error file=bad.toml,line=" + std::to_string(line) + "::unknown key 'fromula'"));
    CHECK(has(done.error, "::unknown key 'fromula'%0Aknown here: "));
    CHECK(has(done.error, "problem; nothing was run."));
    CHECK(has(in_a_workflow(folder, {"run", "bad.toml"}).error, "::error file=bad.toml,line="));
    CHECK_FALSE(has(folder.farfield(check).error, "::error"));

    const auto sarif = nlohmann::json::parse(folder.read("s.sarif"));
    const auto& results = sarif["runs"][0]["results"];
    REQUIRE(results.size() >= 1);
    CHECK(results[0]["ruleId"] == "unknown-name");
    const auto& place = results[0]["locations"][0]["physicalLocation"];
    CHECK(place["artifactLocation"]["uri"] == "bad.toml");
    CHECK(place["region"]["startLine"] == line);
    CHECK(has(results[0]["message"]["text"], "unknown key 'fromula'"));
    CHECK(has(folder.read("j.xml"), "<error message=\"unknown key "));
    CHECK(has(folder.read("j.xml"), "errors=\"" + std::to_string(results.size()) + "\""));
    CHECK(has(folder.read("m.md"), "| bad.toml:" + std::to_string(line) + " | unknown key 'fromula'"));
}

TEST_CASE("what fails while it is computed is an annotation at its line, and in SARIF beside the claims") {
    const Folder folder;
    folder.write("s.toml", replaced(study, "-n/2", "log(-n)"));
    const Done failed = in_a_workflow(folder, {"check", "s.toml", "--sarif", "s.sarif"});
    CHECK(in_a_workflow(folder, {"run", "s.toml", "--no-figures", "--sarif", "run.sarif"}).status == failed.status);
    CHECK(folder.read("run.sarif") == folder.read("s.sarif"));
    CHECK(failed.status == 2);
    CHECK(has(failed.error, "::error file=s.toml,line="));
    const auto sarif = nlohmann::json::parse(folder.read("s.sarif"));
    CHECK(sarif["runs"][0]["results"].size() == 2);  // the quantity, and the claim that needs it
}
