#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <farfield/core/error.hpp>
#include <farfield/core/pulse.hpp>
#include <farfield/core/worker.hpp>
#include <farfield/numerics/processors.hpp>
#include <farfield/study/study.hpp>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "evaluate/integral.hpp"
#include "quantity/holm.hpp"
#include "quantity/work.hpp"
#include "study/asked.hpp"
#include "study/body.hpp"
#include "study/cache.hpp"
#include "study/check_training.hpp"
#include "study/device_note.hpp"
#include "study/failures.hpp"
#include "study/formulas.hpp"
#include "study/item_keys.hpp"
#include "study/manifest.hpp"
#include "study/models.hpp"
#include "study/plan.hpp"
#include "study/results.hpp"

namespace farfield::study {

using core::Result;

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A claim with fewer operations is judged directly, which takes at most some tenths of a second.
constexpr double most_operations_unwatched = 1e6;

/// How long a quantity may take to react to an interruption before it is abandoned.
constexpr double seconds_to_stop = 0.5;

std::vector<const Result*> pointers_to(const auto& results) {
    std::vector<const Result*> pointers;
    pointers.reserve(results.size());
    for (const Result& result : results) pointers.push_back(&result);
    return pointers;
}

class Runner {
public:
    Runner(std::shared_ptr<const Study::Body> body, const Options& options)
        : owner_(std::move(body)),
          body_(*owner_),
          options_(options),
          wanted_(wanted_items(body_, options)),
          results_(std::make_shared<Results>()),
          models_(std::make_shared<Models>(owner_, options)),
          keys_(body_, options_, *models_) {
        auto wanted = wanted_.begin();
        for (const Item& item : body_.items)
            if (*wanted++) total_ += keys_.cost(item);
        for (const claim::Claim& claim : body_.claims)
            if (asks_for(options_, claim.id) && claim.waits_for.empty()) total_ += cost_of(claim, {});
    }

    core::StudyRecord run() {
        const auto start = std::chrono::steady_clock::now();
        train_models();
        for (std::size_t i = 0; i < body_.items.size() && !record_.interrupted; ++i)
            if (wanted_[i]) compute(i);
        judge_claims();
        describe_study();
        // An abandoned quantity may still read the results it needs.
        for (Result& result : results_->list) record_.quantities.push_back(left_behind_ ? result : std::move(result));
        record_.not_computed = failures_.not_computed(body_, options_);
        record_.seconds = seconds_since(start);
        return std::move(record_);
    }

private:
    /// The trainings whose models a requested quantity will read, each once. Throws core::UserError for problems that
    /// they find in the study.
    std::vector<std::string> untrained() {
        core::Problems problems;
        std::vector<std::string> names;
        std::vector<Result> outlines;
        for (std::size_t i = 0; i < body_.items.size(); ++i) {
            const Item& item = body_.items[i];
            if (!wanted_[i] || !item.measured || !item.waits_for.empty()) continue;
            attempt(item, [&] {
                const std::size_t before = problems.reports();
                try {
                    if (cached(i)) return;
                    check(item, problems);
                } catch (const core::UserError& error) {
                    return problems.add(error);
                }
                if (problems.reports() > before) return;  // the tables of a length beyond the text may take minutes
                require_memory(item, *models_, options_);
                check_lengths(item);
                outlines.push_back(outline(item));
                if (!item.needs_models) return;
                readers_.push_back(&item);
                const std::string& name = item.trainings.front();
                if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
            });
        }
        check_claims(outlines, problems);
        problems.raise();
        return names;
    }

    /// The names of the values of an item whose models are not trained yet.
    Result outline(const Item& item) {
        const measure::Subject subject = models_->subject(item.trainings.front());
        const measure::Subject against = models_->subject(item.trainings.back());
        Result result =
            item.measured->outline({subject, item.trainings.size() > 1 ? &against : nullptr, 1, options_.interrupted});
        result.name = item.name;
        result.kind = item.kind;
        return result;
    }

    /// Adds a problem for each value that a claim names and no outline has.
    void check_claims(const std::vector<Result>& outlines, core::Problems& problems) const {
        for (const claim::Claim& claim : body_.claims)
            if (asks_for(options_, claim.id)) claim::check_fields(claim, pointers_to(outlines), problems);
    }

    /// Opens the corpora, and reports all problems that can be found before anything is trained.
    void check(const Item& item, core::Problems& problems) {
        for (const std::string& name : item.trainings) {
            const TrainItem& training = *body_.trainings.find(name);
            check_chain(body_, training, *models_, checked_, problems);
            check_rows(item, training, models_->training(name), problems);
        }
    }

