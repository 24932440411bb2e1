#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <farfield/core/error.hpp>
#include <farfield/core/pulse.hpp>
#include <farfield/core/worker.hpp>
#include <farfield/model/check.hpp>
#include <farfield/study/study.hpp>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include "quantity/work.hpp"
#include "study/asked.hpp"
#include "study/body.hpp"
#include "study/cache.hpp"
#include "study/check_training.hpp"
#include "study/formulas.hpp"
#include "study/manifest.hpp"
#include "study/models.hpp"
#include "study/plan.hpp"

namespace farfield::study {

using core::Result;

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A claim of fewer operations is judged at once: that takes some tenths of a second at most.
constexpr double most_operations_unwatched = 1e6;

/// How long a quantity has to notice an interruption before it is left behind.
constexpr double seconds_to_stop = 0.5;

/// Finished results; references to them last.
struct Results {
    std::deque<Result> list;
    std::map<std::string, const Result*, std::less<>> index;

    const Result* find(std::string_view name) const {
        const auto found = index.find(name);
        return found == index.end() ? nullptr : found->second;
    }
    void add(Result result) {
        list.push_back(std::move(result));
        index[list.back().name] = &list.back();
    }
};

std::string counted(std::size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Which numbers come from a device: values, and what is made of rows that lie there. What verdicts are certified on,
/// enclosures, never do. Empty where none do.
std::string told_of(const evaluate::Device& device, const evaluate::Device::Done& before) {
    const evaluate::Device::Done now = device.done();
    std::string told;
    if (now.evaluations > before.evaluations)
        told = "values of " + counted(now.evaluations - before.evaluations, "evaluation");
    if (now.operations > before.operations)
        told += (told.empty() ? "" : " and ") + counted(now.operations - before.operations, "operation") + " on rows";
    return told.empty() ? told : told + " by " + device.name() + "; enclosures by the processor";
}

class Runner {
public:
    Runner(std::shared_ptr<const Study::Body> body, const Options& options)
        : owner_(std::move(body)),
          body_(*owner_),
          options_(options),
          wanted_(wanted_items(body_, options)),
          keys_(body_.items.size()),
          results_(std::make_shared<Results>()),
          models_(std::make_shared<Models>(owner_, options)) {
        for (std::size_t i = 0; i < wanted_.size(); ++i) {
            if (wanted_[i]) total_ += cost_of(body_.items[i]);
        }
    }

    core::StudyRecord run() {
        const auto start = std::chrono::steady_clock::now();
        train_models();
        for (std::size_t i = 0; i < body_.items.size() && !record_.interrupted; ++i) {
            if (wanted_[i]) compute(i);
        }
        problems_.raise();
        judge_claims();
        problems_.raise();
        describe_study();
        // A quantity left behind may still read what it needs.
        for (Result& result : results_->list) record_.quantities.push_back(left_behind_ ? result : std::move(result));
        record_.seconds = seconds_since(start);
        return std::move(record_);
    }

private:
    static std::size_t processors() { return std::max(1U, std::thread::hardware_concurrency()); }

    double cost_of(const Item& item) const {
        if (item.measured && item.waits_for.empty())
            return item.measured->tokens() * models_->operations_of_token(item.trainings.front()) + 1;
        return item.prepared ? item.prepared->cost() + 1 : 0;
    }

    /// The trainings whose models some wanted quantity will read, each once.
    std::vector<std::string> untrained() {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < body_.items.size(); ++i) {
            const Item& item = body_.items[i];
            const bool is_measured = wanted_[i] && item.measured && item.waits_for.empty();
            if (!is_measured) continue;
            attempt(item, [&] {
                if (cached(i)) return;
                check(item);
                require_memory(item);
                if (!has_values(item) || !item.needs_models) return;
                const std::string& name = item.trainings.front();
                if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
            });
        }
        return names;
    }

    /// Opens the corpora, and reports all that can be known before anything is trained.
    void check(const Item& item) {
        for (const std::string& name : item.trainings) {
            const TrainItem& training = *body_.trainings.find(name);
            if (checked_.insert(name).second) check_training(training, models_->training(name), problems_);
            check_rows(item, training, models_->training(name), problems_);
        }
    }

    /// Whether the scheme has a value at every length of the item, which is missing otherwise.
    bool has_values(const Item& item) {
        for (const std::string& name : item.trainings) {
            const auto problem = find_bad_length(item, models_->training(name));
            if (problem) lacks(item, core::format(*problem));
            if (problem) return false;
        }
        return true;
    }

    /// Throws core::MissingError if there is too little memory for measuring the item.
    void require_memory(const Item& item) {
        const measure::Subject untrained = models_->subject(item.trainings.front());
        try {
            item.measured->require_memory({untrained, nullptr, processors(), options_.interrupted});
        } catch (const core::PreconditionError&) {  // the training tells of it, with its place
        }
    }

    void train_models() {
        const std::vector<std::string> names = untrained();
        problems_.raise();
        if (names.empty()) return;
        double operations = 0;
        for (const std::string& name : names) operations += models_->operations(name);
        total_ += operations;
        const auto done = std::make_shared<std::atomic<double>>(0);
        const auto job = [models = models_, names, done] {
            models->train(names, [&done](double more) { done->fetch_add(more); });
        };
        const auto tell = [&](double) {
            if (options_.progress) options_.progress("training", done->load(), total_);
        };
        try {
            left_behind_ = !run_watched(job, tell);
        } catch (const core::UserError& error) {
            problems_.add(error);
        } catch (const core::MissingError& error) {
            for (std::size_t i = 0; i < body_.items.size(); ++i) {
                const Item& item = body_.items[i];
                if (wanted_[i] && item.needs_models && item.waits_for.empty()) lacks(item, error.what());
            }
        }
        problems_.raise();
        if (!left_behind_) record_.warnings = models_->warnings();
        done_ += operations;
        record_.interrupted = left_behind_ || options_.interrupted();
    }

    void lacks(const Item& item, const std::string& what) {
        if (!lacking_.emplace(item.name, what).second) return;
        record_.missing.emplace_back(item.name, what);
    }

    /// Does what an item asks for; what fails is told at its end.
    void attempt(const Item& item, const std::function<void()>& task) {
        try {
            task();
        } catch (const core::UserError& error) {
            problems_.add(error);
        } catch (const core::MissingError& error) {
            lacks(item, error.what());
        } catch (const model::PieceError& error) {
            // Where training led the learned names.
            lacks(item, error.what());
        }
    }

    /// Whether the job came to its end; an interruption leaves it behind if it does not look up.
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
            return worker_.run(
                [pulse, job] {
                    const core::PulseScope scope(pulse);
                    job();
                },
                go_on);
        } catch (const core::Stopped&) {
            return false;
        }
    }

    const Result* find(std::string_view name) const { return results_->find(name); }

    /// Why an item cannot be computed: it waits, or something it needs was not.
    bool is_blocked(const Item& item) {
        if (!item.waits_for.empty() || lacking_.contains(item.name)) return true;
        for (const std::string& need : item.needs) {
            const auto lacking = lacking_.find(need);
            if (lacking != lacking_.end()) lacking_[item.name] = lacking->second;
            if (!find(need)) return true;
        }
        return false;
    }

    void compute(std::size_t at) {
        const Item& item = body_.items[at];
        if (is_blocked(item)) return;
        if (options_.interrupted()) {
            record_.interrupted = true;
            return;
        }
        if (options_.progress) options_.progress(item.name, done_, total_);
        attempt(item, [&] {
            std::optional<Result> result = cached(at);
            if (!result) {
                result = evaluate(item);
                if (!result) return;
                keep(at, *result);
            }
            results_->add(std::move(*result));
            if (options_.finished) options_.finished(results_->list.back());
        });
        done_ += cost_of(item);
    }

    void keep(std::size_t at, const Result& result) const {
        if (!options_.cache.empty() && result.seconds >= options_.least_seconds_to_keep)
            store(options_.cache, keys_[at], result);
    }

    std::optional<Result> cached(std::size_t at) {
        if (options_.cache.empty()) return std::nullopt;
        const Item& item = body_.items[at];
        std::vector<std::string> keys;
        for (const std::string& need : item.needs) keys.push_back(keys_[body_.index.find(need)->second]);
        for (const std::string& training : item.trainings) keys.push_back(models_->key(training));
        // A cost is no less than the points there are.
        const bool may_be_there =
            options_.device && cost_of(item) >= static_cast<double>(options_.device->fewest_points());
        keys.push_back(may_be_there ? options_.device->identity() : "cpu");
        keys_[at] = cache_key(body_, item, keys);
        return options_.fresh ? std::nullopt : load(options_.cache, keys_[at]);
    }

    /// Nothing if the run was interrupted meanwhile: what came back may be unfinished.
    std::optional<Result> evaluate(const Item& item) {
        const auto result = std::make_shared<Result>();
        const std::function<Result()> compute = item.measured ? measuring(item) : computing(item);
        const auto job = [result, compute] {
            const auto begin = std::chrono::steady_clock::now();
            *result = compute();
            if (result->seconds == 0) result->seconds = seconds_since(begin);
        };
        const auto tell = [&](double steps) {
            if (options_.progress) options_.progress(item.name, done_ + std::min(steps, cost_of(item)), total_);
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

    /// The job owns what it uses, since it may be left behind.
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
        return [owner = owner_, subject, against, record, interrupted = options_.interrupted, &item] {
            Result result = item.measured->run({*subject, against.get(), processors(), interrupted});
            if (!record.empty()) result.notes.emplace_back("trained", record);
            return result;
        };
    }

    void judge_claims() {
        std::vector<const Result*> results;
        for (const Result& result : results_->list) results.push_back(&result);
        for (const claim::Claim& declared : body_.claims) {
            if (!asks_for(options_, declared.id)) continue;
            claim::Claim claim = declared;
            for (const std::string& name : claim::quantities_of(claim)) {
                const auto lacking = lacking_.find(name);
                if (lacking != lacking_.end() && claim.lacks.empty()) claim.lacks = lacking->second;
                const bool unfinished = record_.interrupted && !find(name);
                if (unfinished && claim.waits_for.empty())
                    claim.waits_for = "'" + name + "', before which the run was interrupted";
            }
            const std::size_t before = problems_.size();
            claim::check_fields(claim, results, problems_);
            if (problems_.size() == before) judge(std::move(claim), results);
        }
    }

    /// A claim that takes long is judged under watch; one that an interruption came before is skipped.
    void judge(claim::Claim claim, const std::vector<const Result*>& results) {
        const bool is_judged = claim.waits_for.empty() && claim.lacks.empty();
        double cost = 0;
        if (is_judged) {
            for (const formula::Node& condition : claim::valued_conditions(claim, results))
                cost += quantity::operations(condition);
        }
        if (done_ + cost > quantity::most_operations) {
            problems_.add(claim.place, fmt::format("the claim '{}' would take about {:.1e} operations", claim.id, cost),
                          fmt::format("at most {:.0e} with the rest of the study", quantity::most_operations));
            return;
        }
        if (cost <= most_operations_unwatched) return record_.claims.push_back(claim::judge(claim, results));
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
    }

    void describe_study() {
        record_.study = body_.found.name;
        record_.file = body_.found.file;
        record_.title = body_.title;
        record_.source = body_.source;
        record_.doc = body_.doc;
        record_.formulas = formulas_of(body_, wanted_);
        if (options_.device) record_.device = options_.device->name();
        record_.manifest = manifest_of(body_);
        if (options_.claims_only) return;
        for (std::size_t i = 0; i < body_.figures.size(); ++i) {
            const core::FigureRecord& figure = body_.figures[i];
            if (asks_for(options_, figure.name) && is_complete(body_.figure_needs[i]))
                record_.figures.push_back(figure);
        }
    }

    /// A figure of what waits or was not reached is not drawn.
    bool is_complete(const std::vector<std::string>& needs) const {
        return std::all_of(needs.begin(), needs.end(),
                           [this](const std::string& name) { return find(name) != nullptr; });
    }

    std::shared_ptr<const Study::Body> owner_;
    const Study::Body& body_;
    const Options& options_;
    std::vector<bool> wanted_;
    std::vector<std::string> keys_;  ///< of the cache, for each item
    std::shared_ptr<Results> results_;
    std::shared_ptr<Models> models_;
    bool left_behind_ = false;
    core::Worker worker_;
    std::map<std::string, std::string, std::less<>> lacking_;
    std::set<std::string, std::less<>> checked_;  ///< trainings
    core::StudyRecord record_;
    core::Problems problems_;
    double total_ = 0;
    double done_ = 0;
};

}  // namespace

RunError::RunError(const core::UserError& error, const std::string& study) : UserError(error) {
    for (const core::Diagnostic& each : diagnostics()) text_ += core::format(each) + "\n";
    if (more() > 0) text_ += fmt::format("and {} more\n", more());
    text_ += counted(diagnostics().size() + more(), "problem") + "; no results of " + study + " were written.";
}

core::StudyRecord run(const Study& study, const Options& options) {
    try {
        return Runner(study.body(), options).run();
    } catch (const core::UserError& error) {
        throw RunError(error, study.name());
    }
}

}  // namespace farfield::study
