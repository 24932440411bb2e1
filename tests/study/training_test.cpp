#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <farfield/core/diagnostic.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <regex>

#include "study/study_support.hpp"

using namespace study_support;
using namespace study_support::small_training;
using Names = std::vector<std::string>;

namespace {

const std::string whole = corpus + model + training + "seeds = [0, 5]\nsweep = { w = [2, 4] }\n" + perplexity +
                          "[quantity.field]\nkind = 'gradient-field'\nof = 't'\nlength = 24\ncontexts = 3\n"
                          "[[claim]]\nid = 'W'\nsays = 'two layers of window 2 reach 3 tokens'\n"
                          "holds = \"'field[w=2]'.erf <= 3 and abs('ppl[w=2]'.delta[24]) < 1e-6\"\n"
                          "[[claim]]\nid = 'S'\nsays = 'a value of one seed can be named'\n"
                          "holds = \"'ppl[w=4]'.'nll[8,seed=5]' > 0\"\n";

/// The files under the folder with the time at which each was written.
std::map<std::string, std::filesystem::file_time_type> files_under(const std::string& folder) {
    std::map<std::string, std::filesystem::file_time_type> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) files[entry.path().string()] = entry.last_write_time();
    return files;
}

double number(const core::StudyRecord& record, const std::string& quantity, const std::string& value) {
    const core::Result* result = find(record, quantity);
    const core::Cell* cell = result ? result->find(value) : nullptr;
    return cell && cell->number ? *cell->number : NAN;
}

}  // namespace

TEST_CASE("a study trains its models, measures them and judges its claims; a second run trains nothing") {
    const Folder folder;
    study::Options options;
    options.cache = folder.path("cache");
    options.least_seconds_to_keep = 0;
    const auto first = run(whole, options);
    CHECK(names_of(first) == Names{"ppl[w=2]", "ppl[w=4]", "field[w=2]", "field[w=4]"});
    REQUIRE(first.claims.size() == 2);
    CHECK(first.claims[0].verdict == core::Verdict::reproduced);
    CHECK(first.claims[0].scale == "2 layers, width 8, 2 seeds");
    CHECK(first.claims[1].verdict == core::Verdict::reproduced);
    CHECK(number(first, "ppl[w=2]", "ppl[8]") > 1);
    CHECK(number(first, "ppl[w=2]", "nll[8,seed=0]") != number(first, "ppl[w=2]", "nll[8,seed=5]"));
    CHECK(number(first, "ppl[w=2]", "nll[8]") != number(first, "ppl[w=4]", "nll[8]"));

    const auto written = files_under(options.cache);
    CHECK(std::count_if(written.begin(), written.end(),
                        [](const auto& file) { return file.first.ends_with(".safetensors"); }) == 4);
    const auto second = run(whole, options);
    CHECK(files_under(options.cache) == written);
    for (const core::Result& result : first.quantities) {
        for (const auto& [name, cell] : result.values) {
            INFO(result.name << "." << name);
            CHECK(number(second, result.name, name) == *cell.number);
        }
    }
}

namespace {

/// A limit of the address space while it lives: so many bytes more than there are.
class Limit {
public:
    explicit Limit(rlim_t more) {
        ::getrlimit(RLIMIT_AS, &before_);
        double pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const auto taken = static_cast<rlim_t>(pages * static_cast<double>(::sysconf(_SC_PAGESIZE)));
        const rlimit tight{taken + more, before_.rlim_max};
        ::setrlimit(RLIMIT_AS, &tight);
    }
    Limit(const Limit&) = delete;
    Limit& operator=(const Limit&) = delete;
    ~Limit() { ::setrlimit(RLIMIT_AS, &before_); }

private:
    rlimit before_{};
};

}  // namespace

TEST_CASE("a measurement that needs more memory than is available is missing before anything is trained for it") {
    const Limit limit(rlim_t{2} << 30);  // attention of 40000 x 40000 floats takes three times that
    const Folder folder;
    study::Options options;
    options.cache = folder.path("cache");
    const auto record = run(
        corpus + model + training + "[quantity.R]\nkind = 'attention-resolution'\nof = 't'\nlength = 40000\n", options);
    REQUIRE(record.missing.size() == 1);
    CHECK(record.missing[0].first == "R");
    CHECK_THAT(record.missing[0].second, Catch::Contains("memory for attention of 't' at length 40000: it needs") &&
                                             Catch::Contains("attention matrices"));
    CHECK(files_under(folder.path()).empty());
}

