// What a training does beside its steps: checkpoints, other processes, divergence.
#include <atomic>
#include <cmath>

#include "train/training_support.hpp"

using namespace farfield;
using namespace farfield::train;
using namespace farfield::tests;

TEST_CASE("a fresh training does all its steps, though another process has finished the model meanwhile") {
    const Folder folder;
    const Training training = small("alibi", 12);
    Control fresh = with_cache(folder, 5);
    fresh.fresh = true;
    std::atomic<int> steps = 0;
    fresh.progress = [&](double) {
        if (++steps == 3) train_one(training, with_cache(folder));  // the other process
    };
    CHECK(train_one(training, fresh).trained_here);
    CHECK(steps == 12);
}

TEST_CASE("the progress of a training adds up to the operations that it takes") {
    const Training training = small("alibi", 12);
    const Folder folder;
    double whole = 0, again = 0;
    Control control = with_cache(folder, 5);
    control.progress = [&](double operations) { whole += operations; };
    train_one(training, control);
    CHECK(std::abs(whole / operations_of(training) - 1) < 1e-14);
    // What is done already is told at once.
    control.progress = [&](double operations) { again += operations; };
    CHECK_FALSE(train_one(training, control).trained_here);
    CHECK(std::abs(again / operations_of(training) - 1) < 1e-14);
}

TEST_CASE("a loss is hopeless from a hundred times that of guessing on") {
    Training training = small("alibi", 60);
    training.schedule = {6, 0, 60, 1};
    training.clip = 0;
    const Trained trained = train_one(training);
    float largest = 0;
    for (const float loss : trained.losses) {
        CHECK(loss <= 100 * std::log(8.0));
        largest = std::max(largest, loss);
    }
    CHECK(largest > 100 * std::log(2.0));
}