    /// Throws core::UserError if the scheme has no value at a length of the item; only this item then fails.
    void check_lengths(const Item& item) {
        for (const std::string& name : item.trainings)
            if (const auto problem = find_bad_length(item, models_->training(name))) throw core::UserError({*problem});
    }

    void train_models() {
        const std::vector<std::string> names = untrained();
        if (names.empty()) return;
        const auto start = std::chrono::steady_clock::now();
        const double operations = models_->operations(names);
        total_ += operations;
        const auto done = std::make_shared<std::atomic<std::uint64_t>>(0);
        const auto job = [models = models_, names, done] {
            models->train(names, [&done](double more) { done->fetch_add(static_cast<std::uint64_t>(more)); });
        };
        const auto tell = [&](double) {
            if (options_.progress) options_.progress("training", static_cast<double>(done->load()), total_);
        };
        std::exception_ptr failure;
        try {
            // Without checkpoints there is nothing to wait for.
            if (options_.cache.empty())
                left_behind_ = !run_watched(job, tell);
            else
                run_to_its_end(job, tell);
        } catch (...) {
            failure = std::current_exception();
        }
        if (!left_behind_) record_.warnings = models_->warnings();
        done_ += operations;
        record_.training_seconds = seconds_since(start);
        record_.interrupted = options_.interrupted();
        if (record_.interrupted) record_.lost = models_->unsaved();
        if (record_.interrupted && options_.cache.empty()) return;
        for (const Item* item : readers_) {
            attempt(*item, [&] {
                if (failure) std::rethrow_exception(failure);
                models_->subject(item->trainings.front());
            });
        }
    }

    void attempt(const Item& item, const std::function<void()>& task) {
        failures_.attempt(item.name, item.place, task);
    }

    /// Runs the job on the worker; `go_on` tells whether to continue waiting for it.
    bool run_on_worker(const std::function<void()>& job, const std::shared_ptr<core::Pulse>& pulse,
                       const std::function<bool()>& go_on) {
        return worker_.run(
            [pulse, job, threads = options_.processors] {
                const core::PulseScope scope(pulse);
                const numerics::ThreadShare share(threads);
                job();
            },
            go_on);
    }

    /// Returns whether the job finished. After an interruption, a job that does not react is abandoned.
    bool run_watched(const std::function<void()>& job, const std::function<void(double steps)>& tell) {
        const auto start = std::chrono::steady_clock::now();
        const auto pulse = std::make_shared<core::Pulse>();
        double asked = -1;
        const auto go_on = [&] {
            const double seconds = seconds_since(start);
            tell(pulse->steps());
            if (asked < 0 && options_.interrupted()) {
                asked = seconds;
                pulse->stop();
            }
            return asked < 0 || seconds - asked < seconds_to_stop;
        };
        try {
            return run_on_worker(job, pulse, go_on);
        } catch (const core::Stopped&) {
            return false;
        }
    }

    /// Runs a job that saves its work and ends by itself after an interruption, and waits for it.
    void run_to_its_end(const std::function<void()>& job, const std::function<void(double steps)>& tell) {
        const auto go_on = [&] {
            if (!options_.interrupted())
                tell(0);
            else if (options_.waiting)
                options_.waiting(models_->unsaved());
            return true;
        };
        run_on_worker(job, std::make_shared<core::Pulse>(), go_on);
    }

    const Result* find(std::string_view name) const { return results_->find(name); }

    /// Whether an item cannot be computed, because it waits or something it needs was not computed.
    bool is_blocked(const Item& item) {
        if (!item.waits_for.empty() || failures_.contains(item.name)) return true;
        for (const std::string& need : item.needs) {
            failures_.inherit(item.name, need);
            if (!find(need)) return true;
        }
        return false;
    }

    void compute(std::size_t at) {
        const Item& item = body_.items[at];
        if (use_record(item) || is_blocked(item)) return;
        if (options_.interrupted()) {
            record_.interrupted = true;
            return;
        }
        if (options_.progress) options_.progress(item.name, done_, total_);
        attempt(item, [&] {
            std::optional<Result> result = cached(at);
            if (result)
                processors_.insert(processor_of(options_.cache, keys_.of(at)));
            else if ((result = evaluate(item)))
                keep(at, *result);
            if (!result) return;
            add(item, std::move(*result));
            if (options_.finished) options_.finished(results_->list.back());
        });
        done_ += keys_.cost(item);
        if (item.prepared) evaluated_ += keys_.cost(item);
    }

    /// Takes a quantity that waits for training from the recorded results, if they exist. It fails without the
    /// checkpoint that it measured, whose settings figures show.
    bool use_record(const Item& item) {
        if (item.waits_for.empty() || !options_.recorded) return false;
        std::optional<Result> result = options_.recorded(item.name);
        if (result) attempt(item, [&] { add(item, std::move(*result)); });
        return result.has_value();
    }

