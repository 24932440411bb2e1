// Outputs that would replace inputs, and arguments that are listed twice.
#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/run_program.hpp"

using run_program::Done;
using run_program::Folder;

namespace {

using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

const std::string benchmark = "(FPCore f (x) :pre (<= 0 x 1) (+ x 1))\n";
const std::string library = "[scheme.s]\nbias = '-n'\n";

/// Inputs of each kind; a refused command leaves all of them as they are.
struct Inputs : Folder {
    Inputs() {
        write("g.toml", run_program::study);
        write("sub/s.toml", run_program::study);
        write("lib.toml", library);
        write("re.fpcore", benchmark);
        write("model/config.json", "{}");
        write("model/model.safetensors.index.json", "{}");
        write("text.txt", "text");
        write("tokens.npy", "tokens");
    }
    void check_unchanged() const {
        CHECK(read("g.toml") == run_program::study);
        CHECK(read("sub/s.toml") == run_program::study);
        CHECK(read("lib.toml") == library);
        CHECK(read("re.fpcore") == benchmark);
        CHECK(read("model/config.json") == "{}");
        CHECK(read("model/model.safetensors.index.json") == "{}");
        CHECK(read("text.txt") == "text");
        CHECK(read("tokens.npy") == "tokens");
    }
};

}  // namespace

TEST_CASE("an output that would replace an input is refused before anything is computed") {
    const Inputs folder;
    std::filesystem::create_symlink("g.toml", folder.path("link.toml"));
    const std::vector<Words> commands = {
        {"check", "g.toml", "--junit", "g.toml"},
        {"check", "g.toml", "--sarif", "./g.toml"},
        {"check", "g.toml", "--markdown", "sub/../g.toml"},
        {"check", "link.toml", "--markdown", "g.toml"},
        {"check", "sub", "--junit", "sub/s.toml"},
        {"check", "g.toml", "sub", "--junit", "./sub/../sub/s.toml"},
        {"export", "s", "--from", "lib.toml", "--to", "numpy", "-o", "lib.toml"},
        {"export", "--to", "fpcore", "--from", "g.toml", "-o", "g.toml"},
        {"import", "re.fpcore", "-o", "re.fpcore"},
        {"store", "export", "g.toml", "-o", "g.toml"},
        {"tokens", "model", "text.txt", "-o", "text.txt"},
        {"tokens", "model", "text.txt", "-o", "model/config.json"},
        {"forward", "model", "--tokens", "tokens.npy", "-o", "tokens.npy"},
        {"forward", "model", "--tokens", "tokens.npy", "-o", "model/model.safetensors.index.json"},
        {"forward", "model", "--tokens", "tokens.npy", "--from", "lib.toml", "-o", "lib.toml"},
    };
    for (const Words& words : commands) {
        INFO(words.front() << " " << words.back());
        const Done done = folder.farfield(words);
        CHECK(done.status == 2);
        CHECK(done.output.empty());
        CHECK(contains(done.error, " would overwrite '" + words.back() + "', which the command reads; "));
        folder.check_unchanged();
    }
    CHECK(contains(folder.farfield(commands.front()).error, "--junit would overwrite 'g.toml'"));
    CHECK(folder.farfield({"schema", "-o", "g.toml"}).status == 2);
    CHECK(folder.farfield({"import", "re.fpcore", "-o", "g.toml"}).error.starts_with("'g.toml' exists; "));
    folder.check_unchanged();
    // Two outputs need two files, however these are written.
    CHECK(folder.farfield({"check", "g.toml", "--junit", "j", "--sarif", "./j"}).status == 2);
}

TEST_CASE("an output next to an input is written") {
    const Inputs folder;
    CHECK(folder.farfield({"check", "sub", "--junit", "sub/verdicts.xml", "--sarif", "sub/verdicts.json"}).status == 0);
    CHECK(folder.has("sub/verdicts.xml"));
    // The same command again replaces its own output.
    CHECK(folder.farfield({"check", "sub", "--junit", "sub/verdicts.xml", "--sarif", "sub/verdicts.json"}).status == 0);
    CHECK(folder.farfield({"import", "re.fpcore", "-o", "re.toml"}).status == 0);
    CHECK(folder.farfield({"schema", "-o", "keys.json"}).status == 0);
    CHECK(folder.farfield({"schema", "-o", "keys.json"}).status == 0);
    folder.check_unchanged();
}

TEST_CASE("an argument that is listed twice is refused") {
    const Inputs folder;
    const std::pair<Words, std::string> commands[] = {
        {{"check", "g.toml", "g.toml"}, "'g.toml' is listed twice; "},
        {{"check", "g.toml", "./g.toml"}, "'g.toml' and './g.toml' are the same path; "},
        {{"run", "sub", "g.toml", "sub/"}, "'sub' and 'sub/' are the same path; "},
        {{"tasks", "g.toml", "g.toml"}, "'g.toml' is listed twice; "},
        {{"tasks", "g.toml", "--shards", "2,2"}, "'2' is listed twice in --shards; "},
        {{"status", "g.toml", "sub/../g.toml"}, "'g.toml' and 'sub/../g.toml' are the same path; "},
        {{"draw", "g.toml", "g.toml"}, "'g.toml' is listed twice; "},
        {{"submit", "slurm", "g.toml", "g.toml", "--shards", "2"}, "'g.toml' is listed twice; "},
        {{"store", "export", "g.toml", "g.toml", "-o", "all.tar", "--store", "sub"}, "'g.toml' is listed twice; "},
        {{"safe-length", "alibi", "alibi"}, "'alibi' is listed twice; "},
        {{"plot", "alibi", "--with", "alibi", "-o", "p.svg"}, "'alibi' is listed twice; "},
        {{"doctor", "model", "./model"}, "doctor compares 'model' with itself; "},
    };
    for (const auto& [words, message] : commands) {
        INFO(message);
        const Done done = folder.farfield(words);
        CHECK(done.status == 2);
        CHECK(done.error.starts_with(message));
    }
    const Done recheck = folder.farfield({"recheck", "sub", "sub"});
    CHECK((contains(recheck.error, "built without Arb") || recheck.error.starts_with("'sub' is listed twice; ")));
    // A file and its folder differ: the file's models are trained.
    CHECK(folder.farfield({"tasks", "sub", "sub/s.toml"}).status == 0);
}
