#include "study/shards.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace farfield::study {

namespace {

constexpr std::size_t no_chain = static_cast<std::size_t>(-1);

/// The chain of each task; no_chain for one that needs several.
std::vector<std::size_t> chains_of(std::span<const Task> tasks) {
    std::vector<std::size_t> chains(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const std::vector<std::size_t>& needs = tasks[i].needs;
        chains[i] = needs.empty() ? i : chains[needs.front()];
        for (const std::size_t need : needs)
            if (chains[need] != chains[i]) chains[i] = no_chain;
    }
    return chains;
}

}  // namespace

ShardPlan plan_shards(std::span<const Task> tasks, std::size_t count) {
    const std::vector<std::size_t> chains = chains_of(tasks);
    ShardPlan plan;
    plan.seconds.assign(count, 0);
    plan.shard.resize(tasks.size());
    // Tasks that are assigned to a shard together, by the first of them; a join is assigned alone.
    std::vector<double> seconds(tasks.size(), 0);
    std::vector<std::size_t> firsts;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const bool joins = chains[i] == no_chain;
        plan.joins.push_back(joins);
        const std::size_t first = joins ? i : chains[i];
        seconds[first] += tasks[i].seconds;
        if (first == i) firsts.push_back(i);
    }
    std::sort(firsts.begin(), firsts.end(), [&](std::size_t a, std::size_t b) {
        return seconds[a] != seconds[b] ? seconds[a] > seconds[b] : tasks[a].id < tasks[b].id;
    });
    using Bin = std::pair<double, std::size_t>;
    std::priority_queue<Bin, std::vector<Bin>, std::greater<>> bins;
    for (std::size_t i = 0; i < count; ++i) bins.emplace(0, i);
    for (const std::size_t first : firsts) {
        auto [load, shard] = bins.top();
        bins.pop();
        plan.shard[first] = shard;
        plan.seconds[shard] = load + seconds[first];
        bins.emplace(plan.seconds[shard], shard);
    }
    for (std::size_t i = 0; i < tasks.size(); ++i)
        if (chains[i] != no_chain) plan.shard[i] = plan.shard[chains[i]];
    return plan;
}

Makespan simulate(std::span<const Task> tasks, const ShardPlan& plan) {
    std::vector<double> free(plan.seconds.size(), 0);
    std::vector<double> ends(tasks.size(), 0);
    const auto compute = [&](std::size_t task, std::size_t shard) {
        double start = free[shard];
        for (const std::size_t need : tasks[task].needs) start = std::max(start, ends[need]);
        free[shard] = ends[task] = start + tasks[task].seconds;
    };
    for (std::size_t i = 0; i < tasks.size(); ++i)
        if (!plan.joins[i]) compute(i, plan.shard[i]);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (!plan.joins[i]) continue;
        const auto last = std::max_element(tasks[i].needs.begin(), tasks[i].needs.end(),
                                           [&](std::size_t a, std::size_t b) { return ends[a] < ends[b]; });
        compute(i, plan.shard[*last]);
    }
    Makespan result;
    for (const double end : free) result.seconds = std::max(result.seconds, end);
    const double work = std::accumulate(tasks.begin(), tasks.end(), 0.0,
                                        [](double sum, const Task& task) { return sum + task.seconds; });
    if (result.seconds > 0) result.idle = std::max(0.0, 1 - work / (result.seconds * static_cast<double>(free.size())));
    return result;
}

}  // namespace farfield::study
