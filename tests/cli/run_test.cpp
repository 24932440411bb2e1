#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "cli/run_program.hpp"

using run_program::Done;
using run_program::Folder;
using run_program::replaced;
using run_program::study;

namespace {

/// Two quantities: one that takes some tenths of a second, so that it is kept, and one that takes minutes.
const std::string slow_study =
    "[study]\ntitle = 'Slow'\n"
    "[quantity.quick]\nkind = 'value'\nformula = 'sum(i, 1, 2e5, sin(i))'\n"
    "[quantity.slow]\nkind = 'value'\nformula = 'sum(i, 1, 4e9, sin(i)*cos(i))'\n"
    "[[claim]]\nid = 'Q'\nsays = 'quick'\nholds = 'quick < 10'\n"
    "[[claim]]\nid = 'S'\nsays = 'slow'\nholds = 'slow < 10'\n";

/// Whether the file is one that is still being written, under a name that begins with a point.
bool is_draft(const std::string& file) {
    return file[file.rfind('/') + 1] == '.';
}

bool is_whole(const Folder& folder) {
    const std::vector<std::string> files = folder.files();
    return std::none_of(files.begin(), files.end(), is_draft);
}

/// Until the quick quantity's result is kept in the cache: then the slow one is under way, however busy the machine.
bool wait_for_the_quick(const Folder& folder) {
    const auto is_result = [](const std::string& file) { return !is_draft(file); };
    for (int tries = 0; tries < 6000; ++tries) {
        const std::vector<std::string> files = folder.files("cache");
        if (std::any_of(files.begin(), files.end(), is_result)) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

}  // namespace

TEST_CASE("run --device cuda computes there, or says what was looked for and what to install") {
    const Folder folder;
    folder.write("s.toml", "[study]\ntitle = \"t\"\n[quantity.a]\nkind = \"value\"\nformula = \"1/3\"\n");
    const Done done = folder.farfield({"run", "s.toml", "--device", "cuda"});
    const bool has_device = done.status == 0;
    if (has_device) {
        CHECK(folder.read("results/s/results.json").find("\"device\": \"cuda: ") != std::string::npos);
    } else {
        CHECK(done.status == 3);
        CHECK(done.error.starts_with("--device cuda: "));
        CHECK(done.error.find("--device cpu") != std::string::npos);
        CHECK_FALSE(folder.has("results"));
    }
    CHECK(folder.farfield({"run", "s.toml", "--device", "auto"}).status == 0);
}

TEST_CASE("a study runs to its verdicts and results") {
    const Folder folder;
    folder.write("line.toml", study);
    const Done done = folder.farfield({"run", "line.toml"});
    CHECK(done.status == 0);
    CHECK(done.error.empty());
    CHECK(done.output.find("T-1") != std::string::npos);
    CHECK(done.output.find("1 claim: 1 as expected, 0 unexpected, 0 missing, 0 skipped") != std::string::npos);
    const std::string json = folder.read("results/line/results.json");
    CHECK(json.find("\"verdict\": \"confirmed\"") != std::string::npos);
    CHECK(folder.has("results/line/row.csv"));
    CHECK(folder.has("results/line/report.html"));
}

TEST_CASE("a folder's studies are named under it and a file alone by itself") {
    const Folder folder;
    folder.write("papers/chi/line.toml", study);
    folder.write("papers/chi/data.toml", "x = 1\n");
    CHECK(folder.farfield({"run", "papers", "-o", "out", "--no-figures"}).status == 0);
    CHECK(folder.has("out/chi/line/results.json"));
    CHECK(folder.farfield({"run", "papers/chi", "-o", "again", "--no-figures"}).status == 0);
    CHECK(folder.has("again/chi/line/results.json"));
}

TEST_CASE("a verdict that is not on record gives status 1 and a line with its place") {
    const Folder folder;
    folder.write("line.toml", replaced(study, "'confirmed'", "'refuted'"));
    const Done done = folder.farfield({"check", "line.toml"});
    CHECK(done.status == 1);
    CHECK(done.error == "line.toml:12: claim T-1: expected refuted, found confirmed\n");
}

TEST_CASE("check says how many quantities it leaves out because no claim needs them") {
    const Folder folder;
    const std::string more = "[quantity.bad]\nkind = 'curve'\nformula = 'log(-n)'\ndistances = { from = 1, to = 2 }\n";
    folder.write("line.toml", study + more);
    const Done left = folder.farfield({"check", "line.toml"});
    CHECK(left.status == 0);
    CHECK_THAT(left.output, Catch::Contains("claim; not computed: 1 quantity that no claim needs\n"));
    CHECK(folder.farfield({"run", "line.toml"}).status == 2);
    folder.write("line.toml", study);
    CHECK_THAT(folder.farfield({"check", "line.toml"}).output, !Catch::Contains("not computed"));
}

TEST_CASE("a quantity that fails gives status 2 even beside an unexpected verdict, and everything else is written") {
    const Folder folder;
    folder.write("line.toml", replaced(study, "'confirmed'", "'refuted'"));
    folder.write("nan.toml",
                 "[quantity.a]\nkind = 'curve'\nformula = 'log(3 - n)'\ndistances = { from = 0, to = 9 }\n"
                 "[quantity.b]\nkind = 'value'\nformula = '2'\n"
                 "[[claim]]\nid = 'N'\nsays = 's'\nexpect = 'confirmed'\nholds = 'a.min < 1'\n");
    const Done done = folder.farfield({"run", "line.toml", "nan.toml", "--no-figures"});
    CHECK(done.status == 2);
    CHECK(done.error.find("expected refuted, found confirmed") != std::string::npos);
    CHECK(done.error.find("nan.toml:3:12: the formula has no value (NaN) at n = 4") != std::string::npos);
    CHECK(done.error.find("   not computed: a\n1 problem; everything else of nan was computed.\n") !=
          std::string::npos);
    CHECK(done.error.find("nan.toml:11: claim N: expected confirmed, found undecided") != std::string::npos);
    const std::string json = folder.read("results/nan/results.json");
    CHECK(json.find("\"a\": \"nan.toml:3:12: the formula has no value (NaN)") != std::string::npos);
    CHECK(json.find("\"value\": 2") != std::string::npos);
    // Nothing is put on record then: the claim is undecided for want of its quantity.
    const std::string before = folder.read("nan.toml");
    const Done update = folder.farfield({"run", "nan.toml", "--no-figures", "--update", "--because", "a slip"});
    CHECK(update.status == 2);
    CHECK(update.error.find("no verdicts were put on record") != std::string::npos);
    CHECK(folder.read("nan.toml") == before);
}

TEST_CASE("a cause is reported once, with up to twelve names of what it ended") {
    const Folder folder;
    const auto named = [&](const std::string& values) {
        folder.write("nan.toml", "[quantity.y]\nkind = 'value'\nformula = 'a*0/0'\nsweep = { a = [" + values + "] }\n");
        const std::string error = folder.farfield({"run", "nan.toml"}).error;
        const std::size_t begin = error.find("   not computed: "), end = error.find("\n1 problem;");
        REQUIRE((begin != std::string::npos && end != std::string::npos));
        return error.substr(begin, end - begin);
    };
    const std::string twelve =
        "   not computed: y[a=1], y[a=2], y[a=3], y[a=4], y[a=5], y[a=6], y[a=7], y[a=8], y[a=9], y[a=10], y[a=11], "
        "y[a=12]";
    CHECK(named("1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12") == twelve);
    CHECK(named("1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13") == twelve + ", ... (13 in all)");
}

TEST_CASE("a folder at a checkpoint's path fails what reads that model alone") {
    const Folder folder;
    const auto part = [](const std::string& name, const std::string& scheme) {
        return "[train." + name + "]\nmodel = 'm'\nscheme = '" + scheme +
               "'\ncorpus = 'c'\nlength = 8\nbatch = 2\nsteps = 2\n[quantity.of_" + name +
               "]\nkind = 'perplexity'\nof = '" + name + "'\nlengths = [8]\nsegments = 2\n[[claim]]\nid = '" + name +
               "'\nsays = 's'\nexpect = 'reproduced'\nholds = 'of_" + name + ".nll[8] > 0'\n";
    };
    folder.write("t.toml", "[corpus.c]\nbuiltin = 'urn'\nsymbols = 4\n[model.m]\nlayers = 1\nheads = 1\nwidth = 8\n" +
                               part("bad", "alibi") + part("good", "nope"));
    const std::vector<std::string> run = {"run", "t.toml", "--no-figures", "--cache", "models"};
    CHECK(folder.farfield({"check", "t.toml", "--only", "bad", "--cache", "models"}).status == 0);
    std::vector<std::string> files = folder.files("models");
    std::erase_if(files, [](const std::string& file) { return !file.ends_with(".safetensors"); });
    REQUIRE(files.size() == 1);
    std::filesystem::remove(folder.path(files.front()));
    std::filesystem::create_directory(folder.path(files.front()));
    const Done done = folder.farfield(run);
    CHECK(done.status == 2);
    CHECK(done.output.find("bad        undecided") != std::string::npos);
    CHECK(done.output.find("good       reproduced") != std::string::npos);
    CHECK(done.error.find(files.front() + ": is a folder; expected a file\n   not computed: of_bad\n") !=
          std::string::npos);
    CHECK(folder.read("results/t/results.json").find("\"of_good\"") != std::string::npos);
}

TEST_CASE("--threads sets the number of threads; by default it is that of the processors it may run on") {
    const Folder folder;
    folder.write("t.toml",
                 "[corpus.c]\nbuiltin = 'urn'\n[model.m]\nlayers = 1\nheads = 1\nwidth = 8\n"
                 "[train.t]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 8\nsteps = 1\n"
                 "[quantity.time]\nkind = 'timing'\nof = 't'\nlengths = [8]\nrepeats = 2\n");
    unsetenv("OMP_NUM_THREADS");
    const auto threads_of = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"run", "t.toml", "--no-figures"});
        REQUIRE(folder.farfield(more).status == 0);
        const std::string json = folder.read("results/t/results.json");
        const std::size_t at = json.find(" training steps on ");
        REQUIRE(at != std::string::npos);
        return std::stoul(json.substr(at + 19));
    };
    CHECK(threads_of({"--threads", "3"}) == 3);
    CHECK(threads_of({"--threads=1"}) == 1);
    cpu_set_t allowed, first;
    REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    CHECK(threads_of({}) == static_cast<unsigned long>(CPU_COUNT(&allowed)));
    CPU_ZERO(&first);
    for (int processor = 0; CPU_COUNT(&first) == 0; ++processor)
        if (CPU_ISSET(processor, &allowed)) CPU_SET(processor, &first);
    REQUIRE(sched_setaffinity(0, sizeof first, &first) == 0);
    CHECK(threads_of({}) == 1);
    sched_setaffinity(0, sizeof allowed, &allowed);
    for (const char* wrong : {"0", "-1", "x", "1.5", "4097"}) {
        INFO(wrong);
        const Done done = folder.farfield({"eval", "1", "--threads", wrong});
        CHECK(done.status == 2);
        CHECK(done.error.starts_with("--threads has '" + std::string(wrong) + "'; expected a whole number from 1 to"));
    }
    CHECK(folder.farfield({"eval", "1/4", "--threads", "2"}).output == "0.25\n");
}

