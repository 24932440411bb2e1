// Many studies in one call.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "cli/run_program.hpp"

using run_program::Done;
using run_program::Folder;
using run_program::replaced;
using run_program::study;

TEST_CASE("studies side by side print and write what they do one after the other, failures in their place") {
    const Folder folder;
    for (int i = 0; i < 12; ++i) {
        const std::string number = std::to_string(i);
        std::string text = replaced(study, "-n/2", "-n/" + std::to_string(i + 1));
        text = replaced(text, "T-1", "T-" + number);
        // One without a value, one that is not as expected, and some that take longer than what follows.
        if (i == 3) text = replaced(text, "-n/4", "log(-n)");
        if (i == 5) text = replaced(text, "'confirmed'", "'refuted'");
        if (i % 4 == 0) text = replaced(text, "-n/", "0*sum(i, 1, 3e5, sin(i + n))-n/");
        folder.write("all/s" + std::to_string(10 + i) + ".toml", text);
    }
    const auto run = [&](const std::string& command, const std::string& threads) {
        std::vector<std::string> arguments = {command, "all", "--fresh", "--threads", threads};
        if (command == "run") arguments.insert(arguments.end(), {"-o", "out" + threads});
        return folder.farfield(arguments);
    };
    const Done alone = run("check", "1");
    CHECK(alone.status == 2);
    CHECK(alone.output.find("T-11") != std::string::npos);
    for (const char* threads : {"2", "5", "32"}) {
        const Done beside = run("check", threads);
        CHECK(beside.status == alone.status);
        CHECK(beside.output == alone.output);
        CHECK(beside.error == alone.error);
    }
    CHECK(run("run", "1").output == run("run", "4").output);
    for (const std::string& file : folder.files("out1"))
        if (file.ends_with(".csv")) CHECK(folder.read(file) == folder.read(replaced(file, "out1", "out4")));
    CHECK(folder.files("out1").size() == folder.files("out4").size());
}
