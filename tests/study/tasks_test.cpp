// The tasks of studies, and what shards keep of themselves.
#include "study/tasks.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <farfield/checkpoint/checkpoint.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "study/shard_state.hpp"
#include "study/store.hpp"
#include "study/study_support.hpp"

using namespace study_support;
using study::Task;
using Names = std::vector<std::string>;

namespace {

const std::string models =
    "[corpus.c]\nbuiltin = 'urn'\nsymbols = 4\n[model.m]\nlayers = 1\nheads = 1\nwidth = 8\n"
    "[train.t]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 8\nbatch = 2\nsteps = 2\nseeds = [3, 5]\n";
const std::string perplexity = "[quantity.p]\nkind = 'perplexity'\nof = 't'\nlengths = [8]\nsegments = 4\n";
const std::string field = "[quantity.f]\nkind = 'gradient-field'\nof = 't'\nlength = 8\ncontexts = 1\n";

// About 2e9 operations; a task is a second of 1e9.
const std::string slow = "kind = 'value'\nformula = 'sum(i, 1, 2e9, i)'\n";
const std::string quick = "kind = 'value'\nformula = 'sum(i, 1, 2e3, i)'\n";

/// Studies in files of their own, and their tasks.
struct Listed {
    Listed(const Names& texts, const study::Options& options, model::Footprints* footprints) {
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const std::string name = "s" + std::to_string(i);
            folder.write(name + ".toml", texts[i]);
            studies.push_back(study::read({folder.path(name + ".toml"), name, true}, options));
        }
        tasks = study::list_tasks(studies, options, footprints);
    }

    Folder folder;
    std::vector<study::Study> studies;
    std::vector<Task> tasks;
};

Listed list(const Names& texts, const study::Options& options = {}, model::Footprints* footprints = nullptr) {
    return Listed(texts, options, footprints);
}

Listed list_with_memory(const Names& texts) {
    model::Footprints footprints;
    return list(texts, {}, &footprints);
}

Names names_of(const std::vector<Task>& tasks) {
    Names names;
    for (const Task& task : tasks) names.push_back(task.name);
    return names;
}

}  // namespace

TEST_CASE("a task over a checkpoint costs the passes through that model, with their attention") {
    const std::string file = FARFIELD_SOURCE "/tests/fuzz/corpus/checkpoint/sentences.gguf";
    const checkpoint::Checkpoint header(file);
    const auto text = [](const std::string& length) {
        return "[quantity.l" + length + "]\nkind = 'loss-by-position'\nof = 'c'\nsegments = 3\nlength = " + length +
               "\n";
    };
    const Listed listed = list({"[corpus.kjv]\nbuiltin = 'kjv'\n[checkpoint.c]\ncorpus = 'kjv'\nfile = '" + file +
                                "'\n" + text("8") + text("16")});
    REQUIRE(names_of(listed.tasks) == Names{"l8", "l16"});
    // Of the reference core; one operation is that of starting.
    const double rate = 7.5e10;
    CHECK(listed.tasks[0].seconds == Approx((3 * checkpoint::forward_steps(header, 8) + 1) / rate).epsilon(1e-12));
    CHECK(listed.tasks[1].seconds == Approx((3 * checkpoint::forward_steps(header, 16) + 1) / rate).epsilon(1e-12));
}