TEST_CASE("--times lists studies with their slowest quantities after the verdicts") {
    const Folder folder;
    folder.write("line.toml", study);
    const std::string output = folder.farfield({"check", "line.toml", "--times"}).output;
    const std::size_t summary = output.find("1 claim: 1 as expected");
    REQUIRE(summary != std::string::npos);
    CHECK(output.find("seconds  share  study\n", summary) != std::string::npos);
    CHECK(output.find("  line: row ", summary) != std::string::npos);
    CHECK(output.find("all studies", summary) != std::string::npos);
}

TEST_CASE("--set replaces a value and --only runs what is asked for") {
    const Folder folder;
    folder.write("line.toml", study + "[quantity.other]\nkind = 'value'\nformula = '2'\n");
    CHECK(folder.farfield({"check", "line.toml", "--set", "quantity.row.formula=n"}).status == 1);
    CHECK(folder.farfield({"run", "line.toml", "--only", "other", "--no-figures"}).status == 0);
    const std::string json = folder.read("results/line/results.json");
    CHECK(json.find("\"other\"") != std::string::npos);
    CHECK(json.find("\"row\"") == std::string::npos);
    CHECK(folder.farfield({"run", "line.toml", "--only", "T-1", "--no-figures", "-o", "other"}).output.find("T-1") !=
          std::string::npos);
    // The results of all quantities and claims are not replaced by those of one.
    CHECK(folder.farfield({"run", "line.toml", "--no-figures", "-o", "all"}).status == 0);
    const Done one = folder.farfield({"run", "line.toml", "--only", "other", "--no-figures", "-o", "all"});
    CHECK(one.error.find("the results in 'all/line' are not replaced: they include 2 quantities, claims and figures") !=
          std::string::npos);
}