TEST_CASE("measurements of a training that did not begin state the reason, the first quantity as well as the others") {
    const Limit limit(rlim_t{2} << 30);  // a step on 2^16 tokens of width 256 takes some 3 GiB
    const auto record = run(corpus +
                            "[model.m]\nlayers = 2\nheads = 2\nwidth = 256\n"
                            "[train.t]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 65536\nbatch = 1\n"
                            "steps = 2\n[quantity.a]\nkind = 'perplexity'\nof = 't'\nlengths = [8]\nsegments = 2\n"
                            "[quantity.b]\nkind = 'perplexity'\nof = 't'\nlengths = [9]\nsegments = 2\n");
    REQUIRE(record.missing.size() == 2);
    CHECK((record.missing[0].first == "a" && record.missing[1].first == "b"));
    CHECK_THAT(record.missing[0].second, Catch::Contains("memory for the training of 't, seed 0'"));
    CHECK(record.missing[1].second == record.missing[0].second);
    CHECK(record.quantities.empty());
}

TEST_CASE("measurements of a training state how its models were trained") {
    const auto note = [](const core::StudyRecord& record, const std::string& quantity) -> std::string {
        for (const auto& [name, text] : find(record, quantity)->notes)
            if (name == "trained") return text;
        return "";
    };
    const auto record = run(corpus + model + training + "seeds = [3, 5]\n" + perplexity +
                            "[quantity.v]\nkind = 'value'\nformula = '2'\n");
    const std::string text = note(record, "ppl");
    CHECK(text.starts_with("seed 3: 12 steps, last loss "));
    CHECK(text.find("; seed 5: 12 steps, last loss ") != std::string::npos);
    CHECK(text.find("diverged") == std::string::npos);
    // The process has taken some memory after each.
    CHECK(std::regex_match(text, std::regex("(?:(?:^|; )seed [35]: 12 steps, last loss [0-9.]+, peak of the process "
                                            "[1-9][0-9.]* [MG]iB){2}")));
    CHECK(note(record, "v").empty());
}

TEST_CASE("a claim may name what a training is timed against, before anything is trained") {
    const std::string text = corpus + model + training + "[train.u]\nmodel = 'm'\nscheme = 'nope'\ncorpus = 'c'\n" +
                             "length = 8\nbatch = 4\nsteps = 2\n[quantity.time]\nkind = 'timing'\nof = 't'\n" +
                             "against = 'u'\nlengths = [8]\nrepeats = 1\n";
    const auto told = [&](const std::string& value) {
        return run(text + "[[claim]]\nid = 'A'\nsays = 's'\nholds = \"time." + value + " > 1e-9\"\n").claims.at(0);
    };
    CHECK(told("ratio[8]").verdict == core::Verdict::reproduced);
    CHECK_THROWS_WITH(told("ratio[9]"), Catch::Contains("ratio"));
}

TEST_CASE("the studies of a folder train with --train alone") {
    const Folder folder;
    folder.write("s.toml", whole);
    const study::Found found{folder.path("s.toml"), "f/s", false};
    const auto without = study::run(study::read(found, {}), {});
    CHECK(without.quantities.empty());
    CHECK(without.claims[0].verdict == core::Verdict::skipped);
    CHECK(without.claims[0].readings[0].explain.find("--train") != std::string::npos);
    study::Options options;
    options.train = true;
    const auto with = study::run(study::read(found, options), options);
    CHECK(with.claims[0].verdict == core::Verdict::reproduced);
}

TEST_CASE("a training that no quantity needs is not run") {
    const Folder folder;
    study::Options options;
    options.cache = folder.path("cache");
    options.least_seconds_to_keep = std::numeric_limits<double>::infinity();  // models alone
    options.only = {"field[w=2]"};
    run(whole, options);
    CHECK(files_under(options.cache).size() == 4);  // two seeds of w = 2, each with the record of who trained it
}

