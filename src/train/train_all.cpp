#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <farfield/core/error.hpp>
#include <farfield/numerics/processors.hpp>
#include <farfield/train/memory.hpp>
#include <farfield/train/training.hpp>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "numerics/parallel.hpp"
#include "train/trainer.hpp"

namespace farfield::train {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A training in progress, and the files to which it is written.
struct Job {
    const Training* training = nullptr;
    std::unique_ptr<Trainer> trainer;  ///< null if it failed before, or was not started
    std::string path;                  ///< of the finished model; empty: the model is not stored
    std::string unfinished;            ///< of its checkpoints before it is finished
    double seconds = 0;                ///< of one processor, for its steps in this process
    Clock::time_point saved = Clock::now();
    std::size_t saved_steps = 0;
    double step_operations = 0;
    std::string not_kept;       ///< why the last checkpoint could not be written
    std::string discarded;      ///< why an existing checkpoint was not used
    const Job* twin = nullptr;  ///< an earlier training with the same key, whose weights it uses
    std::exception_ptr failure;

    double operations_left() const {
        return step_operations * static_cast<double>(training->schedule.steps - trainer->steps());
    }
    bool is_open() const { return trainer && !failure && !trainer->is_done(); }
};

/// How long each way of sharing the processors is tried: a few dozen steps of a small model.
constexpr double seconds_to_try = 0.15;

/// Trained models by the keys of their trainings.
using Finished = std::map<std::string, Trained>;

class Crew {
public:
    /// `finished` has the trainings from which these start.
    Crew(const std::vector<Training>& trainings, const Control& control, const Finished& finished)
        : control_(control),
          finished_(finished),
          processors_(control.processors == 0 ? numerics::processors() : control.processors) {
        for (const Training& training : trainings) parameters_ += bytes_of_parameters(training);
        std::map<std::string, const Job*> first;
        for (const Training& training : trainings) {
            Job& job = jobs_.emplace_back();
            job.training = &training;
            const auto [same, is_new] = first.emplace(key_of(training), &job);
            if (!is_new) job.twin = same->second;
            if (goes_on()) attempt(job, [&] { prepare(job); });
            if (is_new && job.is_open()) pending_.push_back(&job);
        }
        // Start long trainings first: one that starts last would run alone.
        std::stable_sort(pending_.begin(), pending_.end(),
                         [](const Job* a, const Job* b) { return a->operations_left() > b->operations_left(); });
    }

    std::vector<Trained> run() {
        const std::size_t workers = pending_.size() < 2 || processors_ < 2 ? 1 : fastest_workers();
        active_ = std::min(workers, std::max<std::size_t>(pending_.size(), 1));
        side_by_side(active_, [this](std::size_t) { work(); });
        std::vector<Trained> results;
        for (Job& job : jobs_) {
            attempt(job, [&] { finish(job); });
            results.push_back(job.trainer ? job.trainer->result() : Trained{});
            results.back().failure = job.failure;
            results.back().not_kept = job.not_kept;
            results.back().discarded = job.discarded;
        }
        return results;
    }

private:
    /// The memory of the training, with its parameters last; nothing for one that cannot be trained, which its first
    /// step will report.
    static std::vector<MemoryPart> needs_of(const Training& training, std::size_t threads) {
        try {
            return parts_of(training, threads);
        } catch (const core::PreconditionError&) {
            return {};
        }
    }

    double bytes_of_parameters(const Training& training) const {
        const std::vector<MemoryPart> needs = needs_of(training, processors_);
        return needs.empty() ? 0 : needs.back().bytes / 4;
    }

    /// Requires the memory of the training while it runs, and that of the parameters of all others.
    void require_memory_of(const Training& training) const {
        std::vector<MemoryPart> needs = needs_of(training, processors_);
        if (needs.empty()) return;
        const double others = parameters_ - needs.back().bytes / 4;
        if (others > 0) needs.push_back({"parameters of the other trainings", others});
        require_memory(needs, "the training of '" + training.name + "'");
    }

    /// Runs a task of a training. An exception becomes the training's failure. Returns whether the task succeeded.
    template <class Task>
    static bool attempt(Job& job, const Task& task) {
        if (job.failure) return false;
        try {
            task();
        } catch (...) {
            job.failure = std::current_exception();
        }
        return !job.failure;
    }

    void prepare(Job& job) {
        const Training& training = *job.training;
        require_memory_of(training);
        job.trainer = std::make_unique<Trainer>(training);
        const auto steps = static_cast<double>(std::max<std::size_t>(training.schedule.steps, 1));
        job.step_operations = operations_of(training) / steps;
        if (!control_.cache.empty()) look_into_cache(job);
        if (training.start && job.trainer->steps() == 0 && !job.trainer->is_done()) start(job);
    }