TEST_CASE("check writes JUnit and Markdown") {
    const Folder folder;
    folder.write("line.toml", study);
    CHECK(folder.farfield({"check", "line.toml", "--junit", "j.xml", "--markdown", "m.md"}).status == 0);
    CHECK(folder.read("j.xml").find("T-1") != std::string::npos);
    CHECK(folder.read("m.md").find("T-1") != std::string::npos);
}

TEST_CASE("what trains is skipped in a folder without --train, and done otherwise") {
    const Folder folder;
    folder.write("t.toml",
                 "[corpus.c]\nbuiltin = 'urn'\n[model.m]\nlayers = 1\nheads = 1\nwidth = 8\n"
                 "[train.w]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 8\nsteps = 1\n"
                 "[quantity.ppl]\nkind = 'perplexity'\nof = 'w'\nlengths = [8]\n"
                 "[[claim]]\nid = 'P'\nsays = 's'\nexpect = 'reproduced'\nholds = 'ppl.nll[8] < 3'\n");
    const Done skipped = folder.farfield({"run", ".", "--no-figures"});
    CHECK(skipped.status == 0);
    CHECK(skipped.output.find("0 missing, 1 skipped") != std::string::npos);
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"run", ".", "--train"}, {"run", "t.toml"}}) {
        std::vector<std::string> all = arguments;
        for (const char* each : {"--no-figures", "--cache", "cache"}) all.emplace_back(each);
        const Done done = folder.farfield(all);
        CHECK(done.status == 1);  // one step is not a training: ln 32 = 3.47 is what guessing gives
        CHECK(done.output.find("1 unexpected, 0 missing, 0 skipped") != std::string::npos);
    }
}

