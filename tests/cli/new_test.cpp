#include <catch2/catch.hpp>

#include "cli/run_program.hpp"

using run_program::Done;
using run_program::Folder;

TEST_CASE("new writes a study that runs as it expects, beside the schema that it names") {
    const Folder folder;
    const Done done = folder.farfield({"new", "mine"});
    CHECK(done.status == 0);
    CHECK(done.output == "mine.toml\nstudy.schema.json\n");
    CHECK(folder.read("mine.toml").starts_with("#:schema ./study.schema.json\n"));
    CHECK(folder.read("mine.toml").find("farfield run mine.toml") != std::string::npos);
    CHECK(folder.read("study.schema.json") == folder.farfield({"schema"}).output);
    const Done run = folder.farfield({"check", "mine.toml"});
    CHECK(run.status == 0);
    CHECK(run.output.find("1 as expected") != std::string::npos);
}

TEST_CASE("new keeps a file that exists") {
    const Folder folder;
    folder.write("study.toml", "mine");
    const Done done = folder.farfield({"new"});
    CHECK(done.status == 2);
    CHECK(done.error.find("'study.toml' exists") != std::string::npos);
    CHECK(folder.read("study.toml") == "mine");
    CHECK_FALSE(folder.has("study.schema.json"));
    // A schema of another program is kept too, and one of farfield is replaced.
    folder.write("study.schema.json", "{}");
    CHECK(folder.farfield({"new", "other"}).error.find("'study.schema.json' exists, and is not farfield's") !=
          std::string::npos);
    CHECK(folder.read("study.schema.json") == "{}");
    CHECK_FALSE(folder.has("other.toml"));
    folder.write("study.schema.json", folder.farfield({"schema"}).output);
    CHECK(folder.farfield({"new", "other"}).status == 0);
}