TEST_CASE("trainings and their measurements are tasks, dependencies first") {
    const Listed listed = list({models + perplexity + field});
    REQUIRE(names_of(listed.tasks) == Names{"t, seed 3", "t, seed 5", "p", "f"});
    const std::vector<Task>& tasks = listed.tasks;
    CHECK(tasks[0].needs.empty());
    CHECK(tasks[1].needs.empty());
    CHECK(tasks[2].needs == std::vector<std::size_t>{0, 1});
    CHECK(tasks[3].needs == std::vector<std::size_t>{0, 1});
    CHECK((tasks[0].kind == "training" && tasks[0].training == "t" && tasks[0].seed == 3 && tasks[1].seed == 5));
    CHECK((tasks[2].kind == "perplexity" && tasks[2].training.empty()));
    for (const Task& task : tasks) {
        INFO(task.name);
        CHECK(task.seconds > 0);
        CHECK(task.id.size() == 64);
        CHECK_FALSE(task.done);
        CHECK_FALSE(task.bytes);
        CHECK(task.study == 0);
    }
    // A step of a batch takes some 0.2 ms beside its operations, of which there are some thousands here.
    CHECK(tasks[0].seconds == Approx(2 * 2e-4).epsilon(0.05));
    // Each batch of a step takes that.
    const Listed batches = list({models + "accumulate = 8\n" + perplexity});
    CHECK(batches.tasks[0].seconds == Approx(2 * 8 * 2e-4).epsilon(0.05));
    CHECK(list({models}).tasks.empty());
}

TEST_CASE("a result that several studies need is one task, of the first of these studies") {
    const Listed listed = list({models + perplexity, models + field, models + perplexity});
    CHECK(names_of(listed.tasks) == Names{"t, seed 3", "t, seed 5", "p", "f"});
    CHECK(listed.tasks[2].study == 0);
    CHECK(listed.tasks[3].study == 1);
    CHECK(listed.tasks[3].needs == std::vector<std::size_t>{0, 1});
    // Of any number of seeds, each measurement needs those of its training.
    const std::string seeds = models.substr(0, models.find("seeds")) + "seeds = [1, 2, 3, 4]\n";
    const Listed four = list({seeds + perplexity + field, seeds + field});
    REQUIRE(names_of(four.tasks) == Names{"t, seed 1", "t, seed 2", "t, seed 3", "t, seed 4", "p", "f"});
    for (const std::size_t i : {4, 5}) CHECK(four.tasks[i].needs == std::vector<std::size_t>{0, 1, 2, 3});
    const Listed other = list({models + perplexity, models + "decay = 0.5\n" + perplexity});
    CHECK(other.tasks.size() == 6);
    CHECK(other.tasks[5].needs == std::vector<std::size_t>{3, 4});
}

TEST_CASE("formulas of a second or more are tasks, and dependencies on quicker quantities pass to what these read") {
    CHECK(names_of(list({"[quantity.a]\n" + slow + "[quantity.b]\n" + quick}).tasks) == Names{"a"});
    // A resolution is too quick to be a task, and what it reads is one.
    const auto text = [](const std::string& last) {
        return "[quantity.row]\nkind = 'curve'\nformula = 'sum(i, 1, 1e6, n)'\ndistances = { to = " + last +
               " }\n[quantity.r]\nkind = 'resolution'\nof = 'row'\nN = 4\n";
    };
    const Listed longer = list({text("3999")});
    const Listed shorter = list({text("1999")});
    REQUIRE(names_of(longer.tasks) == Names{"row"});
    REQUIRE(names_of(shorter.tasks) == Names{"row"});
    CHECK(shorter.tasks[0].seconds >= 2);  // at least an operation each of 2e9 numbers
    CHECK(longer.tasks[0].seconds == Approx(2 * shorter.tasks[0].seconds).epsilon(1e-6));
    study::Options options;
    options.only = {"r"};
    CHECK(names_of(list({text("1999")}, options).tasks) == Names{"row"});
    options.only = {"none"};
    CHECK(list({"[quantity.none]\n" + quick + "[quantity.a]\n" + slow}, options).tasks.empty());
}

TEST_CASE("quantities that need models are not tasks of a folder's study without --train, and are counted") {
    const Folder folder;
    folder.write("s.toml", models + perplexity + field + "[quantity.a]\n" + slow);
    const auto counted = [&](bool named, const study::Options& options) {
        const std::vector<study::Study> studies = {study::read({folder.path("s.toml"), "s", named}, options)};
        const Names names = names_of(study::list_tasks(studies, options));
        return std::pair(study::waiting_for_training(studies, options), names);
    };
    study::Options options;
    CHECK(counted(false, options) == std::pair(std::size_t{2}, Names{"a"}));
    CHECK(counted(true, options) == std::pair(std::size_t{0}, Names{"t, seed 3", "t, seed 5", "p", "f", "a"}));
    options.only = {"a", "p"};
    CHECK(counted(false, options) == std::pair(std::size_t{1}, Names{"a"}));
    options.train = true;
    CHECK(counted(false, options) == std::pair(std::size_t{0}, Names{"t, seed 3", "t, seed 5", "p", "a"}));
}

