#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/core/printable.hpp>
#include <farfield/core/size_text.hpp>
#include <iterator>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/shard.hpp"
#include "numerics/parallel.hpp"
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
    add_train(app, options.studies, "include the models that studies in folders need");
    app.add_option("--shards", options.shards, "estimate the time of plans with these numbers of shards: 10,100,1000");
    app.add_flag("--json", options.json, "print JSON, one object a line");
}

using study::Task;

std::string line_of(const Work& work, const Task& task) {
    Json needs = Json::array();
    for (const std::size_t need : task.needs) needs.push_back(work.tasks[need].id);
    return json_line(
        {{"id", task.id},
         {"study", work.studies[task.study].name()},
         {"name", task.name},
         {"kind", task.kind},
         {"cost", {{"seconds", task.seconds}, {"bytes", task.bytes ? Json(std::llround(*task.bytes)) : Json()}}},
         {"needs", std::move(needs)},
         {"done", task.done}});
}

/// The lines of many tasks are created in parallel.
void print_json(const Work& work) {
    constexpr std::size_t at_once = 4096;
    std::vector<std::string> lines;
    for (std::size_t first = 0; first < work.tasks.size(); first += at_once) {
        lines.resize(std::min(at_once, work.tasks.size() - first));
        numerics::in_parallel(lines.size(), 64, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) lines[i] = line_of(work, work.tasks[first + i]);
        });
        for (const std::string& line : lines) write_output(line);
    }
}

void print_table(const Work& work) {
    double left = 0;
    std::size_t done = 0;
    for (const Task& task : work.tasks) {
        print("{}  {:<5}  {:>10}  {:>9}  {:<20}  {}: {}\n", task.id.substr(0, digits_of_task), task.done ? "done" : "",
              duration_text(task.seconds), task.bytes ? core::size_text(*task.bytes) : "", task.kind,
              work.studies[task.study].name(), core::printable_line(task.name));
        left += task.done ? 0 : task.seconds;
        done += task.done ? 1 : 0;
    }
    if (work.tasks.empty())
        print("0 tasks\n");
    else
        print("{} tasks, {} done; the others take about {} of one core\n", work.tasks.size(), done,
              duration_text(left));
}

std::vector<std::size_t> read_counts(const std::string& text) {
    std::vector<std::size_t> counts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        counts.push_back(read_shard_count(text.substr(begin, end - begin), "--shards"));
        begin = end + 1;
    }
    std::vector<std::string> texts;
    texts.reserve(counts.size());
    for (const std::size_t count : counts) texts.push_back(std::to_string(count));
    refuse_repeated(texts, "--shards");
    return counts;
}

/// Prints the duration of the plan for each number of shards.
void print_plans(const Work& work, const std::vector<std::size_t>& counts) {
    print("    shards    longest shard       makespan  idle\n");
    for (const std::size_t count : counts) {
        const study::ShardPlan plan = study::plan_shards(work.tasks, count);
        const study::Makespan makespan = study::simulate(work.tasks, plan);
        print("{:>10}  {:>15}  {:>13}  {:>3.0f}%\n", count,
              duration_text(*std::max_element(plan.seconds.begin(), plan.seconds.end())),
              duration_text(makespan.seconds), 100 * makespan.idle);
    }
}

int list_tasks(const TasksOptions& options) {
    require_paths(options.studies, "tasks");
    const bool has_plans = !options.shards.empty();
    if (has_plans && options.json) refuse_input("--shards and --json are both given", "one of them");
    const std::vector<std::size_t> counts = has_plans ? read_counts(options.shards) : std::vector<std::size_t>{};
    const Work work = read_work(options.studies, !has_plans);
    if (has_plans)
        print_plans(work, counts);
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
