// Trainings that start from the weights of another one.
#include <atomic>
#include <catch2/catch.hpp>
#include <farfield/core/error.hpp>
#include <farfield/model/optimiser.hpp>
#include <filesystem>
#include <utility>

#include "train/train_support.hpp"

using namespace train_support;
using Catch::Contains;

namespace {

/// Trained on from small(): another scheme and length, rows and a schedule of its own.
Training tuned(const std::string& scheme = "nope", std::size_t steps = 12) {
    Training training = small(scheme, steps);
    training.name = "tuned, seed 3";
    training.config.train_length = 24;
    training.schedule = {5e-3, 2, steps, 1};
    training.start = std::make_shared<const Training>(small());
    return training;
}

/// The parameters of a name.
std::vector<float> slice_of(const model::Model<float>& model, const std::string& name) {
    const model::Slice& slice = model.layout().at(name);
    const std::span<const float> numbers = model.parameters().subspan(slice.offset, slice.size());
    return {numbers.begin(), numbers.end()};
}

}  // namespace

TEST_CASE("a training that starts from another one continues from its weights, with its own moments and schedule") {
    const Training training = tuned();
    const Trained before = train_one(small());
    // Step by step, from the parts of a training: the rows go on where those of the 40 steps before end.
    model::Model<float> model(training.config, training.scheme, training.seed);
    REQUIRE(model.layout().size() == before.model->layout().size());  // neither scheme has parameters
    std::copy(before.model->parameters().begin(), before.model->parameters().end(), model.parameters().begin());
    model::AdamW<float> optimiser(model.layout(), training.optimiser);
    model::Workspace<float> workspace(1);
    std::vector<float> gradient(model.layout().size()), losses;
    for (std::uint32_t step = 0; step < 12; ++step) {
        std::vector<Token> inputs, targets;
        for (std::uint32_t number = 0; number < 4; ++number) {
            const Row row = training.source->sample(3, 40 + step, number, 24);
            inputs.insert(inputs.end(), row.tokens.begin(), row.tokens.end() - 1);
            targets.insert(targets.end(), row.tokens.begin() + 1, row.tokens.end());
        }
        losses.push_back(static_cast<float>(model.forward_backward({inputs, targets, 4, 24, 0}, workspace, gradient)));
        const double norm = model::gradient_norm<float>(gradient, workspace);
        optimiser.step(model.parameters(), gradient, training.schedule.rate(step), model::clip_factor(norm, 1),
                       workspace);
    }
    const Trained trained = train_one(training);
    CHECK(trained.losses == losses);
    const std::span<const float> own = std::as_const(model).parameters();
    CHECK(std::equal(own.begin(), own.end(), trained.model->parameters().begin()));
}

TEST_CASE("a rate of 0 does not change the initial weights of a training") {
    Training still = tuned("alibi");
    still.schedule.peak = 0;
    const Trained before = train_one(small()), after = train_one(still);
    CHECK(after.losses.size() == 12);
    CHECK(std::equal(after.model->parameters().begin(), after.model->parameters().end(),
                     before.model->parameters().begin()));
}

TEST_CASE(
    "parameters of a scheme are taken from the model that has them, and otherwise start from their initial values") {
    Training still = tuned("kerple-log");
    still.schedule.peak = 0;
    Training fresh = still;
    fresh.start = nullptr;
    const Trained anew = train_one(still), never = train_one(fresh);
    still.start = std::make_shared<const Training>(small("kerple-log"));
    const Trained before = train_one(small("kerple-log")), kept = train_one(still);
    for (const char* name : {"scheme.r1", "scheme.r2"}) {
        CHECK(slice_of(*anew.model, name) == slice_of(*never.model, name));
        CHECK(slice_of(*kept.model, name) == slice_of(*before.model, name));
        CHECK(slice_of(*kept.model, name) != slice_of(*anew.model, name));
    }
    CHECK(slice_of(*anew.model, "head.weight") != slice_of(*never.model, "head.weight"));
}