TEST_CASE("a mask beyond the training length changes measurements and not the training") {
    const Folder folder;
    study::Options options;
    options.cache = folder.path("cache");
    options.least_seconds_to_keep = 0;
    const auto text = [](const std::string& width) {
        return "[scheme.own]\nbias = '-n/4'\nmask = { formula = 'n < " + width + "', when = 'L > Ltr' }\n" + corpus +
               model + "[train.t]\nmodel = 'm'\nscheme = 'own'\ncorpus = 'c'\nlength = 8\nsteps = 12\n" +
               "[quantity.ppl]\nkind = 'perplexity'\nof = 't'\nlengths = [8, 512]\nsegments = 400\n";
    };
    const auto wide = run(text("8"), options);
    const auto narrow = run(text("2"), options);
    CHECK(number(wide, "ppl", "nll[8]") == number(narrow, "ppl", "nll[8]"));
    CHECK(number(wide, "ppl", "nll[512]") != number(narrow, "ppl", "nll[512]"));
    CHECK(std::filesystem::exists(folder.path("cache/quantities")));
    std::size_t models = 0;
    for (const auto& [file, time] : files_under(options.cache)) models += file.ends_with(".safetensors");
    CHECK(models == 1);
}

TEST_CASE("models, corpora and schemes are swept into the trainings of them") {
    const auto record =
        run("[scheme.line]\nparams = { m = 1 }\nbias = '-m*n'\nsweep = { m = [1, 3] }\n"
            "[corpus.c]\nbuiltin = 'urn'\nsymbols = 4\n[model.m]\nlayers = 1\nheads = 1\nwidth = 8\n"
            "[train.t]\nmodel = 'm'\nscheme = 'line'\ncorpus = 'c'\nlength = 8\nsteps = 2\nbatch = 2\nsweep = { lr = "
            "[1e-3, "
            "2e-3] }\n" +
            perplexity);
    CHECK(names_of(record) == Names{"ppl[m=1,lr=1e-3]", "ppl[m=1,lr=2e-3]", "ppl[m=3,lr=1e-3]", "ppl[m=3,lr=2e-3]"});
    const auto models =
        run("[corpus.c]\nbuiltin = 'urn'\nsweep = { symbols = [2, 4] }\n" + model + training + perplexity);
    CHECK(names_of(models) == Names{"ppl[symbols=2]", "ppl[symbols=4]"});
    CHECK(number(models, "ppl[symbols=2]", "optimal[24]") < number(models, "ppl[symbols=4]", "optimal[24]"));
}

TEST_CASE("a training that diverges leaves its quantity missing and does not affect the others") {
    const auto record = run(corpus + model + training + perplexity +
                            "[train.wild]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 8\nsteps = 30\nlr = "
                            "1e30\nclip = 0\nwarmup = 0\n"
                            "[quantity.other]\nkind = 'perplexity'\nof = 'wild'\nlengths = [8]\nsegments = 4\n"
                            "[[claim]]\nid = 'D'\nsays = 's'\nholds = 'other.nll[8] < 3'\n");
    CHECK(names_of(record) == Names{"ppl"});
    REQUIRE(record.missing.size() == 1);
    CHECK(record.missing[0].second.find("diverged") != std::string::npos);
    CHECK(record.claims[0].verdict == core::Verdict::missing);
    CHECK(record.missing[0].second.find("diverged: seed 0 at step") != std::string::npos);
}

TEST_CASE("the limit of operations is that of formulas: a long training leaves the claims judged") {
    // A billion steps of 128 tokens through some 10^4 weights, far beyond 1e14 operations; the first few diverge.
    const auto record = run(corpus + model +
                            "[train.long]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 8\nsteps = "
                            "1000000000\nlr = 1e30\nclip = 0\nwarmup = 0\n"
                            "[quantity.p]\nkind = 'perplexity'\nof = 'long'\nlengths = [8]\nsegments = 4\n"
                            "[quantity.v]\nkind = 'value'\nformula = '2'\n"
                            "[[claim]]\nid = 'V'\nsays = 's'\nholds = 'v > 1'\n");
    REQUIRE(record.missing.size() == 1);
    CHECK(record.missing[0].second.find("diverged") != std::string::npos);
    CHECK(record.claims.at(0).verdict == core::Verdict::confirmed);
}

TEST_CASE("a corpus that is not installed is missing, and so are the claims on it") {
    const auto record = run("[corpus.c]\nfiles = ['none.txt']\n" + model + training + perplexity +
                            "[[claim]]\nid = 'M'\nsays = 's'\nholds = 'ppl.nll[8] < 3'\n");
    CHECK(record.quantities.empty());
    REQUIRE(record.missing.size() == 1);
    CHECK(record.missing[0].second.find("none.txt") != std::string::npos);
    CHECK(record.claims[0].verdict == core::Verdict::missing);
}

