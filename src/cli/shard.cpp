#include "cli/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <map>
#include <optional>
#include <unordered_set>

#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/studies.hpp"
#include "study/shard_state.hpp"
#include "study/shards.hpp"
#include "study/store.hpp"

namespace farfield::cli {

namespace {

using study::Task;

constexpr std::size_t most_shards = 1000000;

std::optional<std::size_t> read_count(std::string_view text) {
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool is_read = error == std::errc() && end == text.data() + text.size() && !text.empty();
    return is_read && count <= most_shards ? std::optional(count) : std::nullopt;
}

struct Shard {
    std::size_t index = 0;
    std::size_t count = 1;
};

Shard read_shard(const std::string& text) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const auto index = read_count(std::string_view(text).substr(0, slash));
    const auto count = read_count(std::string_view(text).substr(std::min(slash + 1, text.size())));
    if (!index || !count || *count == 0 || *index >= *count)
        refuse_input("--shard has '" + text + "'",
                     fmt::format("I/N with I from 0 to N - 1 and N at most {}: 0/4", most_shards));
    return {*index, *count};
}

/// The number of tasks by the processor of their entries, if it is known.
std::map<std::string, std::size_t> kinds_of(const std::vector<Task>& tasks, const std::string& store) {
    std::map<std::string, std::size_t> kinds;
    for (const Task& task : tasks) {
        if (!task.done) continue;
        const auto record = study::read_record(store, task.id);
        if (record && !record->processor.empty()) ++kinds[record->processor];
    }
    return kinds;
}

void refuse_other_kinds(const std::vector<Task>& tasks, const std::string& store) {
    for (const auto& [kind, count] : kinds_of(tasks, store)) {
        if (kind == study::processor_kind()) continue;
        refuse_input(fmt::format("{} of the results in '{}' were computed on '{}', and this processor is '{}'", count,
                                 store, kind, study::processor_kind()),
                     "one kind of processor with --same-kind, or another --store");
    }
}

/// Computes tasks of all studies, and joins whose last need it has finished.
class ShardRun {
public:
    ShardRun(Work& work, std::vector<bool> own, std::vector<bool> joins)
        : work_(work), own_(std::move(own)), joins_(std::move(joins)), touched_(work.tasks.size(), false) {}

    int run() {
        std::vector<std::size_t> chosen;
        for (std::size_t i = 0; i < work_.tasks.size(); ++i)
            if (own_[i] && !joins_[i] && !work_.tasks[i].done) chosen.push_back(i);
        do {
            compute(chosen);
            chosen = ready_joins();
        } while (!chosen.empty() && !was_interrupted());
        tell();
        return outcome_.status();
    }

    /// The first failure; empty if there was none.
    const std::string& reason() const { return reason_; }

private:
    void compute(const std::vector<std::size_t>& chosen) {
        for (std::size_t at = 0; at < work_.studies.size() && !was_interrupted(); ++at) {
            std::vector<const Task*> tasks;
            for (const std::size_t i : chosen) {
                if (work_.tasks[i].study != at) continue;
                tasks.push_back(&work_.tasks[i]);
                touched_[i] = true;
            }
            if (!tasks.empty()) compute(work_.studies[at], tasks);
        }
        const std::unordered_set<std::string> finished = study::finished_ids(work_.options.cache);
        for (Task& task : work_.tasks) task.done = finished.contains(task.id);
    }

    void compute(const study::Study& study, const std::vector<const Task*>& tasks) {
        study::Options options = work_.options;
        options.progress = [&](const std::string& item, double done, double total) {
            progress_.tell(study.name() + ": " + item, done, total);
        };
        try {
            const core::StudyRecord record = study::run_tasks(study, tasks, options);
            progress_.clear();
            tell_failures(record, outcome_);
            if (reason_.empty()) reason_ = reason_of(record);
        } catch (const core::UserError& error) {
            progress_.clear();
            outcome_.wrong = true;
            if (reason_.empty()) reason_ = error.what();
            print_error("{}\n", error.what());
        }
    }

    static std::string reason_of(const core::StudyRecord& record) {
        if (!record.failed.empty()) return record.failed.front().text();
        if (!record.missing.empty()) return record.missing.front().first + ": " + record.missing.front().second;
        return record.warnings.empty() ? "" : record.warnings.front();
    }

    std::vector<std::size_t> ready_joins() const {
        std::vector<std::size_t> ready;
        for (std::size_t i = 0; i < work_.tasks.size(); ++i) {
            const Task& task = work_.tasks[i];
            if (!joins_[i] || task.done || touched_[i]) continue;
            const bool is_ours = own_[i] || std::any_of(task.needs.begin(), task.needs.end(),
                                                        [&](std::size_t need) { return touched_[need]; });
            const bool is_ready = std::all_of(task.needs.begin(), task.needs.end(),
                                              [&](std::size_t need) { return work_.tasks[need].done; });
            if (is_ours && is_ready) ready.push_back(i);
        }
        return ready;
    }

