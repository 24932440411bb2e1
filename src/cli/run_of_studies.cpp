#include "cli/run_of_studies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <farfield/numerics/processors.hpp>

#include "cli/interrupt.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

namespace {

/// The fewest points for a device that was not requested: with fewer, the host is done before a kernel is compiled and
/// its results are copied back.
constexpr std::size_t fewest_points_of_auto = std::size_t{1} << 22;

/// The number of studies that are computed at the same time. A device processes one after the other, and a training
/// uses all processors.
std::size_t side_by_side(const std::vector<study::Study>& studies, const study::Options& options) {
    const bool is_timed =
        std::any_of(studies.begin(), studies.end(), [](const study::Study& study) { return study.counts_threads(); });
    if (is_timed || options.train || (options.device && options.device->fewest_points() < fewest_points_of_auto))
        return 1;
    return std::min(studies.size(), numerics::processors());
}

}  // namespace

std::shared_ptr<evaluate::Device> device_of(const StudyArguments& arguments, const std::string& cache) {
    if (arguments.device == "cpu") return nullptr;
    evaluate::DeviceOptions options;
    options.cache = cache;
    options.report = [](const std::string& text) { print_error("{}\n", text); };
    if (arguments.device == "cuda") return evaluate::open_cuda(options);
    options.fewest_points = fewest_points_of_auto;
    return evaluate::open_when_needed([options] { return evaluate::open_cuda(options); }, fewest_points_of_auto);
}

RunOfStudies::RunOfStudies(const std::vector<study::Study>& studies, const study::Options& options)
    : studies_(studies),
      options_(options),
      ahead_(studies.size(), side_by_side(studies, options), [this](std::size_t at) { return run(at); }) {}

core::StudyRecord RunOfStudies::take(std::size_t at) {
    {
        const std::lock_guard lock(mutex_);
        waited_for_ = at;
        progress_.begin();
    }
    core::StudyRecord record = ahead_.take(at);
    clear();
    return record;
}

void RunOfStudies::clear() {
    const std::lock_guard lock(mutex_);
    waited_for_ = studies_.size();
    progress_.clear();
}

core::StudyRecord RunOfStudies::run(std::size_t at) {
    const std::size_t beside = side_by_side(studies_, options_);
    study::Options own = options_;
    const numerics::ThreadShare share(numerics::processors() / beside);
    own.processors = numerics::processors() / beside;
    if (beside > 1 && own.device) own.device = device_of({}, options_.cache);
    own.progress = [this, at](const std::string& item, double done, double total) { tell(at, item, done, total); };
    own.waiting = [this](const std::string& unsaved) {
        clear();
        tell_waiting(unsaved.empty() ? "the running step of a training"
                                     : "the running step of a training, and " + unsaved);
    };
    return study::run(studies_[at], own);
}

void RunOfStudies::tell(std::size_t at, const std::string& item, double done, double total) {
    const std::lock_guard lock(mutex_);
    if (at != waited_for_) return;
    const std::string which =
        studies_.size() > 1 ? fmt::format(" (study {} of {})", at + 1, studies_.size()) : std::string();
    progress_.tell(studies_[at].name() + ": " + item + which, done, total);
}

}  // namespace farfield::cli
