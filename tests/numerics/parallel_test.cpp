#include "numerics/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <farfield/core/pulse.hpp>
#include <farfield/numerics/processors.hpp>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace farfield;
using namespace std::chrono_literals;

TEST_CASE("ranges of work make the whole, begun at multiples of the grain, on any number of processors") {
    const std::size_t usual = numerics::processors();
    for (const std::size_t threads : {1, 2, 5}) {
        numerics::set_processors(threads);
        for (const std::size_t grain : {1u, 3u, 64u}) {
            for (const std::size_t count : {0u, 1u, 2u, 63u, 64u, 65u, 1000u, 10007u}) {
                INFO(threads << " threads, " << count << " by " << grain);
                std::vector<int> times(count, 0);
                std::mutex mutex;
                bool fits = true;
                numerics::in_parallel(count, grain, [&](std::size_t begin, std::size_t end) {
                    const std::lock_guard lock(mutex);
                    fits = fits && begin < end && end <= count && begin % grain == 0;
                    fits = fits && (end == count || end % grain == 0);
                    for (std::size_t i = begin; i < std::min(end, count); ++i) ++times[i];
                });
                CHECK(fits);
                CHECK(times == std::vector<int>(count, 1));
            }
        }
        CHECK_THROWS_AS(
            numerics::in_parallel(1000, 1, [](std::size_t, std::size_t) { throw std::out_of_range("work"); }),
            std::out_of_range);
    }
    numerics::set_processors(usual);
}

TEST_CASE("a team acts in the order of indices, and not after a failure") {
    for (const std::size_t threads : {1, 2, 5}) {
        const numerics::Team team(threads);
        std::vector<std::size_t> order;
        std::vector<std::size_t> worked(threads);
        // The first indices work longest, so that later ones must wait for their turn.
        const auto work = [&](std::size_t index, std::size_t slot) {
            std::this_thread::sleep_for(std::chrono::microseconds(500 / (index + 1)));
            worked[slot] = index;
        };
        bool is_own = true;
        team.run_in_turn(40, work, [&](std::size_t index, std::size_t slot) {
            is_own = is_own && worked[slot] == index;
            order.push_back(index);
        });
        CHECK(is_own);
        CHECK(order.size() == 40);
        CHECK(std::is_sorted(order.begin(), order.end()));
        order.clear();
        const auto act_until = [&](std::size_t index, std::size_t) {
            if (index == 7) throw std::out_of_range("act");
            order.push_back(index);
        };
        CHECK_THROWS_AS(team.run_in_turn(40, work, act_until), std::out_of_range);
        CHECK(order == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6});
        const auto fail = [](std::size_t index, std::size_t) {
            if (index == 3) throw std::out_of_range("work");
        };
        order.clear();
        CHECK_THROWS_AS(team.run_in_turn(40, fail, act_until), std::out_of_range);
        CHECK(order.size() <= 3);
    }
}

TEST_CASE("a team does every index once, in slots that no two threads have at one time") {
    for (const std::size_t threads : {1, 2, 5}) {
        const numerics::Team team(threads);
        CHECK(team.threads() == threads);
        for (const std::size_t count : {0, 1, 2, 100}) {
            std::vector<std::atomic<int>> done(count);
            std::vector<std::atomic<int>> at_work(threads);
            std::atomic<bool> alone = true;
            team.run(count, [&](std::size_t index, std::size_t slot) {
                ++done[index];
                if (++at_work.at(slot) != 1) alone = false;
                std::this_thread::yield();
                --at_work[slot];
            });
            for (const auto& each : done) CHECK(each == 1);
            CHECK(alone);
        }
    }
}

TEST_CASE("no more threads join a loop than it has slots, however many wait") {
    numerics::Team(8).run(8, [](std::size_t, std::size_t) { std::this_thread::sleep_for(1ms); });
    std::atomic<std::size_t> most = 0;
    for (int round = 0; round < 20; ++round) {
        numerics::Team(2).run(40, [&](std::size_t, std::size_t slot) {
            if (slot > most) most = slot;
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        });
    }
    CHECK(most <= 1);
}