    /// Adds a result, with what a figure needs to know about the series in addition to its numbers.
    void add(const Item& item, Result&& result) {
        result.scale = scale_of(item);
        result.label = item.label;
        const TrainItem* training = item.measured ? body_.trainings.find(item.trainings.front()) : nullptr;
        if (training) result.trained_length = static_cast<double>(models_->trained_length(*training));
        if (training && result.label.empty()) result.label = training->label;
        results_->add(std::move(result));
    }

    std::string scale_of(const Item& item) {
        std::set<std::string> scales;  // of the models behind it, each once
        for (const std::string& training : item.trainings) scales.insert(models_->scale(training));
        for (const std::string& need : item.needs)
            if (const Result* needed = find(need); needed && !needed->scale.empty()) scales.insert(needed->scale);
        std::string text;
        for (const std::string& scale : scales) text += (text.empty() ? "" : "; ") + scale;
        return text;
    }

    void keep(std::size_t at, const Result& result) {
        const bool is_kept = options_.must_keep || result.seconds >= options_.least_seconds_to_keep;
        if (options_.cache.empty() || !is_kept) return;
        const std::string failure = store(options_.cache, keys_.of(at), result);
        if (failure.empty()) return;
        if (options_.must_keep)
            record_.missing.emplace_back(result.name, "it was computed and not kept: " + failure);
        else if (!std::exchange(has_told_of_store_, true))  // others fail for the same reason
            record_.warnings.push_back("'" + result.name + "' was not kept and will be computed again: " + failure);
    }

    std::optional<Result> cached(std::size_t at) {
        if (options_.cache.empty()) return std::nullopt;
        const std::string& key = keys_.of(at);
        return options_.fresh ? std::nullopt : load(options_.cache, key);
    }

    /// Nothing if the run was interrupted meanwhile, because the result may be unfinished.
    std::optional<Result> evaluate(const Item& item) {
        const auto result = std::make_shared<Result>();
        const std::function<Result()> compute = item.measured ? measuring(item) : computing(item);
        const auto job = [result, compute] {
            const auto begin = std::chrono::steady_clock::now();
            *result = compute();
            if (result->seconds == 0) result->seconds = seconds_since(begin);
        };
        const auto tell = [&](double steps) {
            if (options_.progress) options_.progress(item.name, done_ + std::min(steps, keys_.cost(item)), total_);
        };
        try {
            left_behind_ = !run_watched(job, tell);
        } catch (...) {
            if (!options_.interrupted()) throw;
        }
        record_.interrupted = left_behind_ || options_.interrupted();
        if (record_.interrupted) return std::nullopt;
        result->name = item.name;
        result->kind = item.kind;
        const core::Evidence asked = asked_of(item.settings);
        result->evidence.facts.insert(result->evidence.facts.begin(), asked.facts.begin(), asked.facts.end());
        return std::move(*result);
    }

    /// The job owns the data that it uses, because it may be abandoned.
    std::function<Result()> computing(const Item& item) const {
        return
            [owner = owner_, results = results_, interrupted = options_.interrupted, device = options_.device, &item] {
                const evaluate::OnDevice scope(device.get());
                const evaluate::Device::Done before = device ? device->done() : evaluate::Device::Done{};
                quantity::Inputs inputs;
                inputs.interrupted = interrupted;
                inputs.result = [&results](std::string_view name) -> const Result& {
                    const Result* needed = results->find(name);
                    if (!needed) throw core::PreconditionError("run", "name", name, "a quantity among the needs");
                    return *needed;
                };
                Result result = item.prepared->run(inputs);
                const std::string told = device ? told_of(*device, before) : std::string();
                if (!told.empty()) result.notes.emplace_back("device", told);
                return result;
            };
    }

    std::function<Result()> measuring(const Item& item) const {
        const auto subject = std::make_shared<measure::Subject>(models_->subject(item.trainings.front()));
        std::shared_ptr<measure::Subject> against;
        if (item.trainings.size() > 1)
            against = std::make_shared<measure::Subject>(models_->subject(item.trainings.back()));
        const std::string record = models_->record(item.trainings.front());
        return [owner = owner_, subject, against, record, own = options_, &item] {
            Result result = item.measured->run({*subject, against.get(), own.processors, own.interrupted});
            if (!record.empty()) result.notes.emplace_back("trained", record);
            return result;
        };
    }

