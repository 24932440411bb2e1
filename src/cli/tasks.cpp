#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/printable.hpp>
#include <farfield/core/size_text.hpp>
#include <iterator>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/shard.hpp"
#include "study/shards.hpp"

namespace farfield::cli {

namespace {

struct TasksOptions {
    StudyArguments studies;
    std::string shards;  ///< numbers of them
    bool json = false;
};

void add_tasks_options(CLI::App& app, TasksOptions& options) {
    add_selection(app, options.studies);
    add_store(app, options.studies);
    add_train(app, options.studies, "with the models that studies in folders need");
    app.add_option("--shards", options.shards, "how long they take on so many cores: 10,100,1000");
    app.add_flag("--json", options.json, "for programs, one object a line");
}

using study::Task;

constexpr std::size_t digits_shown = 12;

void print_json(const Work& work) {
    for (const Task& task : work.tasks) {
        Json needs = Json::array();
        for (const std::size_t need : task.needs) needs.push_back(work.tasks[need].id);
        write_output(
            json_line({{"id", task.id},
                       {"study", work.studies[task.study].name()},
                       {"name", task.name},
                       {"kind", task.kind},
                       {"cost", {{"seconds", task.seconds}, {"bytes", task.bytes ? Json(*task.bytes) : Json()}}},
                       {"needs", needs},
                       {"done", task.done}}));
    }
}

void print_table(const Work& work) {
    double left = 0;
    std::size_t done = 0;
    for (const Task& task : work.tasks) {
        print("{}  {:<5}  {:>10}  {:>9}  {:<20}  {}: {}\n", task.id.substr(0, digits_shown), task.done ? "done" : "",
              duration_text(task.seconds), task.bytes ? core::size_text(*task.bytes) : "", task.kind,
              work.studies[task.study].name(), core::printable_line(task.name));
        left += task.done ? 0 : task.seconds;
        done += task.done ? 1 : 0;
    }
    print("{} tasks, {} done; the others take about {} of one core\n", work.tasks.size(), done, duration_text(left));
}

/// The plan's length for each number of shards.
void print_plans(const Work& work, const std::string& counts) {
    print("    shards    longest shard       makespan  idle\n");
    for (std::size_t begin = 0; begin <= counts.size();) {
        const std::size_t end = std::min(counts.find(',', begin), counts.size());
        const std::size_t count = read_shard_count(counts.substr(begin, end - begin), "--shards");
        const study::ShardPlan plan = study::plan_shards(work.tasks, count);
        const study::Makespan makespan = study::simulate(work.tasks, plan);
        print("{:>10}  {:>15}  {:>13}  {:>3.0f}%\n", count,
              duration_text(*std::max_element(plan.seconds.begin(), plan.seconds.end())),
              duration_text(makespan.seconds), 100 * makespan.idle);
        begin = end + 1;
    }
}

int list_tasks(const TasksOptions& options) {
    require_paths(options.studies, "tasks");
    const Work work = read_work(options.studies, options.shards.empty());
    if (!options.shards.empty())
        print_plans(work, options.shards);
    else if (options.json)
        print_json(work);
    else
        print_table(work);
    return as_expected;
}

}  // namespace

const Command tasks_command{"tasks", "list the independent units of work of studies",
                            declare<TasksOptions, add_tasks_options, list_tasks>};

}  // namespace farfield::cli
