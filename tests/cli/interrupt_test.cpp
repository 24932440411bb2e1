// Ctrl-C while a model is trained, in steps of more than half a second.
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "cli/run_program.hpp"
#include "support/trials.hpp"

using run_program::Done;
using run_program::Folder;

namespace {

using Clock = std::chrono::steady_clock;

/// Batches are added up for a step: some milliseconds each, whatever the processor.
std::string study_of(std::size_t steps, std::size_t accumulate) {
    return "[corpus.c]\nbuiltin = 'urn'\n[model.m]\nlayers = 2\nheads = 2\nwidth = 64\n"
           "[train.t]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 64\nbatch = 8\nsteps = " +
           std::to_string(steps) + "\naccumulate = " + std::to_string(accumulate) +
           "\n[quantity.ppl]\nkind = 'perplexity'\nof = 't'\nlengths = [8]\nsegments = 4\n";
}

/// Seconds of processor time that the process took so far.
double cpu_seconds(pid_t process) {
    std::ifstream stream("/proc/" + std::to_string(process) + "/stat");
    std::stringstream text;
    text << stream.rdbuf();
    const std::string line = text.str();
    if (line.empty()) return 0;
    std::istringstream fields(line.substr(line.rfind(')') + 2));
    std::string field;
    for (int skipped = 0; skipped < 11; ++skipped) fields >> field;
    double user = 0, system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

template <class Condition>
bool comes_true(const Condition& condition) {
    for (int tries = 0; tries < 6000; ++tries) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

/// The program starts in hundredths of a second: with this much time taken, it is in its first step.
bool is_training(pid_t process) {
    return comes_true([process] { return cpu_seconds(process) > 0.3; });
}

bool has_said(const Folder& folder, const std::string& text) {
    return comes_true([&] { return folder.read("error").find(text) != std::string::npos; });
}

std::vector<std::string> checkpoints(const Folder& folder, const std::string& below) {
    std::vector<std::string> found;
    for (const std::string& file : folder.files(below))
        if (file.ends_with(".safetensors")) found.push_back(file);
    return found;
}

}  // namespace

TEST_CASE("an interruption or a lost connection waits for the running step of a training and keeps it") {
    const int signal = GENERATE(SIGINT, SIGHUP);
    const Folder folder;
    folder.write("t.toml", study_of(2, farfield::tests::is_sanitized ? 200 : 900));  // a second or two for a step
    const std::vector<std::string> command = {"run", "t.toml", "--no-figures"};
    const pid_t process = folder.start(command);
    REQUIRE(is_training(process));
    const auto asked = Clock::now();
    kill(process, signal);
    const Done done = folder.finish(process);
    // Otherwise this shows nothing: half a second is what other work has to stop.
    REQUIRE(Clock::now() - asked > std::chrono::milliseconds(500));
    CHECK(done.status == 130);
    CHECK(done.error ==
          "interrupted; waiting for the running training step and its checkpoint; Ctrl-C again stops at once\n"
          "interrupted; what was finished is kept\n");
    const std::vector<std::string> kept = checkpoints(folder, "cache");
    REQUIRE(kept.size() == 1);
    CHECK(folder.read(kept.front()).find("\"steps\":\"1\"") != std::string::npos);
    // It is taken up there, and ends as one that was never interrupted.
    CHECK(folder.farfield(command).status == 0);
    CHECK(folder.farfield({"run", "t.toml", "--no-figures", "--cache", "other"}).status == 0);
    const std::vector<std::string> whole = checkpoints(folder, "other");
    REQUIRE(whole.size() == 1);
    const std::vector<std::string> finished = checkpoints(folder, "cache");
    REQUIRE(finished.size() == 1);
    CHECK(finished != kept);
    CHECK(folder.read(finished.front()) == folder.read(whole.front()));
}

TEST_CASE("a second interruption ends a training at once and says what is lost") {
    const Folder folder;
    folder.write("t.toml", study_of(2, 20000));  // a minute and more
    for (const int signal : {SIGINT, SIGTERM}) {
        const pid_t process = folder.start({"run", "t.toml"});
        REQUIRE(is_training(process));
        kill(process, SIGINT);
        REQUIRE(has_said(folder, "Ctrl-C again stops at once\n"));
        kill(process, signal);
        const Done done = folder.finish(process);
        CHECK(done.status == 130);
        CHECK(done.error ==
              "interrupted; waiting for the running training step and its checkpoint; Ctrl-C again stops at once\n"
              "interrupted again; stopped at once; lost: the running step of a training\n");
    }
}