    void tell() {
        std::size_t own = 0, done = 0, waiting = 0, computed = 0;
        for (std::size_t i = 0; i < work_.tasks.size(); ++i) {
            const bool is_done = work_.tasks[i].done;
            own += own_[i] ? 1 : 0;
            done += own_[i] && is_done ? 1 : 0;
            computed += touched_[i] && is_done ? 1 : 0;
            const bool waits = own_[i] && !is_done && joins_[i] && !touched_[i];
            waiting += waits ? 1 : 0;
            if (own_[i] && !is_done && !waits) outcome_.missing = true;
        }
        print("{} of {} tasks are done, {} by this run\n", done, own, computed);
        if (waiting > 0) print("{} wait for other shards; whichever finishes last computes them\n", waiting);
        if (was_interrupted()) print_error("interrupted; what was finished is kept\n");
    }

    Work& work_;
    std::vector<bool> own_;
    std::vector<bool> joins_;
    std::vector<bool> touched_;
    Outcome outcome_;
    std::string reason_;
    Progress progress_;
};

/// The task that an id names: the whole id, or as many digits as the list shows.
std::vector<bool> only(const Work& work, const std::string& id) {
    std::vector<bool> own(work.tasks.size(), false);
    const std::size_t least = std::max(id.size(), digits_of_task);
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = work.tasks[i].id.substr(0, least) == id;
    const auto count = std::count(own.begin(), own.end(), true);
    if (count == 0) refuse_input("no task has the id '" + id + "'", "an id that farfield tasks lists");
    if (count > 1)
        refuse_input(fmt::format("{} tasks have ids that begin with '{}'", count, id),
                     "a whole id, as farfield tasks --json lists it");
    return own;
}

/// Checks that this program may compute into the store.
void enter(const Work& work, bool same_kind) {
    study::enter_store(work.options.cache);
    if (same_kind) refuse_other_kinds(work.tasks, work.options.cache);
    catch_interrupts();
}

}  // namespace

int run_task(const StudyArguments& arguments, const std::string& id, bool same_kind) {
    Work work = read_work(arguments);
    const std::vector<bool> own = only(work, id);
    enter(work, same_kind);
    return ShardRun(work, own, std::vector<bool>(work.tasks.size(), false)).run();
}

std::size_t read_shard_count(const std::string& text, const std::string& option) {
    if (text.empty()) refuse_input(option + " has no value", fmt::format("a whole number from 1 to {}", most_shards));
    const auto count = read_count(text);
    if (!count || *count == 0)
        refuse_input(option + " has '" + text + "'", fmt::format("a whole number from 1 to {}", most_shards));
    return *count;
}

Work read_work(const StudyArguments& arguments, bool asks_for_memory) {
    Work work;
    work.options = options_of(arguments);
    if (work.options.cache.empty())
        throw core::MissingError("the store of results", "neither FARFIELD_STORE nor HOME is set", "--store DIR");
    std::vector<std::string> unreadable;
    work.studies = study::read_all(arguments.paths, work.options, unreadable);
    if (!unreadable.empty())
        throw core::MissingError("reading all studies", unreadable.front(), "the same studies on every machine");
    if (const std::size_t count = study::waiting_for_training(work.studies, work.options); count > 0)
        print_error("warning: {} {} trained models and {} left out; --train includes them\n", count,
                    count == 1 ? "quantity needs" : "quantities need", count == 1 ? "is" : "are");
    model::Footprints footprints;
    work.tasks = study::list_tasks(work.studies, work.options, asks_for_memory ? &footprints : nullptr);
    return work;
}

int run_shard(const StudyArguments& arguments, const std::string& shard_text, bool same_kind) {
    const Shard shard = read_shard(shard_text);
    Work work = read_work(arguments);
    const std::string& store = work.options.cache;
    const study::ShardPlan plan = study::plan_shards(work.tasks, shard.count);
    std::vector<bool> own;
    for (const std::size_t each : plan.shard) own.push_back(each == shard.index);
    const std::string id = study::plan_id(work.tasks, shard.count);
    study::ShardState state = study::state_here();
    try {
        enter(work, same_kind);
        study::write_state(store, id, shard.index, state);
        ShardRun run(work, own, plan.joins);
        state.status = run.run();
        if (state.status != as_expected) state.reason = run.reason();
    } catch (const core::MissingError& error) {
        print_error("{}\n", error.what());
        state.status = missing;
        state.reason = error.what();
    }
    state.ended = true;
    try {
        study::write_state(store, id, shard.index, state);
    } catch (const core::MissingError& error) {
        if (state.reason.empty()) print_error("{}\n", error.what());
        if (state.status == as_expected) state.status = missing;
    }
    return state.status;
}

void refuse_other_kinds(const std::vector<study::Study>& studies, const study::Options& options) {
    refuse_other_kinds(study::list_tasks(studies, options), options.cache);
}

void tell_other_kinds(const std::vector<study::Study>& studies, const study::Options& options) {
    std::map<std::string, std::size_t> kinds;
    try {
        kinds = kinds_of(study::list_tasks(studies, options), options.cache);
    } catch (const core::UserError&) {
        return;  // the run has reported what is wrong
    } catch (const core::MissingError&) {
        return;
    }
    if (kinds.size() < 2) return;
    std::string text;
    for (const auto& [kind, count] : kinds) text += fmt::format("{}{} of '{}'", text.empty() ? "" : ", ", count, kind);
    print_error("warning: the results come from several kinds of processors, whose last bits differ: {}\n", text);
}

}  // namespace farfield::cli
