// Measurements side by side.
#include "measure/tasks.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "measure/measure_support.hpp"

using namespace measure_support;

namespace {

measure::Subject urn_subject() {
    return subject_of(training_of(*scheme::Registry::builtin().find("alibi"), train::make_urn(8, 1)));
}

/// How many of four tasks are at work at once; each waits so many milliseconds for another at most.
int most_at_once(const measure::Inputs& inputs, int patience) {
    std::atomic<int> now = 0, most = 0;
    measure::in_parallel(4, inputs, [&](std::size_t, model::Workspace<float>&) {
        const int own = ++now;
        for (int before = most; before < own && !most.compare_exchange_weak(before, own);) continue;
        for (int i = 0; i < patience && most < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --now;
    });
    return most;
}

}  // namespace

TEST_CASE("as many tasks are at work at once as there are processors, and one of a checkpoint") {
    measure::Subject subject = urn_subject();
    CHECK(most_at_once({subject, nullptr, 1, [] { return false; }}, 50) == 1);
    CHECK(most_at_once({subject, nullptr, 2, [] { return false; }}, 20000) == 2);
    subject.is_checkpoint = true;
    CHECK(most_at_once({subject, nullptr, 2, [] { return false; }}, 50) == 1);
}

TEST_CASE("every task is done once on any number of threads; the first failure ends them") {
    const auto one = urn_subject();
    for (const std::size_t processors : {1, 2, 5}) {
        for (const std::size_t count : {0, 1, 3, 40}) {
            std::vector<std::atomic<int>> done(count);
            measure::in_parallel(count, {one, nullptr, processors, [] { return false; }},
                                 [&](std::size_t i, model::Workspace<float>&) { ++done[i]; });
            for (const auto& each : done) CHECK(each == 1);
        }
        std::atomic<int> begun = 0;
        CHECK_THROWS_WITH(measure::in_parallel(1000, {one, nullptr, processors, [] { return false; }},
                                               [&](std::size_t, model::Workspace<float>&) {
                                                   ++begun;
                                                   throw std::runtime_error("broken");
                                               }),
                          "broken");
        CHECK(begun <= static_cast<int>(processors));
        std::atomic<int> after = 0;
        measure::in_parallel(1000, {one, nullptr, processors, [&] { return after >= 1; }},
                             [&](std::size_t, model::Workspace<float>&) { ++after; });
        CHECK(after >= 1);
        CHECK(after <= static_cast<int>(processors));
    }
}
