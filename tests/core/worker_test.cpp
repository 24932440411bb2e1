#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <farfield/core/worker.hpp>
#include <stdexcept>
#include <thread>

using namespace farfield;

TEST_CASE("a worker does one job after the other, and an exception reaches the caller of its job") {
    core::Worker worker;
    const auto always = [] { return true; };
    int done = 0;
    CHECK(worker.run([&] { ++done; }, always));
    CHECK(worker.run([&] { done += 10; }, always));
    CHECK(done == 11);
    CHECK_THROWS_AS(worker.run([] { throw std::domain_error("job"); }, always), std::domain_error);
    CHECK(worker.run([&] { done += 100; }, always));
    CHECK(done == 111);
}

TEST_CASE("a caller waits for a job as long as it chooses, and then abandons it") {
    const auto state = std::make_shared<std::atomic<bool>>(false);
    const auto job = [state] {
        while (!*state) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    int asked = 0;
    {
        core::Worker worker;
        CHECK(worker.run(job, [&] {
            *state = ++asked == 2;
            return true;
        }));
        CHECK(asked >= 2);
    }
    *state = false;
    core::Worker worker;
    CHECK_FALSE(worker.run(job, [] { return false; }));
    *state = true;
}
