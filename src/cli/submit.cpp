#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/write_file.hpp>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/process.hpp"
#include "cli/shard.hpp"
#include "cli/shard_progress.hpp"
#include "study/shard_state.hpp"
#include "study/shards.hpp"
#include "study/store.hpp"

namespace farfield::cli {

namespace {

namespace fs = std::filesystem;

struct SubmitOptions {
    std::string scheduler;
    StudyArguments studies;
    std::string shards;  ///< how many
    bool same_kind = false;
    std::string time;
    std::vector<std::string> passed;  ///< passed to sbatch
};

void add_submit_options(CLI::App& app, SubmitOptions& options) {
    offer(*app.add_option("SCHEDULER", options.scheduler, "slurm"), {"slurm"});
    add_selection(app, options.studies);
    add_store(app, options.studies);
    add_train(app, options.studies, "train the models that studies in folders need");
    app.add_option("--shards", options.shards, "number of shards");
    app.add_flag("--same-kind", options.same_kind, "refuse results of other kinds of processors");
    app.add_option("--time", options.time, "time limit of a shard, as sbatch takes it");
    add_passed_words(app, options.passed);
}

/// Whether sbatch takes the text as a time limit: MINUTES, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, DAYS-HOURS,
/// DAYS-HOURS:MINUTES or DAYS-HOURS:MINUTES:SECONDS.
bool is_slurm_time(const std::string& text) {
    const auto is_number = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    };
    const std::size_t dash = text.find('-');
    const bool has_days = dash != std::string::npos;
    if (has_days && !is_number(std::string_view(text).substr(0, dash))) return false;
    std::size_t parts = 0;
    for (std::size_t begin = has_days ? dash + 1 : 0; begin <= text.size(); ++parts) {
        const std::size_t end = std::min(text.find(':', begin), text.size());
        if (!is_number(std::string_view(text).substr(begin, end - begin))) return false;
        begin = end + 1;
    }
    return parts <= 3;
}

constexpr const char* slurm_advice = "Slurm's commands in the PATH";

/// A word for the shell.
std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

/// The options of the command line that decide which tasks there are, as words for the shell.
std::string selection_of(const StudyArguments& studies, const std::string& store) {
    std::string text;
    for (const std::string& path : studies.paths) text += " " + quoted(fs::absolute(path).string());
    text += " --store " + quoted(store);
    if (studies.train) text += " --train";
    if (studies.device != "auto") text += " --device " + quoted(studies.device);
    for (const std::string& name : studies.only) text += " --only " + quoted(name);
    for (const auto& [path, value] : studies.set) text += " --set " + quoted(path + "=" + value);
    return text;
}

/// The script of each job of the array. SIGTERM comes from Slurm, to a job that is preempted or cancelled; what is
/// preempted Slurm puts back into the queue itself. SIGUSR1 comes a minute before the time is over, and the script asks
/// for more.
std::string script_of(const std::string& selection, std::size_t count) {
    return fmt::format(R"(#!/bin/bash
#SBATCH --job-name=farfield
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@60
cd {} || exit 3
{} run{} --shard "$SLURM_ARRAY_TASK_ID/{}" --threads "${{SLURM_CPUS_PER_TASK:-1}}" &
child=$!
more=
trap 'kill -TERM "$child"' TERM
trap 'more=1; kill -TERM "$child"' USR1
while kill -0 "$child" 2>/dev/null; do
    wait "$child"
    status=$?
done
if [[ $more && $status == 130 ]]; then scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID"; fi
exit "$status"
)",
                       quoted(fs::current_path().string()), quoted(fs::read_symlink("/proc/self/exe").string()),
                       selection, count);
}

