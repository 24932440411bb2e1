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
    std::string id;                  ///< digest of everything on which its result depends; names its entry in the store
    std::size_t study = 0;           ///< of those listed
    std::string name;                ///< "windows[w=8], seed 0"; for a quantity, its name
    std::string kind;                ///< "training", or the quantity's
    double seconds = 0;              ///< on one reference core, estimated
    std::optional<double> bytes;     ///< of memory on one thread; nothing if it is unknown or not requested
    std::vector<std::size_t> needs;  ///< tasks, which are listed before it
    bool done = false;
    std::string training;  ///< for a training: its name and its seed
    std::uint64_t seed = 0;
};

/// Formulas that take fewer seconds are computed by every run and are not tasks.
inline constexpr double least_seconds_of_task = 1;

/// The tasks of studies, with needed tasks first; a task of several studies is listed once. Quantities that depend on
/// the number of threads are omitted, because they belong to the computer that shows them. Throws RunError and
/// core::MissingError for problems that a run would find before anything is computed. The bytes come from `footprints`,
/// and are omitted without them.
std::vector<Task> list_tasks(const std::vector<Study>& studies, const Options& options,
                             model::Footprints* footprints = nullptr);

/// The number of quantities that are not tasks because `--train` was not given for the models that they need.
std::size_t waiting_for_training(const std::vector<Study>& studies, const Options& options);

/// Computes the tasks (of one study) into options.cache, and nothing else of the study. Needed tasks are computed too
/// if they are not in the cache. The record has their failures, warnings and results.
core::StudyRecord run_tasks(const Study& study, const std::vector<const Task*>& tasks, const Options& options);

}  // namespace farfield::study
