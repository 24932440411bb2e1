// The independent units of work of studies: trainings, measurements of them, heavy quantities.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <farfield/model/footprint.hpp>
#include <farfield/study/study.hpp>

namespace farfield::study {

struct Task {
    std::string id;               ///< the digest of all that its result depends on, which names its entry in the store
    std::size_t study = 0;        ///< of those listed
    std::string name;             ///< "windows[w=8], seed 0"; of a quantity its own
    std::string kind;             ///< "training", or the quantity's
    double seconds = 0;           ///< on one reference core, estimated
    std::optional<double> bytes;  ///< of memory on one thread; nothing if it is not known or not asked for
    std::vector<std::size_t> needs;  ///< tasks, which are listed before it
    bool done = false;
    std::string training;  ///< of a training: its name and its seed
    std::uint64_t seed = 0;
};

/// Formulas below this many seconds are computed by every run and are no tasks.
inline constexpr double least_seconds_of_task = 1;

/// The tasks of studies, those that are needed first; what several studies ask for is listed once. Quantities that
/// depend on the number of threads are left out: they belong to the machine that shows them. Throws RunError and
/// core::MissingError for what a run would find at fault before anything is computed. Their bytes come from
/// `footprints`, and are left out without them.
std::vector<Task> list_tasks(const std::vector<Study>& studies, const Options& options,
                             model::Footprints* footprints = nullptr);

/// How many quantities are no tasks because `--train` was not given for the models that they need.
std::size_t waiting_for_training(const std::vector<Study>& studies, const Options& options);

/// Computes the tasks (of one study) into options.cache, and nothing else of the study. What the tasks need is computed
/// too where it is not in the cache. The record has their failures, warnings and results.
core::StudyRecord run_tasks(const Study& study, const std::vector<const Task*>& tasks, const Options& options);

}  // namespace farfield::study
