#include "study/shards.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

using namespace farfield::study;

namespace {

Task task(const std::string& id, double seconds, std::vector<std::size_t> needs = {}) {
    Task made;
    made.id = id;
    made.seconds = seconds;
    made.needs = std::move(needs);
    return made;
}

/// Trainings, measurements of one or two of them, and joins of measurements, by chance.
std::vector<Task> random_tasks(std::mt19937& random) {
    std::uniform_real_distribution<double> seconds(0.1, 10);
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < 40; ++i) {
        std::vector<std::size_t> needs;
        for (std::size_t count = tasks.empty() ? 0 : random() % 3; count > 0; --count)
            needs.push_back(random() % tasks.size());
        tasks.push_back(task("task " + std::to_string(random()), seconds(random), needs));
    }
    return tasks;
}

double total(const std::vector<Task>& tasks) {
    return std::accumulate(tasks.begin(), tasks.end(), 0.0,
                           [](double sum, const Task& each) { return sum + each.seconds; });
}

}  // namespace

TEST_CASE("the longest task goes first, each to the shard with the least work") {
    // 7, 5, 4, 3, 3 over two: 7 and 5; 4 to the second (9); 3 to the first (10); 3 to the second (12).
    const std::vector<Task> tasks = {task("a", 3), task("b", 7), task("c", 4), task("d", 5), task("e", 3)};
    const ShardPlan plan = plan_shards(tasks, 2);
    CHECK(plan.shard == std::vector<std::size_t>{0, 0, 1, 1, 1});
    CHECK(plan.seconds == std::vector<double>{10, 12});
    const Makespan makespan = simulate(tasks, plan);
    CHECK(makespan.seconds == 12);
    CHECK(makespan.idle == Approx(2.0 / 24));
}

TEST_CASE("a chain stays together, and a task that needs two chains is a join that starts after the last of them") {
    const std::vector<Task> tasks = {
        task("a", 1),         task("b", 5), task("ma", 1, {0}), task("mma", 1, {0, 2}), task("join", 2, {2, 1}),
        task("after", 1, {4})};
    const ShardPlan plan = plan_shards(tasks, 3);
    CHECK(plan.joins == std::vector<bool>{false, false, false, false, true, true});
    CHECK(plan.shard[2] == plan.shard[0]);
    CHECK(plan.shard[3] == plan.shard[0]);
    CHECK(plan.shard[1] != plan.shard[0]);
    CHECK(simulate(tasks, plan).seconds == 8);  // 5 of b, 2 of the join, 1 of what needs it
}

TEST_CASE("a plan has every task once, is balanced as list scheduling is, and does not depend on the order of tasks") {
    std::mt19937 random(1);
    for (int trial = 0; trial < 200; ++trial) {
        const std::vector<Task> tasks = random_tasks(random);
        const std::size_t count = 1 + random() % 8;
        const ShardPlan plan = plan_shards(tasks, count);
        std::vector<double> loads(count, 0);
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            REQUIRE(plan.shard[i] < count);
            loads[plan.shard[i]] += tasks[i].seconds;
            if (plan.joins[i]) continue;
            for (const std::size_t need : tasks[i].needs) CHECK(plan.shard[need] == plan.shard[i]);
        }
        for (std::size_t i = 0; i < count; ++i) CHECK(loads[i] == Approx(plan.seconds[i]).margin(1e-12));
        // Graham 1969: no shard has more than the mean and one chain.
        const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
        double longest = 0;
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            double chain = 0;
            for (std::size_t j = 0; j < tasks.size(); ++j)
                if (!plan.joins[j] && plan.shard[j] == plan.shard[i]) chain += tasks[j].seconds;
            longest = std::max({longest, chain, tasks[i].seconds});
        }
        CHECK(*most <= *least + longest + 1e-9);
        const Makespan makespan = simulate(tasks, plan);
        CHECK(makespan.seconds >= total(tasks) / static_cast<double>(count) - 1e-9);
        CHECK(makespan.idle >= 0);

        // The same tasks, those without needs moved to the front.
        std::vector<std::size_t> order(tasks.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return tasks[i].needs.empty(); });
        std::vector<std::size_t> place(tasks.size());
        for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
        std::vector<Task> moved;
        for (const std::size_t i : order) {
            moved.push_back(tasks[i]);
            for (std::size_t& need : moved.back().needs) need = place[need];
        }
        const ShardPlan again = plan_shards(moved, count);
        for (std::size_t i = 0; i < tasks.size(); ++i) CHECK(again.shard[place[i]] == plan.shard[i]);
    }
}

TEST_CASE("more shards than chains leave shards empty, and no tasks take no time") {
    CHECK(plan_shards(std::vector<Task>{}, 3).seconds == std::vector<double>{0, 0, 0});
    CHECK(simulate({}, plan_shards({}, 3)).seconds == 0);
    const ShardPlan plan = plan_shards(std::vector<Task>{task("a", 1)}, 3);
    CHECK(std::count(plan.seconds.begin(), plan.seconds.end(), 0.0) == 2);
}
