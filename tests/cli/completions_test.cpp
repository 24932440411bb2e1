#include <catch2/catch.hpp>

#include <cstdlib>

#include "cli/run_program.hpp"

using run_program::Done;
using run_program::Folder;

namespace {

/// What bash offers for the last of `words`.
std::string offered(const Folder& folder, const std::string& words, int last) {
    folder.write("ask", "source ./completions\nCOMP_WORDS=(" + words + ")\nCOMP_CWORD=" + std::to_string(last) +
                            "\n_farfield\necho \"${COMPREPLY[@]}\" > answer\n");
    const std::string command = "cd '" + folder.path() + "' && bash ask";
    REQUIRE(std::system(command.c_str()) == 0);
    return folder.read("answer");
}

}  // namespace

TEST_CASE("bash completes commands and the options of a command") {
    const Folder folder;
    folder.write("completions", folder.farfield({"completions", "bash"}).output);
    CHECK(offered(folder, "farfield comp", 1) == "compare completions\n");
    CHECK(offered(folder, "farfield check --j", 2) == "--json --junit\n");
    CHECK(offered(folder, "farfield help sch", 2) == "schema\n");
    CHECK(offered(folder, "farfield run --device c", 3) == "cpu cuda\n");
    CHECK(offered(folder, "farfield run --device = cu", 4) == "cuda\n");
    CHECK(offered(folder, "farfield run --device =", 3) == "auto cpu cuda\n");
    CHECK(offered(folder, "farfield show rotary-l", 2) == "rotary-linear rotary-llama3 rotary-longrope\n");
    CHECK(offered(folder, "farfield explain gradient", 2) == "gradient-field\n");
    CHECK(offered(folder, "farfield export alibi --to fl", 4) == "flex-attention\n");
    CHECK(offered(folder, "farfield completions ''", 2) == "bash zsh fish\n");
    CHECK(offered(folder, "farfield plot alibi --with kerple-log,sand", 4) ==
          "kerple-log,sandwich kerple-log,sandwich-smoothed\n");
    CHECK(offered(folder, "farfield explain wrong", 2) == "wrong-type\n");
    // Words that are no options are files, which the shell completes itself.
    CHECK(offered(folder, "farfield check stu", 2) == "\n");
}

TEST_CASE("completions of every shell have each command") {
    const Folder folder;
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const Done done = folder.farfield({"completions", shell});
        CHECK(done.status == 0);
        for (const char* command : {"run", "safe-length", "completions", "status"})
            CHECK(done.output.find(command) != std::string::npos);
    }
    const Done unknown = folder.farfield({"completions", "fishy"});
    CHECK(unknown.status == 2);
    CHECK(unknown.error.find("Did you mean 'fish'?") != std::string::npos);
}

TEST_CASE("zsh has the description of each option, with the marks that it reads itself behind backslashes") {
    const std::string text = Folder().farfield({"completions", "zsh"}).output;
    CHECK(text.find("--output=[a .npy file for the logits, float32 \\[tokens, vocabulary\\]]:value:_files'") !=
          std::string::npos);
    CHECK(text.find("--with=[further schemes in the same figure]:value: _sequence compadd - alibi ") !=
          std::string::npos);
    CHECK(text.find("--scheme=[the position scheme of every layer; default\\: the file'\\''s own]:value:(alibi ") !=
          std::string::npos);
}

TEST_CASE("fish has options by their short and long names, and a value where they take one") {
    const std::string text = Folder().farfield({"completions", "fish"}).output;
    const std::string check = "complete -c farfield -n '__fish_seen_subcommand_from check' ";
    CHECK(text.find("\n" + check + "-l only -r -d '") != std::string::npos);
    CHECK(text.find("\n" + check + "-l json -d '") != std::string::npos);
    CHECK(text.find(" -l help -s h -d '") != std::string::npos);
    CHECK(text.find("-l in -x -a 'double float fp16 bf16 e4m3 e5m2' -d 'number system of --cuda") != std::string::npos);
    CHECK(text.find("-l of -x -a '(__fish_complete_list , '\\''printf %s\\\\n curve profile expectation'\\'')' -d") !=
          std::string::npos);
}