    /// Gives the training the weights that it starts from.
    void start(Job& job) {
        const auto known = finished_.find(key_of(*job.training->start));
        // It is missing if a checkpoint of this training existed but could not be used.
        const Trained other =
            known != finished_.end() ? known->second : train_all({*job.training->start}, control_).front();
        if (other.failure) std::rethrow_exception(other.failure);
        if (other.finished)
            job.trainer->start_from(other);
        else
            job.trainer.reset();  // interrupted
    }

    void look_into_cache(Job& job) {
        const Training& training = *job.training;
        job.path = checkpoint_path(control_.cache, training);
        job.unfinished = unfinished_path(control_.cache, training);
        if (control_.fresh) return;
        if (!take_up(job, job.path) && !take_up(job, job.unfinished)) return;
        if (job.trainer->is_done()) {
            job.path.clear();  // complete: not written again
            if (control_.kept) control_.kept(training, 0);
        }
        if (control_.progress) control_.progress(job.step_operations * static_cast<double>(job.saved_steps));
    }

    /// Continues from the checkpoint, if it exists and can be used.
    static bool take_up(Job& job, const std::string& path) {
        std::error_code failure;
        if (!std::filesystem::exists(path, failure)) return false;
        try {
            job.trainer->restore(load_checkpoint(path), path);
        } catch (const core::MissingError& error) {
            job.discarded = error.what();
            job.trainer = std::make_unique<Trainer>(*job.training);  // it may be half restored
            return false;
        }
        job.saved_steps = job.trainer->steps();
        return true;
    }

    void finish(Job& job) {
        if (!job.trainer) return;
        if (!job.twin) return save(job);
        if (job.twin->failure) std::rethrow_exception(job.twin->failure);
        if (job.twin->trainer) job.trainer->restore(job.twin->trainer->checkpoint(), job.twin->training->name);
    }

    void tell_unsaved(const Job& job) const {
        if (control_.unsaved) control_.unsaved(*job.training, job.trainer->steps() - job.saved_steps);
    }

    void save(Job& job) {
        const bool is_new = job.trainer->steps() != job.saved_steps || job.trainer->result().diverged;
        if (job.path.empty() || !is_new) return;
        const bool is_whole = job.trainer->is_done();
        try {
            save_checkpoint(is_whole ? job.path : job.unfinished, job.trainer->checkpoint());
            job.saved_steps = job.trainer->steps();
            job.not_kept.clear();
            std::error_code failure;
            if (is_whole) std::filesystem::remove(job.unfinished, failure);
            if (is_whole && control_.kept) control_.kept(*job.training, job.seconds);
        } catch (const core::MissingError& error) {
            job.not_kept = error.what();
        }
        job.saved = Clock::now();
        tell_unsaved(job);
    }

    void save_in_time(Job& job) {
        const std::size_t every = control_.checkpoint_steps;
        const bool at_step = every > 0 && job.trainer->steps() % every == 0;
        const bool is_due = at_step || seconds_since(job.saved) >= control_.checkpoint_seconds;
        if (is_due && !take_over(job)) save(job);
    }

    /// Uses the model that another process has finished meanwhile, if there is one.
    bool take_over(Job& job) {
        std::error_code failure;
        const bool is_there = !job.path.empty() && std::filesystem::exists(job.path, failure);
        if (!is_there || control_.fresh || !job.discarded.empty()) return false;
        auto other = std::make_unique<Trainer>(*job.training);
        try {
            other->restore(load_checkpoint(job.path), job.path);
        } catch (const core::MissingError&) {
            return false;
        }
        if (!other->is_done()) return false;
        job.trainer = std::move(other);
        job.saved_steps = job.trainer->steps();
        job.path.clear();
        tell_unsaved(job);
        return true;
    }

    void step(Job& job, StepBuffers& buffers, std::size_t threads) {
        const auto start = Clock::now();
        job.trainer->step(buffers);
        job.seconds += seconds_since(start) * static_cast<double>(threads);
        tell_unsaved(job);
        if (control_.progress) control_.progress(job.step_operations);
        save_in_time(job);
    }

    /// Runs task(0) to task(count - 1), each on its own thread; an exception stops the others and is rethrown here.
    void side_by_side(std::size_t count, const std::function<void(std::size_t)>& task) {
        numerics::side_by_side(count, processors_, [&](std::size_t i) {
            try {
                task(i);
            } catch (...) {
                stopped_ = true;
                throw;
            }
        });
    }

    bool goes_on() const { return !stopped_ && !control_.interrupted(); }

