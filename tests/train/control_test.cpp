// What a training does beside its steps: checkpoints, other processes, divergence.
#include <atomic>
#include <chrono>
#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/core/size_text.hpp>
#include <farfield/train/memory.hpp>
#include <filesystem>
#include <mutex>

#include "train/train_support.hpp"

using namespace farfield;
using namespace farfield::train;
using namespace train_support;

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

TEST_CASE("a file of another process at the place of the finished model is used only if it is complete and finished") {
    const Training training = small("alibi", 12);
    const Trained whole = train_one(training);
    for (const bool is_damaged : {false, true}) {
        const Folder folder;
        Control control = with_cache(folder, 5);
        std::atomic<int> steps = 0;
        control.progress = [&](double) {
            if (++steps != 7) return;
            const std::string path = checkpoint_path(folder.path(), training);
            std::filesystem::copy(unfinished_path(folder.path(), training), path);
            if (is_damaged) std::filesystem::resize_file(path, 100);
        };
        check_same(train_one(training, control), whole);
        CHECK(steps == 12);
        CHECK_FALSE(train_one(training, with_cache(folder)).trained_here);
    }
}

TEST_CASE("checkpoints are written at the given interval of seconds") {
    const Training training = small("alibi", 4);
    for (const double seconds : {1e-9, 1e9}) {
        const Folder folder;
        Control control = with_cache(folder);
        control.checkpoint_seconds = seconds;
        std::vector<std::size_t> unsaved;
        control.unsaved = [&](const Training&, std::size_t steps) { unsaved.push_back(steps); };
        train_one(training, control);
        CHECK(unsaved == (seconds < 1 ? std::vector<std::size_t>{1, 0, 1, 0, 1, 0, 1, 0}
                                      : std::vector<std::size_t>{1, 2, 3, 4, 0}));
    }
}

TEST_CASE("a training beyond memory is reported with its parts and the parameters of the other trainings") {
    Training large = small();
    large.config.width = std::size_t{1} << 18;
    Training other = large;
    other.seed = 4;
    const double parameters = parts_of(large, 1).back().bytes / 4;
    Control control;
    control.processors = 1;
    for (const std::size_t others : {0, 1, 2}) {
        std::vector<Training> trainings = {large};
        for (std::size_t i = 0; i < others; ++i) {
            trainings.push_back(other);
            trainings.back().seed += i;
        }
        std::string told;
        try {
            std::rethrow_exception(train_all(trainings, control).front().failure);
        } catch (const core::MissingError& error) {
            told = error.what();
        }
        INFO(told);
        CHECK(told.find("memory for the training of 'small, seed 3'") != std::string::npos);
        CHECK(told.find("parameters, gradient and moments " + core::size_text(4 * parameters)) != std::string::npos);
        const std::string beside =
            "parameters of the other trainings " + core::size_text(static_cast<double>(others) * parameters);
        CHECK((told.find("other trainings") != std::string::npos) == (others > 0));
        CHECK((told.find(beside) != std::string::npos) == (others > 0));
    }
}

TEST_CASE("the progress of a training adds up to its operations") {
    const Training training = small("alibi", 12);
    const Folder folder;
    double whole = 0, again = 0;
    Control control = with_cache(folder, 5);
    control.progress = [&](double operations) { whole += operations; };
    train_one(training, control);
    CHECK(std::abs(whole / operations_of(training) - 1) < 1e-14);
    // Work that is done already is reported at once.
    control.progress = [&](double operations) { again += operations; };
    CHECK_FALSE(train_one(training, control).trained_here);
    CHECK(std::abs(again / operations_of(training) - 1) < 1e-14);
}

TEST_CASE("a loss counts as hopeless from a hundred times the loss of guessing") {
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

TEST_CASE("trainings of one step each are all trained, though a trial of how to share the processors ends the first") {
    std::vector<Training> trainings;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        trainings.push_back(small("alibi", 1));
        trainings.back().seed = seed;
    }
    for (const std::size_t processors : {1, 2, 4}) {
        Control control;
        control.processors = processors;
        for (const Trained& trained : train_all(trainings, control)) CHECK((trained.finished && !trained.failure));
    }
}

TEST_CASE("concurrent trainings use no more than their number of processors") {
    const Folder folder;
    std::vector<Training> trainings;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        trainings.push_back(small("alibi", 400));
        trainings.back().seed = seed;
    }
    Control control = with_cache(folder);
    control.processors = 4;
    std::mutex mutex;
    double seconds = 0;
    control.kept = [&](const Training&, double own) {
        const std::lock_guard lock(mutex);
        seconds += own;
    };
    const auto start = std::chrono::steady_clock::now();
    train_all(trainings, control);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    // A step counts its time on each processor of its share, and the shares of all trainings are the processors.
    CHECK(seconds > 0);
    CHECK(seconds <= 4 * wall.count());
}
