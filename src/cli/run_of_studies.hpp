// The studies of one call, computed in parallel if possible, with their progress.
#pragma once

#include <cstddef>
#include <farfield/core/record.hpp>
#include <farfield/evaluate/device.hpp>
#include <farfield/study/study.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "cli/studies.hpp"
#include "cli/studies_ahead.hpp"

namespace farfield::cli {

/// The device that --device requests; null for the host.
std::shared_ptr<evaluate::Device> device_of(const StudyArguments& arguments, const std::string& cache);

/// Each study may run in parallel with others, and its progress is shown while it is waited for.
class RunOfStudies {
public:
    RunOfStudies(const std::vector<study::Study>& studies, const study::Options& options);

    /// Waits for the record of a study, once for each, in order; rethrows the exceptions of its run.
    core::StudyRecord take(std::size_t at);
    /// Removes the progress from the terminal.
    void clear();

private:
    core::StudyRecord run(std::size_t at);
    void tell(std::size_t at, const std::string& item, double done, double total);

    const std::vector<study::Study>& studies_;
    const study::Options& options_;
    std::mutex mutex_;
    Progress progress_;
    std::size_t waited_for_ = 0;
    StudiesAhead ahead_;  // the last member, because its threads use the members above
};

}  // namespace farfield::cli