std::string joined(const std::vector<std::size_t>& numbers) {
    std::string text;
    for (const std::size_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
    return text;
}

/// Submits a held job and returns its number. sbatch prints "17" or "17;cluster".
std::string submit_held(const std::vector<std::string>& command) {
    const Finished sbatch = run_program(command, slurm_advice);
    std::string job = sbatch.output.substr(0, sbatch.output.find_first_of(";\n"));
    if (sbatch.status != 0 || job.empty())
        throw core::MissingError("sbatch", "it ended with status " + std::to_string(sbatch.status),
                                 "what sbatch says above");
    return job;
}

void check_sbatch_options(const SubmitOptions& options) {
    if (!options.time.empty() && !is_slurm_time(options.time))
        refuse_input("--time has '" + options.time + "'",
                     "MINUTES, HOURS:MINUTES:SECONDS or DAYS-HOURS, such as 90 or 1-12");
    for (const std::string& word : options.passed) {
        // The array consists of the missing shards, and `status` and users expect its output in the folder of logs.
        for (const std::string_view own : {"--array", "-a", "--output", "-o", "--hold", "-H"})
            if (word.substr(0, word.find('=')) == own || (own.size() == 2 && word.starts_with(own)))
                refuse_input("submit gives sbatch its own " + std::string(own), "other options of sbatch");
    }
}

int submit(const SubmitOptions& options) {
    require_words(!options.scheduler.empty() && !options.studies.paths.empty(), "submit",
                  "a scheduler and studies: farfield submit slurm PATH... --shards N");
    if (options.scheduler != "slurm")
        throw core::UserError({core::Diagnostic{{},
                                                "unknown scheduler '" + options.scheduler + "'",
                                                "slurm; docs/howto/cluster.md has recipes for others",
                                                {}}});
    const std::size_t count = read_shard_count(options.shards, "--shards");
    check_sbatch_options(options);
    const Work work = read_work(options.studies);
    const std::string store = fs::absolute(work.options.cache).string();
    study::enter_store(store);
    const study::ShardPlan plan = study::plan_shards(work.tasks, count);
    const std::string id = study::plan_id(work.tasks, count);
    std::vector<std::size_t> chosen;
    std::size_t busy = 0;
    for (const ShardProgress& shard : progress_of(work, plan, id)) {
        const bool is_busy = shard.state == "running" || shard.state == "waiting";
        busy += is_busy ? 1 : 0;
        if (!is_busy && shard.state != "done") chosen.push_back(shard.index);
    }
    if (busy > 0) print("{} shard{} in the queue or running\n", busy, busy == 1 ? " is" : "s are");
    if (chosen.empty()) {
        print("{}\n", busy > 0 ? "nothing else is missing" : "nothing is missing");
        return as_expected;
    }
    const std::string folder = study::plan_folder(store, id);
    const std::string script = folder + "/job.sh";
    core::write_file(script,
                     script_of(selection_of(options.studies, store) + (options.same_kind ? " --same-kind" : ""), count),
                     "--store");
    std::vector<std::string> command = {"sbatch", "--parsable", "--hold", "--array=" + joined(chosen),
                                        "--output=" + folder + "/%a.log"};
    if (!options.time.empty()) command.push_back("--time=" + options.time);
    command.insert(command.end(), options.passed.begin(), options.passed.end());
    command.push_back(script);
    const std::string job = submit_held(command);
    // The states are written before the first shard runs, so that none is overwritten.
    for (const std::size_t shard : chosen) {
        study::ShardState state;
        state.job = job + "_" + std::to_string(shard);
        study::write_state(store, id, shard, state);
    }
    if (run_program({"scontrol", "release", job}, slurm_advice).status != 0)
        throw core::MissingError("releasing the job " + job, "scontrol failed", "scontrol release " + job);
    print("job {}: {} of {} shards; their logs are in {}\n", job, chosen.size(), count, folder);
    print("follow it:   farfield status{} --shards {}\n", selection_of(options.studies, store), count);
    print("afterwards:  farfield run{}\n", selection_of(options.studies, store));
    return as_expected;
}

}  // namespace

const Command submit_command{"submit", "submit the missing shards of studies to a cluster",
                             declare<SubmitOptions, add_submit_options, submit>};

}  // namespace farfield::cli