TEST_CASE("an interruption keeps what was finished and gives status 130") {
    const Folder folder;
    folder.write("slow.toml", slow_study);
    const pid_t process = folder.start({"run", "slow.toml"});
    CHECK(wait_for_the_quick(folder));
    kill(process, SIGINT);
    const Done done = folder.finish(process);
    CHECK(done.status == 130);
    CHECK(folder.read("results/slow/results.json").find("\"quick\"") != std::string::npos);
    CHECK(is_whole(folder));
}

TEST_CASE("a kill leaves no half-written file, and the next run uses what was finished") {
    const Folder folder;
    folder.write("slow.toml", slow_study);
    const pid_t process = folder.start({"run", "slow.toml"});
    CHECK(wait_for_the_quick(folder));
    kill(process, SIGKILL);
    CHECK(folder.finish(process).status == 128 + SIGKILL);
    CHECK(is_whole(folder));
    // The next run finds the quick one kept: nothing new is written for it.
    const std::vector<std::string> kept = folder.files("cache");
    CHECK(folder.farfield({"run", "slow.toml", "--only", "Q"}).status == 0);
    CHECK(folder.files("cache") == kept);
}

TEST_CASE("the same study gives the same bytes but for its times") {
    const Folder folder;
    folder.write("line.toml", study);
    folder.farfield({"run", "line.toml", "-o", "a"});
    folder.farfield({"run", "line.toml", "-o", "b", "--fresh"});
    for (const std::string& file : folder.files("a")) {
        const std::string other = "b" + file.substr(1);
        if (file.find(".json") == std::string::npos && file.find(".html") == std::string::npos)
            CHECK(folder.read(file) == folder.read(other));
    }
}

