// Tasks, shards, the store and Slurm, whose commands are scripts here.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_program.hpp"

using run_program::Done;
using run_program::Folder;
using run_program::lines_of;

namespace {

using Words = std::vector<std::string>;
using Json = nlohmann::json;

// Two trainings, and what is measured of both: a join of two chains.
const std::string text =
    "[corpus.c]\nbuiltin = 'urn'\nsymbols = 4\n[model.m]\nlayers = 1\nheads = 1\nwidth = 8\n"
    "[train.t]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 8\nbatch = 2\nsteps = 2\nseeds = [3, 5]\n"
    "[quantity.p]\nkind = 'perplexity'\nof = 't'\nlengths = [8]\nsegments = 4\n"
    "[[claim]]\nid = 'A'\nsays = 's'\nexpect = 'reproduced'\nholds = 'p.nll[8] > 0'\n";

std::vector<Json> objects_of(const std::string& output) {
    std::vector<Json> objects;
    for (const std::string& line : lines_of(output)) objects.push_back(Json::parse(line));
    return objects;
}

Words joined(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

struct Study : Folder {
    Study() { write("s.toml", text); }
    Done with(const Words& words, const std::string& store = "st") const {
        return farfield(joined(words, {"--store", store}));
    }
    Done shard(const std::string& which) const { return with({"run", "s.toml", "--shard", which}); }
    Done status(const Words& more = {}) const { return with(joined({"status", "s.toml"}, more)); }
    /// The last line of what is printed.
    static std::string last(const Done& done) { return lines_of(done.output).back(); }
    void make_executable(const std::string& name, const std::string& script) const {
        write(name, "#!/bin/sh\n" + script);
        std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
    }
};

bool has(const std::string& whole, const std::string& part) {
    return whole.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("tasks are listed with what they need, as a table, for programs, and by plans of shards") {
    const Study study;
    const std::vector<Json> tasks = objects_of(study.with({"tasks", "s.toml", "--json"}).output);
    REQUIRE(tasks.size() == 3);
    CHECK(tasks[0]["name"] == "t, seed 3");
    CHECK(tasks[2]["name"] == "p");
    CHECK(tasks[2]["needs"] == Json::array({tasks[0]["id"], tasks[1]["id"]}));
    for (const Json& task : tasks) {
        CHECK(task["done"] == false);
        CHECK(task["study"] == "s");
        CHECK(task["cost"]["seconds"] > 0);
        CHECK(task["cost"]["bytes"] > 0);
    }
    const Words table = lines_of(study.with({"tasks", "s.toml"}).output);
    REQUIRE(table.size() == 4);
    CHECK(table[0].starts_with(tasks[0]["id"].get<std::string>().substr(0, 12) + " "));
    CHECK(table[2].ends_with("s: p"));
    CHECK(table[3].starts_with("3 tasks, 0 done; the others take about "));
    const Words plans = lines_of(study.with({"tasks", "s.toml", "--shards", "1,2,3"}).output);
    REQUIRE(plans.size() == 4);
    for (std::size_t i = 1; i < plans.size(); ++i) CHECK(has(plans[i], " " + std::to_string(i) + " "));
    CHECK(plans[1].ends_with(" 0%"));  // one core is never idle
    CHECK(plans[3].ends_with("%"));
    CHECK_FALSE(plans[3].ends_with(" 0%"));
    for (const char* wrong : {"0", "1,", "x", "1000001", "-1", "1,,2"}) {
        INFO(wrong);
        CHECK(study.with({"tasks", "s.toml", "--shards=" + std::string(wrong)}).status == 2);
    }
    CHECK(study.with({"tasks", "s.toml", "--shards", "1000000"}).status == 0);
    CHECK(study.with({"tasks"}).status == 2);
    // Of a folder, only --train includes trained models.
    study.write("many/s.toml", text);
    const Done one = study.with({"tasks", "many"});
    CHECK(one.output == "0 tasks\n");
    CHECK(has(one.error, "warning: 1 quantity needs trained models and is left out; --train includes them"));
    CHECK(has(study.with({"tasks", "many", "--train"}).output, "3 tasks, 0 done"));
    study.write("many/s.toml", text + "[quantity.p2]\nkind = 'perplexity'\nof = 't'\nlengths = [4]\n");
    CHECK(has(study.with({"tasks", "many"}).error,
              "warning: 2 quantities need trained models and are left out; --train includes them"));
}

TEST_CASE("shards compute a study together, and the one that ends last computes what joins them") {
    const Study study;
    const Done none = study.status({"--shards", "2"});
    CHECK(none.status == 3);
    CHECK(has(none.output, "2 shards: 2 open; "));
    const Done first = study.shard("0/2");
    CHECK(first.status == 0);
    CHECK(first.output ==
          "1 of 2 tasks are done, 1 by this run\n1 wait for other shards; whichever finishes last computes them\n");
    const Done half = study.status({"--shards", "2"});
    CHECK(half.status == 3);
    CHECK(has(half.output, "shard     0  open           1 of 2 tasks"));
    CHECK(has(half.output, "shard     1  open           0 of 1 tasks"));
    CHECK_FALSE(has(half.output, "status 0"));  // only the status of a failure is shown
    CHECK(Study::last(half).starts_with("3 tasks: 1 done, about "));
    // The time left is as long as that of the same training on record.
    for (const auto& [seconds, left] :
         {std::pair("0.9", "about 0.9 s left"), std::pair("8640000", "about 100 days 0 h left"),
          std::pair("259140", "about 2 days 23 h left")}) {
        for (const std::string& file : study.files("st/models")) {
            if (!file.ends_with(".json")) continue;
            Json record = Json::parse(study.read(file));
            record["seconds"] = Json::parse(seconds);
            study.write(file, record.dump() + "\n");
        }
        CHECK(has(study.status({"--shards", "2"}).output, left));
    }
    const Done second = study.shard("1/2");
    CHECK(second.status == 0);
    CHECK(second.output == "1 of 1 tasks are done, 2 by this run\n");
    const Done all = study.status({"--shards", "2"});
    CHECK(all.status == 0);
    CHECK(has(all.output, "2 shards: 2 done; about 0 s left"));
    CHECK(Study::last(all) == "3 tasks: 3 done, about 0 s of one core left");
    CHECK(study.shard("0/2").output == "2 of 2 tasks are done, 0 by this run\n");
    for (const Json& task : objects_of(study.with({"tasks", "s.toml", "--json"}).output)) CHECK(task["done"] == true);
    // The run finds all of it.
    const Done run = study.with({"run", "s.toml"});
    CHECK(run.status == 0);
    CHECK(has(run.output, "reproduced"));
    for (const char* wrong : {"2/2", "0/0", "0", "/2", "0/2/3", "a/2", "0/1000001", ""}) {
        INFO(wrong);
        CHECK(study.with({"run", "s.toml", "--shard=" + std::string(wrong)}).status == 2);
    }
}

TEST_CASE("times of tasks are in seconds, minutes, hours or days, and of what is done none is left") {
    const Study study;
    for (const char* steps : {"2", "300000", "1000000", "50000000", "1000000000"}) {
        INFO(steps);
        const Words set = {"s.toml", "--set", std::string("train.t.steps=") + steps};
        const double seconds = objects_of(study.with(joined({"tasks", "--json"}, set)).output)[0]["cost"]["seconds"];
        const long long minutes = std::llround(seconds / 60);
        const std::string text =
            seconds < 60   ? " s "
            : minutes < 60 ? " " + std::to_string(minutes) + " min "
            : minutes < 2880
                ? " " + std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min "
                : " " + std::to_string(minutes / 1440) + " days " + std::to_string(minutes % 1440 / 60) + " h ";
        CHECK(has(lines_of(study.with(joined({"tasks"}, set)).output)[0], text));
    }
    REQUIRE(study.shard("0/2").status == 0);
    CHECK(has(Study::last(study.with({"tasks", "s.toml"})), "3 tasks, 1 done; the others take about "));
    for (const Done& done : {study.with({"tasks", "s.toml"}), study.status(), study.status({"--shards", "2"})})
        CHECK_FALSE(has(Study::last(done), "about -"));
    REQUIRE(study.shard("1/2").status == 0);
    CHECK(Study::last(study.with({"tasks", "s.toml"})) == "3 tasks, 3 done; the others take about 0 s of one core");
}

TEST_CASE("a task is computed by its id") {
    const Study study;
    const std::vector<Json> tasks = objects_of(study.with({"tasks", "s.toml", "--json"}).output);
    const Done done = study.with({"run", "s.toml", "--task", tasks[1]["id"]});
    CHECK(done.status == 0);
    CHECK(done.output == "1 of 1 tasks are done, 1 by this run\n");
    const std::vector<Json> after = objects_of(study.with({"tasks", "s.toml", "--json"}).output);
    CHECK((after[0]["done"] == false && after[1]["done"] == true && after[2]["done"] == false));
    const Done wrong = study.with({"run", "s.toml", "--task", "0123"});
    CHECK(wrong.status == 2);
    CHECK(has(wrong.error, "no task has the id '0123'"));
}

TEST_CASE("the store is listed and verified, damage is removed and computed again") {
    const Study study;
    CHECK(study.with({"store", "ls"}).status == 2);  // there is none yet
    REQUIRE(study.shard("0/1").status == 0);
    const std::vector<Json> entries = objects_of(study.with({"store", "ls", "--json"}).output);
    REQUIRE(entries.size() == 3);
    CHECK(std::count_if(entries.begin(), entries.end(), [](const Json& each) { return each["kind"] == "training"; }) ==
          2);
    for (const Json& entry : entries) {
        CHECK(entry["finished"] == true);
        CHECK(entry["record"]["id"] == entry["id"]);
        CHECK(entry["bytes"] > 0);
    }
    const Words listed = lines_of(study.with({"store", "ls"}).output);
    REQUIRE(listed.size() == 4);
    CHECK(listed[3].starts_with("3 entries, "));
    // Digits of the id, size, seconds taken, host.
    for (std::size_t i = 0; i < 3; ++i)
        CHECK_THAT(listed[i], Catch::Matches("[0-9a-f]{12} +[0-9]+ KiB +[0-9.e-]+ s .*"));
    // A time that is not on record is not shown.
    for (const std::string& file : study.files("st/models")) {
        if (!file.ends_with(".json")) continue;
        const std::string text = study.read(file);
        Json record = Json::parse(text);
        record["seconds"] = 0;
        study.write(file, record.dump() + "\n");
        CHECK_FALSE(has(study.with({"store", "ls"}).output, " 0 s "));
        study.write(file, text);
    }
    CHECK(study.with({"store", "verify"}).output == "3 entries, 0 damaged\n");
    CHECK(study.with({"store", "verify"}).status == 0);
    const auto found = study.files("st/quantities");
    REQUIRE(found.size() == 1);
    study.write(found[0], study.read(found[0]) + "x");
    const Done damaged = study.with({"store", "verify"});
    CHECK(damaged.status == 1);
    CHECK(has(damaged.output, found[0].substr(found[0].size() - 64) + ": its contents are not what its digest says\n"));
    CHECK(has(damaged.output, "\n3 entries, 1 damaged; "));
    CHECK(has(study.with({"store", "gc"}).output, "\n1 files removed\n"));
    CHECK(study.with({"store", "gc"}).output == "0 files removed\n");
    CHECK(study.files("st/quantities").empty());
    CHECK(study.shard("0/1").output == "3 of 3 tasks are done, 1 by this run\n");
    CHECK(study.with({"store", "sl"}).status == 2);
    CHECK(study.with({"store"}).status == 2);
}

TEST_CASE("results of another program are kept until they are asked to go") {
    const Study study;
    REQUIRE(study.shard("0/1").status == 0);
    const std::string file = study.files("st/quantities").at(0);
    const std::string entry = study.read(file);
    const std::size_t at = entry.find("\"program\":\"") + 11;
    study.write(file, entry.substr(0, at) + "0" + entry.substr(at));
    CHECK(study.with({"store", "verify"}).status == 0);
    CHECK(study.with({"store", "gc"}).output == "0 files removed\n");
    const Done gone = study.with({"store", "gc", "--other-programs"});
    CHECK(has(gone.output, ": computed by 0"));
    CHECK(has(gone.output, "\n1 files removed\n"));
    CHECK(study.files("st/models").size() == 4);  // models depend on no version
}

TEST_CASE("results go from one store into another by a file") {
    const Study study;
    CHECK(study.with({"store", "export", "s.toml", "-o", "none.tar"}).status == 2);  // there is no store yet
    REQUIRE(study.shard("0/1").status == 0);
    const Done exported = study.with({"store", "export", "s.toml", "-o", "all.tar"});
    CHECK(exported.status == 0);
    CHECK(exported.output == "all.tar: 3 of 3 tasks\n");
    CHECK_FALSE(study.has("all.tar.names"));
    CHECK_FALSE(study.has("all.tar.partial"));
    const Done imported = study.with({"store", "import", "all.tar"}, "other");
    CHECK(imported.error.empty());
    CHECK(imported.status == 0);
    CHECK(imported.output == "3 entries imported\n");
    CHECK(study.with({"status", "s.toml"}, "other").status == 0);
    CHECK(study.files("other").size() == 5);
    CHECK(study.with({"store", "export", "s.toml"}).status == 2);
    CHECK(study.with({"store", "export", "-o", "x.tar"}).status == 2);
    CHECK(study.with({"store", "import"}, "other").status == 2);
    CHECK(study.with({"store", "import", "absent.tar"}, "other").status == 2);
    CHECK(study.with({"store", "import", "all.tar", "s.toml"}, "other").status == 2);
    study.write("no.tar", "no archive");
    CHECK(study.with({"store", "import", "no.tar"}, "third").status == 3);
}

TEST_CASE("submit hands the shards that are missing to Slurm, and status asks it for them") {
    const Study study;
    study.make_executable("bin/sbatch", "echo \"$@\" >> \"" + study.path("asked") + "\"; echo '17;here'\n");
    study.make_executable("bin/scontrol", "echo \"$@\" >> \"" + study.path("control") + "\"\n");
    study.make_executable("bin/squeue", "cat \"" + study.path("queue") + "\"\n");
    study.write("queue", "17_0 PENDING\n17_1 RUNNING\n");
    const std::string before = std::getenv("PATH");
    ::setenv("PATH", (study.path("bin") + ":" + before).c_str(), 1);
    const Words command = {"submit", "slurm", "s.toml", "--shards", "2", "--store", "st", "--time", "10"};
    const Done done = study.farfield(joined(command, {"--set", "train.t.steps=3", "--", "--partition=x"}));
    CHECK(done.status == 0);
    CHECK(has(done.output, "job 17: 2 of 2 shards; "));
    CHECK(has(done.output, "follow it:   farfield status '"));
    const std::string asked = study.read("asked");
    for (const char* word :
         {"--parsable", "--hold", "--array=0,1 ", "--time=10", "--partition=x", "/%a.log", "job.sh\n"}) {
        INFO(word);
        CHECK(has(asked, word));
    }
    CHECK(study.read("control") == "release 17\n");
    std::string script;
    for (const std::string& file : study.files("st/shards"))
        if (file.ends_with("job.sh")) script = study.read(file);
    CHECK(has(script, "'" + study.path("s.toml") + "'"));
    CHECK(has(script, "--set 'train.t.steps=3' --shard \"$SLURM_ARRAY_TASK_ID/2\""));
    const Words selection = {"--set", "train.t.steps=3", "--shards", "2"};
    const Done waiting = study.status(selection);
    CHECK(has(waiting.output, "shard     0  waiting "));
    CHECK(has(waiting.output, "shard     1  running "));
    CHECK(has(waiting.output, "job 17_0\n"));
    CHECK(has(waiting.output, "2 shards: 1 running, 1 waiting; "));
    // What is in the queue or running is not submitted again; a lost one is.
    const Words again = joined(command, {"--set", "train.t.steps=3"});
    const Done nothing = study.farfield(again);
    CHECK(nothing.output == "2 shards are in the queue or running\nnothing else is missing\n");
    study.write("queue", "17_0 RUNNING\n");
    const Words single = {"submit", "slurm", "s.toml", "--shards", "1", "--store", "st", "--set", "train.t.steps=3"};
    CHECK(has(study.farfield(single).output, "job 17: 1 of 1 shards; "));
    CHECK(study.farfield(single).output == "1 shard is in the queue or running\nnothing else is missing\n");
    study.write("queue", "17_1 RUNNING\n");
    CHECK(has(study.status(selection).output, "shard     0  lost "));
    CHECK(has(study.farfield(again).output, "job 17: 1 of 2 shards; "));
    CHECK(has(study.read("asked"), "--array=0 "));
    study.make_executable("bin/sbatch", "exit 1\n");
    study.write("queue", "");
    const Done failed = study.farfield(again);
    CHECK(failed.status == 3);
    CHECK(has(failed.error, "it ended with status 1"));
    ::setenv("PATH", before.c_str(), 1);
    CHECK(study.farfield({"submit", "pbs", "s.toml", "--shards", "2"}).status == 2);
    CHECK(study.farfield({"submit", "slurm", "s.toml", "--shards", "0"}).status == 2);
    CHECK(study.farfield({"submit", "slurm"}).status == 2);
    const auto is_refused = [&](const std::string& limit) {
        const Done answer = study.farfield(joined(single, {"--time=" + limit}));
        return answer.status == 2 && has(answer.error, "--time has '" + limit + "'; expected ");
    };
    for (const char* limit :
         {"-5", "5-", "-", "1h", "1:", ":1", "1::2", "1:2:3:4", "1-2:3:4:5", "1-2-3", "1.5", " 5"}) {
        INFO(limit);
        CHECK(is_refused(limit));
    }
    for (const char* limit : {"90", "90:30", "1:30:00", "1-12", "1-12:30", "1-12:30:15"}) {
        INFO(limit);
        CHECK_FALSE(is_refused(limit));
    }
}