TEST_CASE("a quantity that depends on the number of threads is not a task") {
    const Listed listed = list({models + perplexity + "[quantity.time]\nkind = 'timing'\nof = 't'\nlengths = [8]\n"});
    CHECK(names_of(listed.tasks) == Names{"t, seed 3", "t, seed 5", "p"});
}

TEST_CASE("tasks have their memory if it is requested, and a measurement has that of all models at once") {
    const Listed listed = list_with_memory({models + perplexity});
    REQUIRE(listed.tasks.size() == 3);
    for (const Task& task : listed.tasks) REQUIRE(task.bytes);
    CHECK(*listed.tasks[0].bytes > 0);
    CHECK(*listed.tasks[0].bytes == *listed.tasks[1].bytes);
    // Ten seeds in place of two: eight models more.
    const Listed more =
        list_with_memory({models.substr(0, models.find("seeds")) + "seeds = [1,2,3,4,5,6,7,8,9,10]\n" + perplexity});
    const Listed three = list_with_memory({models.substr(0, models.find("seeds")) + "seeds = [1,2,3]\n" + perplexity});
    CHECK(*more.tasks[0].bytes == *listed.tasks[0].bytes);
    const double one = *three.tasks[3].bytes - *listed.tasks[2].bytes;
    CHECK(one > 0);
    CHECK(*more.tasks[10].bytes - *listed.tasks[2].bytes == Approx(8 * one));
}

TEST_CASE("the memory of a sweep is computed once for each shape, not for each training or measurement") {
    const auto swept = [](const std::string& sweep) {
        return models + "sweep = { " + sweep + " }\n[quantity.p]\nkind = 'perplexity'\nof = 't'\n" +
               "lengths = [8, 16, 32]\nsegments = 4\n";
    };
    // Of a step, and of the losses at three lengths.
    model::Footprints footprints;
    const Listed slopes = list({swept("delta = { from = 0, to = 39 }")}, {}, &footprints);
    REQUIRE(slopes.tasks.size() == 40 * 3);
    CHECK(footprints.computed() == 4);
    for (const Task& task : slopes.tasks) {
        INFO(task.name);
        CHECK(task.bytes == slopes.tasks[task.kind == "training" ? 0 : 2].bytes);
    }
    // A length of training is a shape of its own, also of what is measured: formulas may use it.
    const Listed lengths = list({swept("length = [8, 16], delta = { from = 0, to = 9 }")}, {}, &footprints);
    REQUIRE(lengths.tasks.size() == 20 * 3);
    CHECK(footprints.computed() == 4 + 4);
    CHECK(*lengths.tasks[0].bytes == *slopes.tasks[0].bytes);
    CHECK(*lengths.tasks[30].bytes > *slopes.tasks[0].bytes);
}

TEST_CASE("a large sweep has the tasks that its points have in smaller ones") {
    const auto swept = [](int from, int to) {
        return list_with_memory({models + "sweep = { delta = { from = " + std::to_string(from) +
                                 ", to = " + std::to_string(to) + " } }\n" + perplexity});
    };
    const Listed whole = swept(0, 79);
    const Listed first = swept(0, 39);
    const Listed second = swept(40, 79);
    REQUIRE(whole.tasks.size() == 80 * 3);
    for (std::size_t i = 0; i < whole.tasks.size(); ++i) {
        const Task& task = whole.tasks[i];
        INFO(task.name);
        const std::vector<Task>& part = i < 120 ? first.tasks : second.tasks;
        const auto same =
            std::find_if(part.begin(), part.end(), [&](const Task& each) { return each.name == task.name; });
        REQUIRE(same != part.end());
        CHECK((same->id == task.id && same->seconds == task.seconds && same->bytes == task.bytes));
        REQUIRE(same->needs.size() == task.needs.size());
        for (std::size_t j = 0; j < task.needs.size(); ++j)
            CHECK(part[same->needs[j]].id == whole.tasks[task.needs[j]].id);
    }
}