TEST_CASE("a chain of trainings gives the same bits however it is requested, stopped and resumed") {
    Training third = tuned("kerple-log");
    third.start = std::make_shared<const Training>(tuned());
    const Trained whole = train_one(third);
    Control control;
    control.processors = 2;
    const std::vector<Trained> all = train_all({third, tuned(), small(), third, tuned("rotary")}, control);
    for (const std::size_t at : {0, 3}) check_same(all[at], whole);
    check_same(all[1], train_one(tuned()));
    check_same(all[2], train_one(small()));
    check_same(all[4], train_one(tuned("rotary")));
    // 40, 12 and 12 steps: it is stopped in each of them.
    for (const int most : {13, 45, 58}) {
        const Folder folder;
        Control stopped = with_cache(folder);
        std::atomic<int> steps = 0;
        stopped.progress = [&](double) { ++steps; };
        stopped.interrupted = [&] { return steps >= most; };
        const Trained part = train_one(third, stopped);
        CHECK_FALSE(part.finished);
        CHECK((part.model == nullptr) == (most < 58));
        const Trained rest = train_one(third, with_cache(folder));
        check_same(rest, whole);
        CHECK_FALSE(train_one(third, with_cache(folder)).trained_here);
    }
}

TEST_CASE("a finished training needs no other one; one that is damaged starts again") {
    const Folder folder;
    const Training training = tuned();
    const Trained whole = train_one(training, with_cache(folder));
    const std::string before = checkpoint_path(folder.path(), small());
    CHECK(std::filesystem::remove(before));
    const Trained again = train_one(training, with_cache(folder));
    CHECK_FALSE(again.trained_here);
    check_same(again, whole);
    CHECK_FALSE(std::filesystem::exists(before));
    std::filesystem::resize_file(checkpoint_path(folder.path(), training), 100);
    const Trained anew = train_one(training, with_cache(folder));
    CHECK_THAT(anew.discarded, Contains("cut short"));
    check_same(anew, whole);
    CHECK(std::filesystem::exists(before));
}

TEST_CASE("the outcome of a training applies to those that start from it") {
    Training wild = small("alibi", 60);
    wild.schedule = {1e30, 0, 60, 1};
    wild.clip = 0;
    Training training = tuned();
    training.start = std::make_shared<const Training>(wild);
    const Folder folder;
    for (const bool is_there : {false, true}) {
        const Trained trained = train_one(training, with_cache(folder));
        CHECK(trained.start_diverged);
        CHECK(trained.diverged == std::size_t{0});
        CHECK(trained.finished);
        CHECK(trained.losses.empty());
        CHECK(std::filesystem::exists(checkpoint_path(folder.path(), training)));
        if (is_there) continue;
        CHECK_FALSE(train_one(small(), with_cache(folder)).start_diverged);
        std::filesystem::remove(checkpoint_path(folder.path(), wild));
    }
    Training bad = small();
    bad.scheme = scheme_of("bias = 'sqrt(n - 3*(h - 1))'");
    training.start = std::make_shared<const Training>(bad);
    CHECK_THROWS_WITH(train_one(training), Contains("bias"));
    Training wide = small();
    wide.config.width = 32;
    training.start = std::make_shared<const Training>(wide);
    CHECK_THROWS_AS(train_one(training), core::PreconditionError);
}

TEST_CASE("the key of a training changes with all that the one it starts from depends on") {
    const Training training = tuned();
    Training plain = training;
    plain.start = nullptr;
    CHECK(key_of(plain) != key_of(training));
    Training named = small();
    named.name = "another name";
    Training other = training;
    other.start = std::make_shared<const Training>(named);
    CHECK(key_of(other) == key_of(training));
    named.schedule.peak = 1e-3;
    other.start = std::make_shared<const Training>(named);
    CHECK(key_of(other) != key_of(training));
    Training third = tuned("kerple-log");
    third.start = std::make_shared<const Training>(training);
    Training farther = third;
    farther.start = std::make_shared<const Training>(other);
    CHECK(key_of(farther) != key_of(third));
    // Those of several seeds are of the same seeds of the other one.
    Training fifth = training;
    fifth.seed = 5;
    Training before = small();
    before.seed = 5;
    fifth.start = std::make_shared<const Training>(before);
    CHECK(keys_of(training, {3, 5}) == std::vector<std::string>{key_of(training), key_of(fifth)});
}
