#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <farfield/core/error.hpp>
#include <farfield/train/memory.hpp>
#include <farfield/train/training.hpp>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "train/trainer.hpp"

namespace farfield::train {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A training on its way to the disk.
struct Job {
    const Training* training = nullptr;
    std::unique_ptr<Trainer> trainer;
    std::string path;  ///< of its checkpoint; empty: none is kept
    Clock::time_point saved = Clock::now();
    std::size_t saved_steps = 0;
    double step_operations = 0;
    std::string not_kept;       ///< why the last checkpoint could not be written
    const Job* twin = nullptr;  ///< a training before it with the same key, whose weights it takes
};

/// How long a way of sharing the processors is tried; a few dozen steps of a small model.
constexpr double seconds_to_try = 0.15;

class Crew {
public:
    Crew(const std::vector<Training>& trainings, const Control& control) : control_(control) {
        const std::size_t here = std::max(1U, std::thread::hardware_concurrency());
        processors_ = control.processors == 0 ? here : control.processors;
        require_memory_of(trainings);
        for (const Training& training : trainings) jobs_.push_back(make_job(training));
        std::map<std::string, const Job*> first;
        for (Job& job : jobs_) {
            const auto [same, is_new] = first.emplace(key_of(*job.training), &job);
            if (!is_new) job.twin = same->second;
            if (is_new && !job.trainer->is_done()) pending_.push_back(&job);
        }
    }

    std::vector<Trained> run() {
        const std::size_t workers = pending_.size() < 2 || processors_ < 2 ? 1 : fastest_workers();
        active_ = std::min(workers, std::max<std::size_t>(pending_.size(), 1));
        side_by_side(active_, [this](std::size_t) { work(); });
        std::vector<Trained> results;
        for (Job& job : jobs_) {
            if (job.twin)
                job.trainer->restore(job.twin->trainer->checkpoint(), job.twin->training->name);
            else
                save(job);
            results.push_back(job.trainer->result());
            results.back().not_kept = job.not_kept;
        }
        return results;
    }

private:
    /// The parameters of all trainings, and what the largest takes beside them while it is trained.
    void require_memory_of(const std::vector<Training>& trainings) const {
        double parameters = 0;
        const Training* largest = nullptr;
        std::vector<MemoryPart> needs;
        for (const Training& training : trainings) {
            std::vector<MemoryPart> own;
            try {
                own = parts_of(training, processors_);
            } catch (const core::PreconditionError&) {
                continue;  // make_job() or the first step tells of it, with its place
            }
            parameters += own.back().bytes / 4;
            if (largest && total_bytes(own) <= total_bytes(needs)) continue;
            largest = &training;
            needs = std::move(own);
        }
        if (!largest) return;
        const double others = parameters - needs.back().bytes / 4;
        if (others > 0) needs.push_back({"parameters of the other trainings", others});
        require_memory(needs, "the training of '" + largest->name + "'");
    }

    Job make_job(const Training& training) {
        Job job{&training, std::make_unique<Trainer>(training), {}, Clock::now(), 0, 0, {}, nullptr};
        const auto steps = static_cast<double>(std::max<std::size_t>(training.schedule.steps, 1));
        job.step_operations = operations_of(training) / steps;
        if (control_.cache.empty()) return job;
        job.path = checkpoint_path(control_.cache, training);
        std::error_code failure;
        if (control_.fresh || !std::filesystem::exists(job.path, failure)) return job;
        job.trainer->restore(load_checkpoint(job.path), job.path);
        job.saved_steps = job.trainer->steps();
        if (job.trainer->is_done()) job.path.clear();  // it stands there whole
        if (control_.progress) control_.progress(job.step_operations * static_cast<double>(job.saved_steps));
        return job;
    }

    void save(Job& job) {
        const bool is_new = job.trainer->steps() != job.saved_steps || job.trainer->result().diverged;
        if (job.path.empty() || !is_new) return;
        try {
            save_checkpoint(job.path, job.trainer->checkpoint());
            job.saved_steps = job.trainer->steps();
            job.not_kept.clear();
        } catch (const core::MissingError& error) {
            job.not_kept = error.what();
        }
        job.saved = Clock::now();
    }

    void save_in_time(Job& job) {
        const std::size_t every = control_.checkpoint_steps;
        const bool at_step = every > 0 && job.trainer->steps() % every == 0;
        if (at_step || seconds_since(job.saved) >= control_.checkpoint_seconds) save(job);
    }

    void step(Job& job, StepBuffers& buffers) {
        job.trainer->step(buffers);
        if (control_.progress) control_.progress(job.step_operations);
        save_in_time(job);
    }

    /// Runs work(0) to work(count - 1) on threads of their own; the first exception is thrown here when all have ended.
    void side_by_side(std::size_t count, const std::function<void(std::size_t)>& task) {
        std::exception_ptr failure;
        std::mutex mutex;
        const auto guarded = [&](std::size_t i) {
            try {
                task(i);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!failure) failure = std::current_exception();
                stopped_ = true;
            }
        };
        std::vector<std::thread> threads;
        for (std::size_t i = 1; i < count; ++i) threads.emplace_back(guarded, i);
        guarded(0);
        for (std::thread& thread : threads) thread.join();
        if (failure) std::rethrow_exception(failure);
    }

    bool goes_on() const { return !stopped_ && !control_.interrupted(); }

    /// Steps a second of the first `workers` pending trainings side by side, each on its share of the processors.
    double steps_per_second(std::size_t workers) {
        std::atomic<std::size_t> steps = 0;
        const std::size_t threads = processors_ / workers;
        std::vector<StepBuffers> buffers;
        for (std::size_t i = 0; i < workers; ++i) buffers.emplace_back(threads);
        const auto do_step = [&](std::size_t i) {
            if (!goes_on() || pending_[i]->trainer->is_done()) return false;
            step(*pending_[i], buffers[i]);
            return true;
        };
        // The first step allocates, and is not timed.
        side_by_side(workers, [&](std::size_t i) { do_step(i); });
        const auto start = Clock::now();
        side_by_side(workers, [&](std::size_t i) {
            while (seconds_since(start) < seconds_to_try && do_step(i)) ++steps;
        });
        return static_cast<double>(steps) / seconds_since(start);
    }

    /// Whether the memory suffices for so many of the pending trainings side by side.
    bool fits(std::size_t workers) const {
        double bytes = 0;
        for (std::size_t i = 0; i < workers; ++i) {
            const std::vector<MemoryPart> parts = parts_of(*pending_[i]->training, processors_ / workers);
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

    /// One worker: a training after the other. Its share of the processors grows once others have none left.
    void work() {
        std::size_t threads = processors_ / active_;
        auto buffers = std::make_unique<StepBuffers>(threads);
        for (Job* job = next(); job && goes_on(); job = next()) {
            while (!job->trainer->is_done() && goes_on()) {
                const std::size_t share = processors_ / active_;
                if (share > threads) {
                    buffers.reset();  // before, not beside, what replaces it
                    buffers = std::make_unique<StepBuffers>(threads = share);
                }
                step(*job, *buffers);
            }
            save(*job);
        }
        --active_;
    }

    const Control& control_;
    std::size_t processors_ = 1;
    std::deque<Job> jobs_;
    std::deque<Job*> pending_;
    std::mutex mutex_;
    std::atomic<std::size_t> active_ = 1;
    std::atomic<bool> stopped_ = false;
};

}  // namespace

std::vector<Trained> train_all(const std::vector<Training>& trainings, const Control& control) {
    return Crew(trainings, control).run();
}

}  // namespace farfield::train