TEST_CASE("tasks are computed into the store, and are done then") {
    const Folder folder;
    study::Options options;
    options.cache = folder.path("store");
    Listed listed = list({models + perplexity + "[quantity.a]\n" + slow}, options);
    REQUIRE(names_of(listed.tasks) == Names{"t, seed 3", "t, seed 5", "p", "a"});
    const auto done = [&] {
        Names names;
        for (const Task& task : study::list_tasks(listed.studies, options))
            if (task.done) names.push_back(task.name);
        return names;
    };
    const auto compute = [&](std::vector<std::size_t> which) {
        std::vector<const Task*> tasks;
        for (const std::size_t i : which) tasks.push_back(&listed.tasks[i]);
        return study::run_tasks(listed.studies[0], tasks, options);
    };
    CHECK(done().empty());
    std::vector<std::pair<double, double>> told;
    options.progress = [&](const std::string& what, double at, double total) {
        if (what == "training") told.emplace_back(at, total);
    };
    const auto first = compute({1});
    CHECK((first.study == "s0" && first.file == listed.folder.path("s0.toml")));
    CHECK(first.quantities.empty());
    CHECK((first.missing.empty() && first.failed.empty() && first.warnings.empty() && !first.interrupted));
    CHECK(told == std::vector<std::pair<double, double>>{{0, 1}});
    CHECK(done() == Names{"t, seed 5"});
    // A measurement computes what it needs.
    const auto second = compute({2});
    CHECK(study_support::names_of(second) == Names{"p"});
    CHECK(done() == Names{"t, seed 3", "t, seed 5", "p"});
}

TEST_CASE("a task that the store cannot keep is missing, and a task after an interruption is not begun") {
    const Folder folder;
    folder.write("store/models", "a file where a folder would be");
    study::Options options;
    options.cache = folder.path("store");
    const Listed listed = list({models + perplexity}, options);
    const auto record = study::run_tasks(listed.studies[0], {&listed.tasks[0]}, options);
    REQUIRE(record.missing.size() == 1);
    CHECK(record.missing[0].first == "t, seed 3");
    CHECK(record.missing[0].second.starts_with("it was trained and not kept: "));
    options.cache = folder.path("other");
    options.interrupted = [] { return true; };
    const auto stopped = study::run_tasks(listed.studies[0], {&listed.tasks[0], &listed.tasks[2]}, options);
    CHECK(stopped.interrupted);
    CHECK(stopped.lost.empty());
    CHECK(stopped.quantities.empty());
    CHECK(study::finished_ids(options.cache).empty());
}

TEST_CASE("a plan's name depends on its tasks and the number of shards, not on their order") {
    const auto plan = [](const Names& ids, std::size_t count) {
        std::vector<Task> tasks;
        for (const std::string& id : ids) tasks.emplace_back().id = id;
        return study::plan_id(tasks, count);
    };
    CHECK(plan({"a", "b"}, 2) == plan({"b", "a"}, 2));
    CHECK(plan({"a", "b"}, 2).size() == 16);
    CHECK(std::set<std::string>{plan({"a", "b"}, 2), plan({"a", "b"}, 3), plan({"a"}, 2), plan({"ab"}, 2),
                                plan({"a", "c"}, 2), plan({}, 2)}
              .size() == 6);
}

