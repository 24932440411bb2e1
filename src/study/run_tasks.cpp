#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/error.hpp>
#include <farfield/numerics/processors.hpp>
#include <iterator>
#include <set>

#include "study/body.hpp"
#include "study/check_training.hpp"
#include "study/failures.hpp"
#include "study/models.hpp"
#include "study/tasks.hpp"

namespace farfield::study {

namespace {

/// The number of trainings per processor that are in memory at once, enough to choose how to share the processors.
constexpr std::size_t trainings_a_processor = 8;

/// Throws core::UserError for problems that can be found before anything is trained.
void check(const Study::Body& body, const std::vector<const Task*>& tasks, Models& models) {
    core::Problems problems;
    std::set<std::string> checked;
    for (const Task* task : tasks)
        if (!task->training.empty()) check_chain(body, *body.trainings.find(task->training), models, checked, problems);
    problems.raise();
}

void train(const Study& study, const std::vector<const Task*>& tasks, const Options& options,
           core::StudyRecord& record) {
    const Study::Body& body = *study.body();
    Models models(study.body(), options);
    Failures failures(record);
    check(body, tasks, models);
    const std::size_t most = trainings_a_processor * numerics::processors();
    for (std::size_t begin = 0; begin < tasks.size() && !options.interrupted(); begin += most) {
        const std::size_t end = std::min(begin + most, tasks.size());
        if (options.progress)
            options.progress("training", static_cast<double>(begin), static_cast<double>(tasks.size()));
        std::vector<Models::Seed> seeds;
        for (std::size_t i = begin; i < end; ++i) seeds.push_back({tasks[i]->training, tasks[i]->seed});
        const std::vector<train::Trained> trained = models.train_into_cache(seeds);
        for (std::size_t i = begin; i < end; ++i) {
            const train::Trained& each = trained[i - begin];
            failures.attempt(tasks[i]->name, body.trainings.find(tasks[i]->training)->training.place, [&] {
                if (each.failure) std::rethrow_exception(each.failure);
            });
            if (!each.discarded.empty())
                record.warnings.push_back(fmt::format("'{}' was trained again: {}", tasks[i]->name, each.discarded));
            if (!each.not_kept.empty())
                record.missing.emplace_back(tasks[i]->name, "it was trained and not kept: " + each.not_kept);
        }
    }
    record.interrupted = options.interrupted();
    if (record.interrupted) record.lost = models.unsaved();
}

}  // namespace

core::StudyRecord run_tasks(const Study& study, const std::vector<const Task*>& tasks, const Options& options) {
    core::StudyRecord record;
    record.study = study.name();
    record.file = study.file();
    std::vector<const Task*> trainings;
    Options own = options;
    own.only.clear();
    own.must_keep = true;
    for (const Task* task : tasks) {
        if (task->training.empty())
            own.only.push_back(task->name);
        else
            trainings.push_back(task);
    }
    try {
        train(study, trainings, own, record);
    } catch (const core::UserError& error) {
        throw RunError(error, study.name());
    }
    if (record.interrupted || own.only.empty()) return record;
    core::StudyRecord measured = run(study, own);
    const auto join = [](auto& list, auto& before) {
        list.insert(list.begin(), std::make_move_iterator(before.begin()), std::make_move_iterator(before.end()));
    };
    join(measured.warnings, record.warnings);
    join(measured.missing, record.missing);
    join(measured.failed, record.failed);
    return measured;
}

}  // namespace farfield::study