    /// Steps per second of the first `workers` pending trainings in parallel, each on its share of the processors.
    double steps_per_second(std::size_t workers) {
        std::atomic<std::size_t> steps = 0;
        const std::size_t threads = processors_ / workers;
        std::vector<StepBuffers> buffers;
        for (std::size_t i = 0; i < workers; ++i) buffers.emplace_back(threads);
        const auto do_step = [&](std::size_t i) {
            if (!goes_on() || !pending_[i]->is_open()) return false;
            return attempt(*pending_[i], [&] { step(*pending_[i], buffers[i], threads); });
        };
        // The first step allocates, and is not timed.
        side_by_side(workers, [&](std::size_t i) { do_step(i); });
        const auto start = Clock::now();
        side_by_side(workers, [&](std::size_t i) {
            while (seconds_since(start) < seconds_to_try && do_step(i)) ++steps;
        });
        return static_cast<double>(steps) / seconds_since(start);
    }

    /// Whether the memory suffices for `workers` of the pending trainings in parallel.
    bool fits(std::size_t workers) const {
        double bytes = 0;
        for (std::size_t i = 0; i < workers; ++i) {
            const std::vector<MemoryPart> parts = needs_of(*pending_[i]->training, processors_ / workers);
            if (!parts.empty())
                bytes += total_bytes(parts) - parts.back().bytes / 4;  // its parameters are there already
        }
        return bytes <= available_bytes().value_or(bytes);
    }

    std::size_t fastest_workers() {
        std::size_t fastest = 1;
        double best = 0;
        for (std::size_t workers = std::min(processors_, pending_.size()); workers >= 1; --workers) {
            if (processors_ % workers != 0 || (workers > 1 && !fits(workers))) continue;
            const double rate = steps_per_second(workers);
            if (rate > best) {
                best = rate;
                fastest = workers;
            }
        }
        return fastest;
    }

    Job* next() {
        const std::lock_guard lock(mutex_);
        if (pending_.empty()) return nullptr;
        Job* job = pending_.front();
        pending_.pop_front();
        return job;
    }

    /// One worker, which runs one training after another. Its share of the processors grows when other workers have no
    /// trainings left.
    void work() {
        std::size_t threads = processors_ / active_;
        auto buffers = std::make_unique<StepBuffers>(threads);
        for (Job* job = next(); job && goes_on(); job = next()) {
            const bool is_whole = attempt(*job, [&] {
                while (job->is_open() && goes_on()) {
                    const std::size_t share = processors_ / active_;
                    if (share > threads) {
                        buffers.reset();  // freed before the new buffers, to avoid having both
                        buffers = std::make_unique<StepBuffers>(threads = share);
                    }
                    step(*job, *buffers, threads);
                }
                save(*job);
            });
            if (is_whole) continue;
            buffers.reset();  // a failure may have left them incomplete
            buffers = std::make_unique<StepBuffers>(threads);
        }
        --active_;
    }

    const Control& control_;
    const Finished& finished_;
    std::size_t processors_ = 1;
    double parameters_ = 0;  ///< bytes of all trainings
    std::deque<Job> jobs_;
    std::deque<Job*> pending_;
    std::mutex mutex_;
    std::atomic<std::size_t> active_ = 1;
    std::atomic<bool> stopped_ = false;
};

/// The number of trainings before this one in its chain, where each starts from the one before.
std::size_t wave_of(const Training& training, const Control& control) {
    std::error_code failure;
    const bool may_be_kept = !control.cache.empty() && !control.fresh;
    std::size_t wave = 0;
    for (const Training* each = &training; each->start; each = each->start.get(), ++wave)
        if (may_be_kept && std::filesystem::exists(checkpoint_path(control.cache, *each), failure)) break;
    return wave;
}

/// The training itself, or the one before it in its chain that belongs to this wave.
const Training& before(const Training& training, std::size_t own_wave, std::size_t wave) {
    const Training* found = &training;
    for (; own_wave > wave; --own_wave) found = found->start.get();
    return *found;
}

}  // namespace

std::vector<Trained> train_all(const std::vector<Training>& trainings, const Control& control) {
    std::vector<std::size_t> waves;
    waves.reserve(trainings.size());
    for (const Training& training : trainings) waves.push_back(wave_of(training, control));
    const std::size_t last = waves.empty() ? 0 : *std::max_element(waves.begin(), waves.end());
    std::vector<Trained> results(trainings.size());
    Finished finished;
    for (std::size_t wave = 0; wave <= last; ++wave) {
        std::vector<Training> own;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < trainings.size(); ++i) {
            if (waves[i] != wave) continue;
            own.push_back(trainings[i]);
            places.push_back(i);
        }
        std::set<std::string> keys;
        for (const Training& training : own) keys.insert(key_of(training));
        for (std::size_t i = 0; i < trainings.size(); ++i) {
            if (waves[i] <= wave) continue;
            const Training& start = before(trainings[i], waves[i], wave);
            if (keys.insert(key_of(start)).second) own.push_back(start);
        }
        const std::vector<Trained> trained = Crew(own, control, finished).run();
        for (std::size_t i = 0; i < own.size(); ++i) finished[key_of(own[i])] = trained[i];
        for (std::size_t i = 0; i < places.size(); ++i) results[places[i]] = trained[i];
    }
    return results;
}

}  // namespace farfield::train