TEST_CASE("the exception of the lowest index that fails is thrown on any number of threads, once") {
    for (const std::size_t threads : {1, 2, 5}) {
        const numerics::Team team(threads);
        for (int round = 0; round < 100; ++round) {
            CHECK_THROWS_WITH(team.run(20,
                                       [&](std::size_t index, std::size_t) {
                                           if (index == 3) std::this_thread::yield();
                                           if (index >= 3) throw std::runtime_error(std::to_string(index));
                                       }),
                              "3");
        }
        int begun = 0;
        CHECK_NOTHROW(team.run(1, [&](std::size_t, std::size_t) { ++begun; }));
        CHECK(begun == 1);
    }
}

TEST_CASE("indices after one that fails are left out") {
    std::atomic<int> begun = 0;
    CHECK_THROWS(numerics::Team(2).run(1000, [&](std::size_t index, std::size_t) {
        ++begun;
        if (index == 0) throw std::runtime_error("0");
        std::this_thread::sleep_for(1ms);
    }));
    CHECK(begun < 500);
}

TEST_CASE("helpers work, beat for the pulse of the loop, and run loops within it on themselves") {
    const auto pulse = std::make_shared<core::Pulse>();
    const core::PulseScope scope(pulse);
    const auto caller = std::this_thread::get_id();
    std::atomic<int> began = 0;
    std::atomic<bool> same_pulse = true;
    std::atomic<bool> same_thread = true;
    std::atomic<bool> helped = false;
    // Each index waits until the other has begun: on one thread this does not end.
    numerics::Team(2).run(2, [&](std::size_t, std::size_t) {
        ++began;
        while (began < 2) std::this_thread::sleep_for(1ms);
        const auto own = std::this_thread::get_id();
        if (own != caller) helped = true;
        if (core::PulseScope::current() != pulse) same_pulse = false;
        const auto stays = [&](std::size_t, std::size_t) {
            if (std::this_thread::get_id() != own) same_thread = false;
        };
        numerics::in_parallel(1000, 1, stays);
        numerics::Team(5).run(100, stays);
    });
    CHECK(helped);
    CHECK(same_pulse);
    CHECK(same_thread);
    CHECK(core::PulseScope::current() == pulse);
}

TEST_CASE("a loop does not wait for helpers that are busy with another") {
    const numerics::Team team(2);
    std::atomic<bool> ready = false;
    std::atomic<int> waiting = 0;
    std::thread other([&] {
        // Holds at least its own thread and, once it is awake, a helper.
        team.run(2, [&](std::size_t, std::size_t) {
            ++waiting;
            while (!ready) std::this_thread::sleep_for(1ms);
        });
    });
    while (waiting == 0) std::this_thread::sleep_for(1ms);
    std::atomic<int> done = 0;
    team.run(100, [&](std::size_t, std::size_t) { ++done; });
    CHECK(done == 100);
    ready = true;
    other.join();
    CHECK(waiting == 2);
}

TEST_CASE("each of several concurrent tasks is done once, however few there are") {
    for (const std::size_t count : {0, 1, 3}) {
        std::vector<std::atomic<int>> times(count);
        numerics::side_by_side(count, 4, [&](std::size_t i) { ++times[i]; });
        for (const auto& each : times) CHECK(each == 1);
    }
}

TEST_CASE("loops that separate threads begin are all done") {
    std::vector<std::atomic<int>> sums(6);
    numerics::side_by_side(sums.size(), 4, [&](std::size_t i) {
        for (int round = 0; round < 200; ++round) {
            const numerics::Team team(1 + i % 3);
            team.run(7, [&](std::size_t index, std::size_t) { sums[i] += static_cast<int>(index); });
        }
    });
    for (const auto& sum : sums) CHECK(sum == 200 * 21);
}