TEST_CASE("a claim without an expected verdict is counted apart and gives status 1 unless it is confirmed") {
    const Folder folder;
    folder.write("line.toml", replaced(study, "expect = 'confirmed'  # on record\n", ""));
    const Done confirmed = folder.farfield({"check", "line.toml"});
    CHECK(confirmed.status == 0);
    CHECK(confirmed.output.find("1 claim: 0 as expected, 0 unexpected, 1 without an expected verdict") !=
          std::string::npos);
    const Done refuted = folder.farfield({"check", "line.toml", "--set", "quantity.row.formula=n"});
    CHECK(refuted.status == 1);
    CHECK(refuted.error.find("line.toml:9: claim T-1: found refuted, without an expected verdict") !=
          std::string::npos);
    folder.write("open.toml", replaced(replaced(study, "expect = 'confirmed'  # on record\n", ""),
                                       "row[n + 1] < row[n]", "if(n < 99, row[n + 100], 0) < row[n]"));
    const Done undecided = folder.farfield({"check", "open.toml"});
    CHECK(undecided.status == 1);
    CHECK(undecided.error.find("found undecided, without an expected verdict") != std::string::npos);
}

TEST_CASE("recheck proves a run's verdicts again, and says what was changed since") {
    const Folder folder;
    folder.write("s.toml", study);
    REQUIRE(folder.farfield({"run", "s.toml", "--no-figures"}).status == 0);
    const Done done = folder.farfield({"recheck", "results", "--strict"});
    if (done.status == 3) {
        CHECK(done.error.find("libflint-arb-dev") != std::string::npos);
        return;
    }
    CHECK(done.status == 0);
    CHECK(done.output == "s T-1  confirmed  re-proved\n1 certified claim: 1 re-proved, 0 not, 0 contradicted\n");
    const std::string results = folder.read("results/s/results.json");
    const auto recheck = [&](const std::string& from, const std::string& to) {
        folder.write("results/s/results.json", replaced(results, from, to));
        return folder.farfield({"recheck", "results/s"});
    };
    const Done rising = recheck("\"formula\": \"-n/2\"", "\"formula\": \"n/2\"");
    CHECK(rising.status == 1);
    CHECK(rising.output.find("CONTRADICTED: everywhere: on record as confirmed, and the condition fails") !=
          std::string::npos);
    const Done unknown = recheck("\"kind\": \"curve\"", "\"kind\": \"novel\"");
    CHECK(unknown.status == 0);
    CHECK(unknown.output.find("not re-proved: everywhere") != std::string::npos);
    CHECK(folder.farfield({"recheck", "results/s", "--strict"}).status == 1);
    CHECK(folder.farfield({"recheck", "results/s", "--json"}).output.find("\"outcome\": \"not re-proved\"") !=
          std::string::npos);
    CHECK(folder.farfield({"recheck", "nowhere"}).status == 2);
    CHECK(folder.farfield({"recheck", "s.toml"}).status == 2);
    CHECK(folder.farfield({"recheck"}).status == 2);
}