TEST_CASE("the state of a shard is read back from the store; an unreadable state is missing") {
    const Folder folder;
    CHECK_FALSE(study::read_state(folder.path(), "plan", 3));
    for (const study::ShardState& state :
         {study::ShardState{"host", 17, "5_3", true, 4, "no room"}, study::ShardState{"h", 1, "", false, 0, ""}}) {
        study::write_state(folder.path(), "plan", 3, state);
        const auto read = study::read_state(folder.path(), "plan", 3);
        REQUIRE(read);
        CHECK((read->host == state.host && read->process == state.process && read->job == state.job));
        CHECK((read->ended == state.ended && read->status == state.status && read->reason == state.reason));
    }
    // On a full disk a state takes the place of the one before, which therefore has its size, whatever the reason.
    const std::size_t bytes = folder.read("shards/plan/3.json").size();
    study::write_state(folder.path(), "plan", 3, {"h", 1, "", true, 3, "first\nsecond"});
    CHECK(study::read_state(folder.path(), "plan", 3)->reason == "first");
    CHECK(folder.read("shards/plan/3.json").size() == bytes);
    study::write_state(folder.path(), "plan", 3, {"h", 1, "", true, 3, std::string(5000, 'x')});
    CHECK(study::read_state(folder.path(), "plan", 3)->reason == std::string(400, 'x'));
    CHECK(folder.read("shards/plan/3.json").size() == bytes);
    study::write_state(folder.path(), "plan", 3, {"h", 1, "", true, 3, std::string(399, 'x') + "\xc3\xa9"});
    CHECK(study::read_state(folder.path(), "plan", 3)->reason == std::string(399, 'x') + "\xef\xbf\xbd");
    CHECK_FALSE(study::read_state(folder.path(), "plan", 2));
    CHECK_FALSE(study::read_state(folder.path(), "other", 3));
    CHECK(folder.read("shards/plan/3.json").ends_with(" \n"));
    CHECK(study::plan_folder(folder.path(), "plan") == folder.path("shards/plan"));
    for (const char* text : {"", "{}", "{\"host\": 1}"}) {
        folder.write("shards/plan/3.json", text);
        CHECK_FALSE(study::read_state(folder.path(), "plan", 3));
    }
}

// A path has 4095 bytes at most: the state's own just fits, and that of a file to be renamed to it does not.
TEST_CASE("if no temporary file can be created, the state of a shard overwrites the previous one") {
    namespace fs = std::filesystem;
    const Folder folder;
    std::string store = folder.path();
    const std::size_t rest = (study::plan_folder("", "plan") + "/3.json").size() + 1;
    while (store.size() + rest + 202 < 4090) store += "/" + std::string(200, 'd');
    store += "/" + std::string(4089 - rest - store.size(), 'd');
    study::write_state(folder.path(), "plan", 3, {"h", 1, "", false, 0, ""});
    const std::string before = folder.read("shards/plan/3.json");
    fs::create_directories(study::plan_folder(store, "plan"));
    const std::string path = study::plan_folder(store, "plan") + "/3.json";
    std::ofstream(path, std::ios::binary) << before;
    REQUIRE(study::read_state(store, "plan", 3));
    study::write_state(store, "plan", 3, {"h", 1, "", true, 5, "full"});
    const auto read = study::read_state(store, "plan", 3);
    REQUIRE(read);
    CHECK((read->ended && read->status == 5 && read->reason == "full"));
    CHECK(fs::file_size(path) == before.size());
}

TEST_CASE("the state of a shard that begins names its host, its process and its job of Slurm") {
    ::unsetenv("SLURM_ARRAY_JOB_ID");
    const study::ShardState own = study::state_here();
    CHECK((own.host == study::host_name() && own.process == ::getpid() && own.job.empty()));
    CHECK((!own.ended && own.status == 0));
    ::setenv("SLURM_ARRAY_JOB_ID", "17", 1);
    ::setenv("SLURM_ARRAY_TASK_ID", "3", 1);
    CHECK(study::state_here().job == "17_3");
    ::unsetenv("SLURM_ARRAY_JOB_ID");
    ::unsetenv("SLURM_ARRAY_TASK_ID");
}
