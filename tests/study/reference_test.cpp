#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/train/checkpoint.hpp>
#include <filesystem>
#include <utility>

#include "study/study_support.hpp"

using namespace study_support;

namespace {

/// What PyTorch gives in double: see tests/references/study/training.py.
struct Reference {
    const char* name;
    std::vector<double> losses;                         ///< of every step
    std::vector<double> nll;                            ///< of the trained model, at each of the lengths
    std::vector<std::pair<const char*, double>> norms;  ///< of each slice of the trained model
};

const std::vector<Reference>& references() {
    // clang-format off
    static const std::vector<Reference> all = {
#include "references/study/training.inc"
    };
    // clang-format on
    return all;
}

const Reference& reference(const std::string& name) {
    for (const Reference& each : references())
        if (each.name == name) return each;
    throw std::runtime_error("no reference " + name);
}

/// Three documents of 700 words each, as the script draws them.
void write_documents(const Folder& folder) {
    const std::vector<std::string> words = {"the",  "sea",   "and", "a",   "light", "upon", "water", "was",
                                            "over", "earth", "in",  "day", "night", "wind", "made",  "it"};
    std::uint32_t state = 2024;
    for (const char* name : {"a.txt", "b.txt", "c.txt"}) {
        std::string text;
        for (int i = 0; i < 700; ++i) {
            state = state * 1664525 + 1013904223;
            text += (i > 0 ? " " : "") + words[(state >> 16) % 16];
        }
        folder.write(name, text);
    }
}

train::Checkpoint checkpoint_of(const std::string& training, const std::string& cache) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(cache)) {
        if (entry.path().extension() != ".safetensors") continue;
        train::Checkpoint checkpoint = train::load_checkpoint(entry.path().string());
        if (checkpoint.metadata.at("training").starts_with(training + ", seed")) return checkpoint;
    }
    throw std::runtime_error("no checkpoint of " + training + " in " + cache);
}

/// Runs the study, whose training is 't' and whose perplexity 'ppl', and compares both with the reference.
void check(const std::string& name, const std::string& study, const std::vector<std::string>& lengths) {
    const Folder folder;
    write_documents(folder);
    study::Options options;
    options.cache = folder.path("cache");
    const core::StudyRecord record = study::run(read(folder, study, options), options);
    const Reference& expected = reference(name);
    INFO(name);

    // The reference is in double, the training in float: ten units of 2^-24. With AVX-512 all differ by less than 3e-7.
    constexpr double tolerance = 6e-7;
    const train::Checkpoint checkpoint = checkpoint_of("t", options.cache);
    const auto losses = train::floats(checkpoint, "losses", {expected.losses.size()}, "checkpoint");
    for (std::size_t step = 0; step < losses.size(); ++step) {
        INFO("step " << step << ": " << losses[step] << " against " << expected.losses[step]);
        CHECK(std::abs(losses[step] - expected.losses[step]) < tolerance * expected.losses[step]);
    }
    REQUIRE(lengths.size() == expected.nll.size());
    for (std::size_t at = 0; at < lengths.size(); ++at) {
        const core::Cell* cell = find(record, "ppl")->find("nll[" + lengths[at] + "]");
        REQUIRE((cell && cell->number));
        INFO("nll[" << lengths[at] << "]: " << *cell->number << " against " << expected.nll[at]);
        CHECK(std::abs(*cell->number - expected.nll[at]) < tolerance * expected.nll[at]);
    }
    for (const auto& [slice, norm] : expected.norms) {
        const train::Tensor* tensor = checkpoint.find(slice);
        REQUIRE(tensor);
        double squares = 0;
        for (const float number : std::get<train::Numbers<float>>(tensor->data).all())
            squares += double{number} * number;
        INFO(slice << ": " << std::sqrt(squares) << " against " << norm);
        CHECK(std::abs(std::sqrt(squares) - norm) < tolerance * norm);
    }
}

}  // namespace