TEST_CASE("--quiet prints the summary alone, and problems as ever") {
    const Folder folder;
    folder.write("s.toml", replaced(study, "'confirmed'", "'refuted'"));
    const Done done = folder.farfield({"check", "s.toml", "--quiet"});
    CHECK(done.status == 1);
    CHECK(done.output == "1 claim: 0 as expected, 1 unexpected, 0 missing, 0 skipped\n");
    CHECK(done.error == folder.farfield({"check", "s.toml"}).error);
}

TEST_CASE("--json prints the claims and nothing else") {
    const Folder folder;
    folder.write("s.toml", study);
    const Done done = folder.farfield({"check", "s.toml", "--json"});
    CHECK(done.status == 0);
    CHECK(done.output.starts_with("[\n  {\n    \"study\": \"s\""));
    CHECK(done.output.ends_with("]\n"));
    CHECK(folder.farfield({"run", "s.toml", "--json"}).output == done.output);
    CHECK(folder.farfield({"run", "s.toml", "--json", "--quiet"}).status == 2);
}

TEST_CASE("a workflow of GitHub gets an annotation at the line of the claim") {
    const Folder folder;
    folder.write("a,b.toml", replaced(study, "'confirmed'", "'refuted'"));
    ::setenv("GITHUB_ACTIONS", "true", 1);
    const Done done = folder.farfield({"check", "a,b.toml"});
    ::unsetenv("GITHUB_ACTIONS");
    CHECK(done.error.find("::error file=a%2Cb.toml,line=12::claim T-1: expected refuted, found confirmed\n") !=
          std::string::npos);
}

TEST_CASE("check writes the claims that fail as SARIF") {
    const Folder folder;
    folder.write("line.toml", replaced(study, "'confirmed'", "'refuted'"));
    CHECK(folder.farfield({"check", "line.toml", "--sarif", "out.sarif"}).status == 1);
    const std::string text = folder.read("out.sarif");
    CHECK(text.find("\"ruleId\": \"T-1\"") != std::string::npos);
    CHECK(text.find("\"startLine\": 12") != std::string::npos);
    CHECK(text.find("expected refuted, found confirmed") != std::string::npos);
}

TEST_CASE("run does not replace trained results that it did not compute") {
    const Folder folder;
    const std::string trained =
        "[model.m]\nlayers = 1\nheads = 1\nwidth = 8\n[corpus.c]\nbuiltin = 'parity'\n"
        "[train.t]\nmodel = 'm'\nscheme = 'nope'\ncorpus = 'c'\nlength = 8\nbatch = 2\nsteps = 2\n"
        "[quantity.p]\nkind = 'perplexity'\nof = 't'\nlengths = [8]\nsegments = 2\n"
        "[quantity.q]\nkind = 'perplexity'\nof = 't'\nlengths = [16]\nsegments = 2\n";
    const std::string computed = "[quantity.v]\nkind = 'value'\nformula = '1'\n";
    folder.write("a/s.toml", trained + computed);
    REQUIRE(folder.farfield({"run", "a/s.toml", "--no-figures", "-o", "results/a"}).status == 0);
    const std::string file = "results/a/s/results.json";
    const std::string before = folder.read(file);
    REQUIRE(before.find("\"q\"") != std::string::npos);
    // A folder is named, so that nothing is trained.
    const Done kept = folder.farfield({"run", "a", "--no-figures"});
    CHECK(kept.status == 0);
    CHECK(kept.error ==
          "a/s.toml: the results in 'results/a/s' are not replaced: they include 2 quantities, claims and figures, "
          "such as 'p', "
          "which this run did not compute; to write the results of this run, add -o DIR\n");
    CHECK(folder.read(file) == before);
    CHECK(folder.farfield({"run", "a/s.toml", "--no-figures", "--only", "v", "-o", "results/a"}).error == kept.error);
    CHECK(folder.read(file) == before);
    CHECK(folder.farfield({"run", "a", "--no-figures", "-o", "other"}).error.empty());
    CHECK(folder.has("other/a/s/results.json"));
    // What the study no longer declares is not kept.
    folder.write("a/s.toml", computed);
    CHECK(folder.farfield({"run", "a", "--no-figures"}).error.empty());
    CHECK(folder.read(file).find("\"p\"") == std::string::npos);
}