TEST_CASE("a bias that is not a number is an input error, with head and distance") {
    try {
        run("[scheme.own]\nbias = 'sqrt(n - 2)'\n" + corpus + model +
            "[train.t]\nmodel = 'm'\nscheme = 'own'\ncorpus = 'c'\nlength = 8\nsteps = 2\n" + perplexity);
        FAIL("the study was run");
    } catch (const core::UserError& error) {
        CHECK(error.diagnostics()[0].found.find("head 1") != std::string::npos);
        CHECK(error.diagnostics()[0].place.line != 0);
    }
}

TEST_CASE("errors that are known before training are all reported before anything is trained") {
    const Folder folder;
    study::Options options;
    options.cache = folder.path("cache");
    std::string letters;
    for (int i = 0; i < 500; ++i) letters += static_cast<char>('a' + i * i % 26);
    folder.write("text.txt", letters);
    // Every tenth of 500 letters is held out: 50, of which rows of 8 begin at 42 places.
    const std::string text = "[corpus.c]\nfiles = ['text.txt']\n" + model + training +
                             "[train.u]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 1000\nsteps = 5\n"
                             "[train.v]\nmodel = 'm'\nscheme = 'own'\ncorpus = 'c'\nlength = 8\nsteps = 5\n"
                             "[scheme.own]\nbias = 'exp(20*n)'\n"
                             "[quantity.long]\nkind = 'perplexity'\nof = 't'\nlengths = [8, 64]\nsegments = 2\n"
                             "[quantity.many]\nkind = 'perplexity'\nof = 't'\nlengths = [8]\nsegments = 43\n"
                             "[quantity.right]\nkind = 'perplexity'\nof = 't'\nlengths = [8]\nsegments = 42\n"
                             "[quantity.field]\nkind = 'gradient-field'\nof = 'u'\nlength = 60\n"
                             "[quantity.large]\nkind = 'perplexity'\nof = 'v'\nlengths = [8]\nsegments = 2\n";
    try {
        study::run(read(folder, text, options), options);
        FAIL("the study was run");
    } catch (const core::UserError& error) {
        Names found;
        for (const core::Diagnostic& each : error.diagnostics())
            found.push_back(std::to_string(each.place.line) + ": " + each.wanted);
        CHECK(found == Names{"31: at most 49", "37: 'segments' of at most 42", "18: at most 449", "46: at most 49",
                             "27: at most 3.4e+38 in size, the largest float"});
    }
    CHECK_FALSE(std::filesystem::exists(options.cache + "/models"));
}

TEST_CASE("a quantity without a value at one of its lengths fails, and the others are computed") {
    const auto record =
        run("[scheme.own]\nbias = 'log(40 - n)'\n" + corpus + model +
            "[train.t]\nmodel = 'm'\nscheme = 'own'\ncorpus = 'c'\nlength = 8\nsteps = 2\n" + perplexity +
            "[quantity.other]\nkind = 'perplexity'\nof = 't'\nlengths = [8, 60]\nsegments = 4\n");
    CHECK(names_of(record) == Names{"ppl"});
    REQUIRE(record.failed.size() == 1);
    CHECK(record.failed[0].name == "other");
    CHECK(record.failed[0].text().find("'bias' of scheme 'own' is nan at head 1, layer 1, distance 41") !=
          std::string::npos);
}

TEST_CASE("a model for which the cache has no room is measured nevertheless, with a warning") {
    const Folder folder;
    study::Options options;
    options.cache = folder.path("cache");
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const auto study = read(folder, corpus + model + training + perplexity, options);
    const rlimit limit{4096, before.rlim_max};  // a model takes more
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto full = study::run(study, options);
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    REQUIRE(full.warnings.size() == 1);
    CHECK(full.warnings[0].find("'t, seed 0' was not kept") != std::string::npos);
    CHECK(full.warnings[0].find("File too large") != std::string::npos);
    const auto roomy = study::run(study, options);
    CHECK(roomy.warnings.empty());
    CHECK(number(full, "ppl", "nll[24]") == number(roomy, "ppl", "nll[24]"));
}

