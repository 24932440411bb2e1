// Quantities of trainings: what waits, what is missing and why, and how far the work is.
#include <catch2/catch.hpp>
#include <filesystem>

#include "study/store.hpp"
#include "study/study_support.hpp"

using namespace study_support;
using namespace study_support::small_training;

TEST_CASE("a loss that is not finite before the first step is distinguished from a later divergence") {
    const auto missing = [](const std::string& scheme, const std::string& more) {
        const auto record = run(scheme + corpus + model + "[train.t]\nmodel = 'm'\nscheme = 's'\ncorpus = 'c'\n" +
                                "length = 8\nbatch = 4\nsteps = 400\n" + more + perplexity);
        REQUIRE(record.missing.size() == 1);
        return record.missing[0].second;
    };
    CHECK_THAT(missing("[scheme.s]\nembed = { even = '3e38 - p', odd = '3e38 - p' }\n", ""),
               Catch::Contains("before any weight changed: seed 0 at step 0"));
    CHECK_THAT(missing("[scheme.s]\nbias = '-n'\n", "lr = 1e8\nclip = 0\n"),
               Catch::Contains("the loss diverged: seed 0 at step"));
}

TEST_CASE("a claim on a fit of measurements is a claim on trained models") {
    const auto read = [](const std::string& verdict) {
        const Folder folder;
        folder.write("s.toml", corpus + model + training + perplexity +
                                   "[quantity.line]\nkind = 'fit'\nof = 'ppl'\nmodel = 'a + b*length'\n"
                                   "[[claim]]\nid = 'A'\nsays = 's'\nexpect = '" +
                                   verdict + "'\nholds = 'line.a > 0'\n");
        study::read({folder.path("s.toml"), "f/s", false}, {});
    };
    CHECK_NOTHROW(read("reproduced"));
    CHECK_THROWS_WITH(read("confirmed"), Catch::Contains("expect = \"reproduced\""));
}

TEST_CASE("a quantity that reads a measurement that waits for training waits too, and so do claims on it") {
    const Folder folder;
    folder.write("s.toml", corpus + model + training + perplexity +
                               "[quantity.line]\nkind = 'fit'\nof = 'ppl'\nmodel = 'a + b*length'\n"
                               "[[claim]]\nid = 'A'\nsays = 's'\nholds = 'line.a > 0'\n");
    const auto record = study::run(study::read({folder.path("s.toml"), "f/s", false}, {}), {});
    CHECK(record.quantities.empty());
    CHECK((record.missing.empty() && record.failed.empty()));
    REQUIRE(record.claims.size() == 1);
    CHECK(record.claims[0].verdict == core::Verdict::skipped);
}

TEST_CASE(
    "the progress of a training is a part of the whole, which is the operations of the training and its measurements") {
    double total = 0;
    study::Options options;
    options.progress = [&](const std::string&, double at, double all) {
        total = all;
        CHECK(at <= all);
    };
    run(corpus + model + training + perplexity, options);
    const double short_one = total;
    run(corpus + model + training.substr(0, training.find("steps")) + "steps = 120\n" + perplexity, options);
    CHECK(total > 5 * short_one);
    CHECK(total < 10 * short_one);
}

TEST_CASE("a text with one row of the length is long enough, and one token less is not") {
    for (const std::size_t tokens : {9, 8}) {
        const Folder folder;
        for (const char* each : {"a.txt", "b.txt"}) folder.write(each, std::string(tokens, *each));
        const auto of_text = [&] {
            return study::run(
                read(folder, "[corpus.c]\nfiles = ['*.txt']\nsplit = 'document'\nheld_out = 0.5\n" + model +
                                 "[train.t]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 8\n"
                                 "batch = 1\nsteps = 1\n[quantity.time]\nkind = 'timing'\nof = 't'\n"
                                 "lengths = [8]\nrepeats = 1\n"),
                {});
        };
        if (tokens == 9)
            CHECK(of_text().quantities.size() == 1);
        else
            CHECK_THROWS_WITH(of_text(), Catch::Contains("a length of 8"));
    }
}

TEST_CASE("an existing model gets a record again, which does not state who trained it") {
    namespace fs = std::filesystem;
    const Folder folder;
    study::Options options;
    options.cache = folder.path("cache");
    const auto records = [&] {
        std::vector<study::StoreEntry> entries = study::entries_of(options.cache);
        std::erase_if(entries, [](const study::StoreEntry& each) { return !each.is_model || !each.is_finished; });
        return entries;
    };
    const std::string text = corpus + model + training + perplexity;
    run(text, options);
    REQUIRE(records().size() == 1);
    REQUIRE(records()[0].record);
    CHECK(records()[0].record->seconds > 0);
    CHECK(records()[0].record->host == study::host_name());
    fs::remove(study::model_record_path(options.cache, records()[0].id));
    CHECK_FALSE(records()[0].record);
    run(text, options);
    REQUIRE(records()[0].record);
    CHECK((records()[0].record->name == "t, seed 0" && records()[0].record->kind == "training"));
    CHECK((records()[0].record->seconds == 0 && records()[0].record->host.empty()));
}