TEST_CASE("draw draws the figures of a study again, and takes trained series from the record") {
    const Folder folder;
    folder.write("s.toml",
                 "[quantity.a]\nkind = 'curve'\nformula = 'n'\ndistances = { from = 0, to = 9 }\n"
                 "[model.m]\nlayers = 1\nheads = 1\nwidth = 8\n[corpus.c]\nbuiltin = 'parity'\n"
                 "[train.t]\nmodel = 'm'\nscheme = 'nope'\ncorpus = 'c'\nlength = 8\nsteps = 1000000\n"
                 "[quantity.p]\nkind = 'perplexity'\nof = 't'\nlengths = [8, 16]\nlabel = 'no positions'\n"
                 "[figure.curve]\nseries = 'a'\n[figure.trained]\nseries = ['p']\n");
    // Nothing is trained, though the file is named; without a record the trained figure is missing.
    const Done first = folder.farfield({"draw", "s.toml"});
    CHECK(first.status == 3);
    CHECK(first.output == "results/s/curve.svg\n");
    CHECK(first.error ==
          "s.toml: figure trained is not drawn: its series are neither on record nor computed without training\n");
    CHECK_FALSE(folder.has("results/s/results.json"));
    folder.write("results/s/results.json",
                 R"({"study": "s", "claims": [], "quantities": {"p": {"kind": "perplexity", "values": {},
                     "data": {"length": [8, 16], "ppl": [2.5, 3.5], "ppl_sd": [0.1, 0.2]}}}})");
    const Done second = folder.farfield({"draw", "s.toml"});
    CHECK(second.status == 0);
    const std::string svg = folder.read("results/s/trained.svg");
    CHECK(svg.find(">trained on 8 tokens<") != std::string::npos);
    CHECK(svg.find(">context length (tokens)<") != std::string::npos);
    CHECK(svg.find("Bars: one standard deviation") != std::string::npos);
    CHECK(folder.farfield({"draw", "s.toml", "--only", "curve"}).output == "results/s/curve.svg\n");
}

TEST_CASE("draw does not draw figures that the results on record contradict") {
    const Folder folder;
    const auto write = [&](const std::string& formula, const std::string& title) {
        folder.write("s.toml", "[quantity.a]\nkind = 'curve'\nformula = '" + formula +
                                   "'\ndistances = { to = 9 }\n[figure.f]\nseries = 'a'\ntitle = '" + title + "'\n");
    };
    write("n", "before");
    folder.farfield({"run", "s.toml", "--no-figures"});
    write("n", "after");
    CHECK(folder.farfield({"draw", "s.toml"}).status == 0);
    CHECK_THAT(folder.read("results/s/f.svg"), Catch::Contains(">after<"));
    write("5*n", "later");
    const Done done = folder.farfield({"draw", "s.toml"});
    CHECK(done.status == 1);
    CHECK(done.error ==
          "s.toml: its figures are not drawn, because they would not match 'results/s/results.json': a.max is 45, and "
          "9 in "
          "the results; run the study again\n");
    CHECK_THAT(folder.read("results/s/f.svg"), Catch::Contains(">after<"));
}

TEST_CASE("the only study takes all of the time") {
    const Folder folder;
    folder.write("line.toml", study);
    CHECK_THAT(folder.farfield({"check", "line.toml", "--times"}).output, Catch::Contains("   100%  line"));
}