TEST_CASE("a text shorter than a row is an input error, at the length") {
    const Folder folder;
    folder.write("short.txt", "short");
    try {
        study::run(read(folder, "[corpus.c]\nfiles = ['short.txt']\n" + model + training + perplexity), {});
        FAIL("the study was run");
    } catch (const core::UserError& error) {
        CHECK(error.diagnostics()[0].found == "a length of 8, and the longest text to train on has 5 tokens");
        CHECK(error.diagnostics()[0].place.line == 11);
    }
}

TEST_CASE("an interrupted training ends its step; steps that no checkpoint contains are reported as lost") {
    const Folder folder;
    const std::string text = corpus + model +
                             "[train.t]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 8\nbatch = 4\n"
                             "steps = 10000000\n" +
                             perplexity;
    study::Options options;
    bool is_asked = false;
    options.progress = [&](const std::string&, double done, double) { is_asked = is_asked || done > 0; };
    options.interrupted = [&] { return is_asked; };
    const auto lost = run(text, options);
    CHECK(lost.interrupted);
    CHECK(lost.lost.ends_with(" of 't, seed 0'"));
    CHECK(std::stoul(lost.lost) > 0);
    is_asked = false;
    options.cache = folder.path("cache");
    const auto kept = run(text, options);
    CHECK(kept.interrupted);
    CHECK(kept.lost.empty());
    CHECK(files_under(options.cache).size() == 1);
}

TEST_CASE("a training may be as long as its learned embedding, and warm up in all of its steps, and no more") {
    // Seven positions, six steps; lines 6 to 9 hold the keys.
    int heads = 2;
    const auto problems = [&heads](int length, int warm_up, int measured) {
        return problems_of("[scheme.own]\nembed = { learned = true, max_length = 7 }\n" + corpus +
                           "[model.m]\nlayers = 2\nheads = " + std::to_string(heads) + "\nwidth = 8\n" +
                           "[train.t]\nmodel = 'm'\nscheme = 'own'\ncorpus = 'c'\nbatch = 2\nsteps = 6\nlength = " +
                           std::to_string(length) + "\nwarmup = " + std::to_string(warm_up) +
                           "\n[quantity.q]\nkind = 'perplexity'\nof = 't'\ntargets = 1\nlengths = [4, " +
                           std::to_string(measured) + "]\n");
    };
    const std::string beyond = "a length of 8 for 'own', whose learned embedding has 7 positions";
    for (const int each : {1, 2, 8}) {
        heads = each;
        INFO(heads << " heads");
        CHECK(problems(7, 6, 7).empty());
        CHECK(problems(8, 6, 7) == Names{"16: " + beyond});
        CHECK(problems(7, 7, 7) == Names{"17: 'warmup' is 7"});
        CHECK(problems(7, 6, 8) == Names{"22: " + beyond});
    }
}

TEST_CASE("wrong trainings are reported all at once, each at its place") {
    const auto problems = problems_of(
        "[corpus.c]\nbuiltin = 'urn'\nfiles = ['a']\n[corpus.d]\nbuiltin = 'kvj'\n"
        "[model.m]\nlayers = 1\nheads = 3\nwidth = 8\n"
        "[train.t]\nmodel = 'n'\nscheme = 'alibbi'\ncorpus = 'e'\nlength = 8\nsteps = 2\nseeds = [0, 0, -1]\n"
        "[quantity.q]\nkind = 'perplexity'\nof = 'u'\nlengths = [0, 8, 8]\n");
    CHECK(problems == Names{"9: 'width' is 8", "1: the corpus 'c' has files and a builtin text",
                            "5: unknown corpus 'kvj'", "11: unknown model 'n'", "13: unknown corpus 'e'",
                            "12: unknown scheme 'alibbi'", "16: the seed 0 is listed twice", "16: a seed is -1",
                            "19: unknown training 'u'", "20: a length is 0", "20: the length 8 is listed twice"});
}

