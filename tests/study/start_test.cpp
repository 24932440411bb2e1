// Trainings that a study starts from the models of another one.
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <limits>

#include "study/study_support.hpp"

using namespace study_support;
using small_training::corpus;
using small_training::model;
using small_training::perplexity;
using small_training::training;
using Names = std::vector<std::string>;

namespace {

double nll(const core::StudyRecord& record, const std::string& quantity, const std::string& length) {
    const core::Result* result = find(record, quantity);
    const core::Cell* cell = result ? result->find("nll[" + length + "]") : nullptr;
    return cell && cell->number ? *cell->number : NAN;
}

/// Lines 15 on, behind corpus, model and training.
std::string trained_on(const std::string& start, const std::string& more = "") {
    return "[train.on]\nstart = '" + start + "'\nmodel = 'm'\nscheme = 'nope'\ncorpus = 'c'\nlength = 16\nbatch = 4\n" +
           "steps = 5\n" + more +
           "[quantity.later]\nkind = 'perplexity'\nof = 'on'\nlengths = [8, 24]\nsegments = 6\n" + "targets = 2\n";
}

}  // namespace

TEST_CASE("a training starts from the models of another one, each from its own seed and value of the sweep") {
    const Folder folder;
    study::Options options;
    options.cache = folder.path("cache");
    options.least_seconds_to_keep = std::numeric_limits<double>::infinity();
    const std::string text =
        corpus + model + training + "seeds = [0, 5]\nsweep = { w = [2, 4] }\n" + trained_on("t", "seeds = [5]\n");
    const auto record = run(text, options);
    CHECK(names_of(record) == Names{"later[w=2]", "later[w=4]"});
    CHECK(nll(record, "later[w=2]", "8") != nll(record, "later[w=4]", "8"));
    CHECK(find(record, "later[w=2]")->trained_length == 16);
    // Nothing asks for the models of seed 0.
    std::size_t models = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(options.cache))
        models += entry.path().extension() == ".safetensors" ? 1 : 0;
    CHECK(models == 4);
    CHECK(nll(run(text), "later[w=4]", "24") == nll(record, "later[w=4]", "24"));
    // A value of the first training reaches what is measured of the second.
    options.set = {{"train.t.lr", "2e-2"}};
    CHECK(nll(run(text, options), "later[w=4]", "24") != nll(record, "later[w=4]", "24"));
}

TEST_CASE("an invalid start of a training is reported at its place") {
    const std::string study = corpus + model + training;
    CHECK(problems_of(study + trained_on("t")).empty());
    CHECK(problems_of(study + trained_on("u")) == Names{"16: unknown training 'u'"});
    CHECK(problems_of(study + trained_on("on")) == Names{"16: trainings start from each other: on -> on"});
    CHECK(problems_of(study + trained_on("t", "seeds = [0, 7, 8]\n")) ==
          Names{"16: 'on' cannot start from 't': it has no seed 7 or 8"});
    CHECK(problems_of(study + "start = 'on'\n" + trained_on("t")) ==
          Names{"15: trainings start from each other: t -> on -> t"});
    CHECK(problems_of(study + trained_on("k") + "[checkpoint.k]\nbuiltin = 'smollm2-135m'\ncorpus = 'c'\n") ==
          Names{"16: 'k' is a checkpoint"});
    const auto other = [&](const std::string& key, const std::string& table) {
        std::string text = trained_on("t");
        return problems_of(study + text.replace(text.find(key) + key.size() + 4, 1, "n") + table);
    };
    CHECK(
        other("model",
              "[model.n]\nlayers = 1\nheads = 4\nwidth = 12\nffn = 8\nnorm = 'post'\nhead = 'tied'\n"
              "precision = 'bf16'\n") ==
        Names{
            "16: 'on' cannot start from 't': ffn 8 instead of 32; head tied instead of untied; heads 4 instead of 2; "
            "layers 1 instead of 2; norm post instead of pre; precision bf16 instead of fp32; width 12 instead of 8"});
    CHECK(other("corpus", "[corpus.n]\nbuiltin = 'urn'\nsymbols = 5\n") ==
          Names{"16: 'on' cannot start from 't': the corpus 'n' instead of 'c'"});
    // Another name of the same.
    CHECK(other("model", "[model.n]\nlayers = 2\nheads = 2\nwidth = 8\n").empty());
    CHECK(other("corpus", "[corpus.n]\nbuiltin = 'urn'\nsymbols = 4\n").empty());
}

TEST_CASE("parameters of two schemes with one name have one shape, if a training starts from the other one") {
    const auto problems = [](const std::string& own, const std::string& other) {
        return problems_of("[scheme.a]\n" + other + "\n[scheme.b]\n" + own + "\n" + corpus + model +
                           "[train.t]\nmodel = 'm'\nscheme = 'a'\ncorpus = 'c'\nlength = 8\nsteps = 2\n"
                           "[train.on]\nmodel = 'm'\nscheme = 'b'\ncorpus = 'c'\nlength = 8\nsteps = 2\nstart = 't'\n");
    };
    const auto bias = [](const std::string& learn) {
        return "bias = '-b*n'\nlearn = { b = { init = 1" + learn + " } }";
    };
    const std::string begin = "26: 'on' cannot start from 't': ";
    CHECK(problems(bias(""), bias("")).empty());
    CHECK(problems(bias(", per = 'head'"), "bias = '-n'").empty());
    CHECK(problems(bias(", per = 'head'"), bias("")) == Names{begin + "b one number per head instead of one number"});
    CHECK(problems(bias(", positive = true"), bias("")) ==
          Names{begin + "b positive, one number instead of one number"});
    const auto learned = [](const std::string& length) {
        return "embed = { learned = true, max_length = " + length + " }";
    };
    CHECK(problems(learned("8"), learned("16")) ==
          Names{"24: 'on' cannot start from 't': embed 8 learned positions instead of 16 learned positions"});
    const auto relative = [](const std::string& clip) { return "relative = { clip = " + clip + ", values = false }"; };
    CHECK(problems(relative("8"), relative("4")) ==
          Names{"24: 'on' cannot start from 't': relative keys clip 8 instead of clip 4"});
}

TEST_CASE("a chain of trainings has at most 101 of them, and as many steps as one may have") {
    const auto problems = [](std::size_t count, const std::string& steps) {
        std::string text = corpus + model;
        for (std::size_t i = 0; i < count; ++i)
            text += "[train.t" + std::to_string(i) +
                    "]\nmodel = 'm'\nscheme = 'nope'\ncorpus = 'c'\nlength = 8\nsteps = " + steps + "\n" +
                    (i > 0 ? "start = 't" + std::to_string(i - 1) + "'\n" : "warmup = 0\n");
        return problems_of(text);
    };
    CHECK(problems(101, "2").empty());
    CHECK(problems(102, "2") == Names{"721: 't101' is behind 101 trainings"});
    CHECK(problems(2, "500000000").empty());
    CHECK(problems(2, "500000001") == Names{"21: 't1' and the trainings before it have 1000000002 steps"});
}

TEST_CASE("a training whose start diverged is missing, with the reason") {
    const auto record =
        run(corpus + model + training + "lr = 1e30\nclip = 0\nwarmup = 0\n" + trained_on("t") + perplexity);
    REQUIRE(record.missing.size() == 2);
    for (const auto& [name, reason] : record.missing)
        CHECK_THAT(reason, Catch::Contains(name == "ppl" ? "diverged: seed 0 at step"
                                                         : "diverged: seed 0 in the training it starts from"));
}