    void judge_claims() {
        std::size_t tests = 0;
        for (const Item& item : body_.items) tests += quantity::tests_of(item.kind);
        if (!left_behind_) quantity::correct_for_tests(results_->list, tests);
        const std::vector<const Result*> results = pointers_to(results_->list);
        for (const claim::Claim& declared : body_.claims) {
            if (!asks_for(options_, declared.id)) continue;
            claim::Claim claim = declared;
            for (const std::string& name : claim::quantities_of(claim)) excuse(claim, name);
            const std::size_t before = record_.claims.size();
            const std::string name = "claim " + claim.id;
            failures_.attempt(name, claim.place, [&] { judge(claim, results); });
            if (record_.claims.size() > before) continue;
            failures_.explain(claim, name);
            record_.claims.push_back(claim::judge(claim, results));
        }
    }

    /// States in a claim what happened to a quantity that it needs, unless the quantity was computed.
    void excuse(claim::Claim& claim, const std::string& name) const {
        failures_.explain(claim, name);
        if (record_.interrupted && !find(name) && claim.waits_for.empty())
            claim.waits_for = "'" + name + "', before which the run was interrupted";
    }

    /// Operations of a claim's conditions; an integral in them counts with its largest number of operations.
    static double cost_of(const claim::Claim& claim, const std::vector<const Result*>& results) {
        double cost = 0;
        for (const formula::Node& each : claim::valued_conditions(claim, results))
            cost +=
                quantity::operations(each) + (formula::has_integral(each) ? evaluate::most_operations_of_integral : 0);
        return cost;
    }

    /// A claim that takes long is judged on the worker; after an interruption, a claim is skipped. Throws
    /// core::UserError for a claim that names values that its quantities do not have, or that takes too long.
    void judge(claim::Claim claim, const std::vector<const Result*>& results) {
        core::Problems problems;
        claim::check_fields(claim, results, problems);
        problems.raise();
        const bool is_judged = claim.waits_for.empty() && claim.lacks.empty() && claim.failure.empty();
        const double cost = is_judged ? cost_of(claim, results) : 0;
        if (evaluated_ + cost > quantity::most_operations) {
            problems.add(claim.place, fmt::format("the claim '{}' would take about {:.1e} operations", claim.id, cost),
                         fmt::format("at most {:.0e} with the rest of the study", quantity::most_operations));
            problems.raise();
        }
        if (cost <= most_operations_unwatched) {
            done_ += cost;
            return record_.claims.push_back(claim::judge(claim, results));
        }
        const auto judged = std::make_shared<core::ClaimRecord>();
        const auto job = [owner = owner_, kept = results_, judged, claim, results] {
            *judged = claim::judge(claim, results);
        };
        const auto tell = [&](double steps) {
            if (!options_.progress) return;
            options_.progress("claim " + claim.id, done_ + std::min(steps, cost), std::max(total_, done_ + cost));
        };
        const bool stopped = left_behind_ || options_.interrupted() || !run_watched(job, tell);
        if (stopped) {
            left_behind_ = record_.interrupted = true;
            claim.waits_for = "its turn, before which the run was interrupted";
        }
        record_.claims.push_back(stopped ? claim::judge(claim, results) : std::move(*judged));
        done_ += cost;
        evaluated_ += cost;
    }

    void describe_study() {
        record_.study = body_.found.name;
        record_.file = body_.found.file;
        record_.title = body_.title;
        record_.source = body_.source;
        record_.doc = body_.doc;
        record_.formulas = formulas_of(body_, wanted_);
        if (options_.device) record_.device = options_.device->name();
        record_.manifest = manifest_of(body_, options_.only, processors_);
        for (std::size_t i = 0; i < body_.figures.size(); ++i) {
            const core::FigureRecord& figure = body_.figures[i];
            if (asks_for(options_, figure.name) && is_complete(body_.figure_needs[i]))
                record_.figures.push_back(figure);
        }
    }

    /// A figure is not drawn if a quantity in it waits or was not computed.
    bool is_complete(const std::vector<std::string>& needs) const {
        return std::all_of(needs.begin(), needs.end(), [this](const std::string& name) { return find(name); });
    }

    std::shared_ptr<const Study::Body> owner_;
    const Study::Body& body_;
    const Options& options_;
    std::vector<bool> wanted_;
    std::vector<const Item*> readers_;  ///< the items that measure models which were trained or read for this run
    std::shared_ptr<Results> results_;
    std::shared_ptr<Models> models_;
    ItemKeys keys_;
    std::set<std::string> processors_;  ///< of results from the store
    bool left_behind_ = false;
    bool has_told_of_store_ = false;
    core::Worker worker_;
    std::set<std::string> checked_;  ///< trainings
    core::StudyRecord record_;
    Failures failures_{record_};
    double total_ = 0;
    double done_ = 0;
    double evaluated_ = 0;  ///< the part of these for formulas; trainings have no limit
};

}  // namespace

core::StudyRecord run(const Study& study, const Options& options) {
    try {
        return Runner(study.body(), options).run();
    } catch (const core::UserError& error) {
        throw RunError(error, study.name());
    }
}

}  // namespace farfield::study