TEST_CASE("a checkpoint is a file or a builtin model, and parameters are those of a scheme") {
    const auto problems = [](const std::string& keys) {
        return problems_of(corpus + "[checkpoint.k]\ncorpus = 'c'\n" + keys);
    };
    CHECK(problems("builtin = 'smollm2-135m'\n").empty());
    CHECK(problems("file = 'a.gguf'\nscheme = 'alibi'\nparams = { delta = 1 }\n").empty());
    CHECK(problems("builtin = 'smollm2'\n") == Names{"6: unknown checkpoint 'smollm2'"});
    CHECK(problems("") == Names{"4: the checkpoint 'k' has no file"});
    CHECK(problems("builtin = 'smollm2-135m'\nfile = 'a.gguf'\n") ==
          Names{"4: the checkpoint 'k' has a file and a builtin model"});
    CHECK(problems("file = 'a.gguf'\nparams = { base = 1 }\n") == Names{"7: 'params' without 'scheme'"});
    CHECK(problems("file = 'a.gguf'\nscheme = 'alibbi'\n") == Names{"7: unknown scheme 'alibbi'"});
    CHECK(problems_of(corpus + model + training + "[checkpoint.t]\ncorpus = 'c'\nfile = 'a.gguf'\n") ==
          Names{"15: 't' is a training too"});
}

TEST_CASE("labels are those of the quantity or its training, and a renamed quantity is not measured again") {
    const Folder folder;
    study::Options options;
    options.cache = folder.path("cache");
    options.least_seconds_to_keep = 0;
    const std::string study = corpus + model + training + "label = 'window {w}'\nsweep = { w = [2, 4] }\n" + perplexity;
    const auto first = run(study, options);
    REQUIRE(first.quantities.size() == 2);
    CHECK(first.quantities[0].label == "window {w}");
    CHECK(first.quantities[0].trained_length == 8);
    const auto written = files_under(options.cache);
    const auto second = run(study + "label = 'mine'\n", options);
    CHECK(second.quantities[1].label == "mine");
    CHECK(files_under(options.cache) == written);
    // What is asked of it is the evidence, without the label.
    for (const auto& [key, text] : second.quantities[1].evidence.facts) CHECK(key != "setting.label");
}

TEST_CASE("a quantity that waits for training is taken from the record if there is one, and nothing is trained") {
    study::Options options;
    options.only = {"ppl"};
    core::Result kept;
    kept.name = "ppl[w=2]";
    kept.kind = "perplexity";
    options.recorded = [&](const std::string& name) { return name == kept.name ? std::optional(kept) : std::nullopt; };
    const auto record = run(corpus + model + training + "sweep = { w = [2, 4] }\n" + perplexity, options);
    CHECK(names_of(record) == Names{"ppl[w=2]"});
    CHECK(record.quantities[0].trained_length == 8);
    CHECK(record.training_seconds == 0);
}

TEST_CASE("a measurement on record whose checkpoint is not installed is missing, and the rest is computed") {
    study::Options options;
    options.only = {"ppl", "line"};
    options.recorded = [](const std::string& name) {
        core::Result kept;
        kept.name = name;
        kept.kind = "perplexity";
        return name == "ppl" ? std::optional(kept) : std::nullopt;
    };
    const auto record = run(corpus + "[checkpoint.t]\ncorpus = 'c'\nfile = '/nowhere/model.gguf'\n" + perplexity +
                                "[quantity.line]\nkind = 'value'\nformula = '1 + 1'\n",
                            options);
    CHECK(names_of(record) == Names{"line"});
    REQUIRE(record.missing.size() == 1);
    CHECK(record.missing[0].first == "ppl");
    CHECK_THAT(record.missing[0].second, Catch::Contains("/nowhere/model.gguf"));
}

TEST_CASE("the series of a measurement of several seeds has their deviations") {
    const auto record = run(whole);
    const core::Result* perplexity_of = find(record, "ppl[w=2]");
    REQUIRE((perplexity_of && perplexity_of->series && perplexity_of->series->find("ppl_sd")));
    CHECK(perplexity_of->series->find("ppl_sd")->values[0] == number(record, "ppl[w=2]", "ppl_sd[8]"));
    const core::Result* field = find(record, "field[w=2]");
    REQUIRE((field && field->series && field->series->find("c_sd")));
    // All of the gradient is within the 24 tokens that were fed, for every seed: c rises to 1, its deviation falls to
    // 0.
    CHECK(std::fabs(field->series->find("c")->values[23] - 1) < 1e-12);
    CHECK(field->series->find("c_sd")->values[23] < 1e-12);
    CHECK(field->series->find("c_sd")->values[1] > 0);
}