TEST_CASE("a training on a text gives the losses and the perplexity of its rebuilding in PyTorch") {
    check("text",
          "[corpus.c]\nfiles = ['*.txt']\nheld_out = 0.15\nblock = 1000\n"
          "[model.m]\nlayers = 2\nheads = 2\nwidth = 16\n"
          "[train.t]\nmodel = 'm'\nscheme = 'kerple-log'\ncorpus = 'c'\nlength = 24\nbatch = 5\naccumulate = 2\n"
          "steps = 40\nlr = 1e-2\nseeds = [4294967303]\n"
          "[quantity.ppl]\nkind = 'perplexity'\nof = 't'\nlengths = [24, 60]\nsegments = 6\ntargets = 4\n",
          {"24", "60"});
}

TEST_CASE("a training on a chain gives the losses and the perplexity of its rebuilding in PyTorch") {
    check("chain",
          "[corpus.c]\nbuiltin = 'chain'\nsymbols = 5\norder = 2\nalpha = 0.5\nseed = 3\n"
          "[model.m]\nlayers = 2\nheads = 2\nwidth = 16\nnorm = 'post'\nhead = 'tied'\n"
          "[train.t]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 20\nbatch = 6\nsteps = 30\nlr = 5e-3\n"
          "warmup = 5\nlr_end = 0.2\ndecay = 0.1\nbeta2 = 0.95\nclip = 0.5\nseeds = [1]\n"
          "[quantity.ppl]\nkind = 'perplexity'\nof = 't'\nlengths = [20, 50]\nsegments = 6\ntargets = 4\n",
          {"20", "50"});
}

TEST_CASE("a training on copies gives the losses and the perplexity of its rebuilding in PyTorch") {
    check("copy",
          "[corpus.c]\nbuiltin = 'copy'\nsymbols = 6\n"
          "[model.m]\nlayers = 1\nheads = 2\nwidth = 16\n"
          "[train.t]\nmodel = 'm'\nscheme = 'rotary'\ncorpus = 'c'\nlength = 21\nbatch = 4\nsteps = 30\nlr = 5e-3\n"
          "clip = 0\n"
          "[quantity.ppl]\nkind = 'perplexity'\nof = 't'\nlengths = [12, 21]\nsegments = 5\n",
          {"12", "21"});
}

TEST_CASE("a training on urns gives the losses and the perplexity of its rebuilding in PyTorch") {
    check("urn",
          "[corpus.c]\nbuiltin = 'urn'\nsymbols = 7\nalpha = 0.7\n"
          "[model.m]\nlayers = 1\nheads = 2\nwidth = 16\nffn = 24\n"
          "[train.t]\nmodel = 'm'\nscheme = 'shaw'\ncorpus = 'c'\nlength = 24\nbatch = 4\nsteps = 30\nlr = 5e-3\n"
          "seeds = [5]\n"
          "[quantity.ppl]\nkind = 'perplexity'\nof = 't'\nlengths = [24, 40]\nsegments = 5\ntargets = 4\n",
          {"24", "40"});
}

TEST_CASE("a training that starts from another one's weights gives the results of its rebuilding in PyTorch") {
    check("tuned",
          "[corpus.c]\nbuiltin = 'chain'\nsymbols = 5\norder = 2\nalpha = 0.5\nseed = 3\n"
          "[model.m]\nlayers = 2\nheads = 2\nwidth = 16\nnorm = 'post'\nhead = 'tied'\n"
          "[train.before]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 20\nbatch = 6\nsteps = 30\n"
          "lr = 5e-3\nwarmup = 5\nlr_end = 0.2\ndecay = 0.1\nbeta2 = 0.95\nclip = 0.5\nseeds = [1]\n"
          "[train.t]\nstart = 'before'\nmodel = 'm'\nscheme = 'kerple-log'\ncorpus = 'c'\nlength = 28\nbatch = 4\n"
          "steps = 20\nlr = 3e-3\nwarmup = 2\nlr_end = 1\nseeds = [1]\n"
          "[quantity.ppl]\nkind = 'perplexity'\nof = 't'\nlengths = [20, 50]\nsegments = 6\ntargets = 4\n",
          {"20", "50"});
}
