// `run --watch`: which saves start a run.
#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>

#include "cli/run_program.hpp"

using run_program::Folder;
using run_program::replaced;
using run_program::study;

TEST_CASE("--watch runs again at a save, after mistakes too, and ends at an interruption") {
    const Folder folder;
    folder.write("s.toml", study);
    const pid_t process = folder.start({"run", "s.toml", "--watch", "--no-figures", "--cache", "c"});
    const auto wait_for = [&](const std::string& file, const std::string& text) {
        for (int tries = 0; tries < 3000 && folder.read(file).find(text) == std::string::npos; ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return folder.read(file).find(text) != std::string::npos;
    };
    CHECK(wait_for("output", "T-1        confirmed"));
    folder.write("s.toml", "[study");
    CHECK(wait_for("error", "s.toml:1:"));
    folder.write("s.toml", replaced(study, "-n/2", "n/2"));
    CHECK(wait_for("output", "T-1        refuted"));
    CHECK(folder.read("results/s/results.json").find("\"verdict\": \"refuted\"") != std::string::npos);
    ::kill(process, SIGINT);
    // Of the last run, whose verdict was not the one on record.
    CHECK(folder.finish(process).status == 1);
}

TEST_CASE("--watch runs once while nothing is saved, and again if a table outside the folder is") {
    const Folder folder;
    const std::string text =
        "[study]\ntitle = 'T'\n[quantity.t]\nkind = 'table'\nfile = '../x.csv'\n"
        "[[claim]]\nid = 'T-1'\nsays = 'one'\nsource = 's'\nholds = \"t['r', 'a'] == 1\"\n";
    folder.write("x.csv", "name,a\nr,1\n");
    folder.write("in/s.toml", text);
    // Neither the new folder of results nor the output, which is in a file next to the study, counts as a save.
    const pid_t process = folder.start({"run", "in", "--watch", "--no-figures", "--cache", "in/c", "-o", "in/out"});
    const auto runs = [&] {
        const std::string output = folder.read("output");
        std::size_t count = 0;
        for (std::size_t at = output.find("1 claim:"); at != std::string::npos; at = output.find("1 claim:", at + 1))
            ++count;
        return count;
    };
    const auto wait_for_runs = [&](std::size_t count) {
        for (int tries = 0; tries < 3000 && runs() < count; ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return runs();
    };
    CHECK(wait_for_runs(1) == 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    CHECK(runs() == 1);
    folder.write("x.csv", "name,a\nr,2\n");
    CHECK(wait_for_runs(2) == 2);
    ::kill(process, SIGINT);
    CHECK(folder.finish(process).status == 1);
}
