#include <algorithm>
#include <chrono>
#include <deque>
#include <farfield/core/error.hpp>
#include <farfield/study/study.hpp>
#include <map>

#include "study/body.hpp"
#include "study/cache.hpp"
#include "study/formulas.hpp"
#include "study/manifest.hpp"
#include "study/plan.hpp"
#include "study/worker.hpp"

namespace farfield::study {

using core::Result;

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

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

class Runner {
public:
    Runner(std::shared_ptr<const Study::Body> body, const Options& options)
        : owner_(std::move(body)),
          body_(*owner_),
          options_(options),
          wanted_(wanted_items(body_, options)),
          keys_(body_.items.size()),
          results_(std::make_shared<Results>()) {
        for (std::size_t i = 0; i < wanted_.size(); ++i) {
            if (wanted_[i]) total_ += cost_of(body_.items[i]);
        }
    }

    core::StudyRecord run() {
        const auto start = std::chrono::steady_clock::now();
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
    static double cost_of(const Item& item) { return item.prepared ? item.prepared->cost() + 1 : 0; }

    const Result* find(std::string_view name) const { return results_->find(name); }

    /// Why an item cannot be computed: it waits, or something it needs was not.
    bool is_blocked(const Item& item) {
        if (!item.waits_for.empty() || !item.prepared) return true;
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
        try {
            std::optional<Result> result = cached(at);
            if (!result) result = evaluate(item);
            if (!result) return;
            if (!options_.cache.empty()) store(options_.cache, keys_[at], *result);
            results_->add(std::move(*result));
            if (options_.finished) options_.finished(results_->list.back());
        } catch (const core::UserError& error) {
            for (const core::Diagnostic& diagnostic : error.diagnostics()) problems_.add(diagnostic);
        } catch (const core::MissingError& error) {
            lacking_[item.name] = error.what();
            record_.missing.emplace_back(item.name, error.what());
        }
        done_ += cost_of(item);
    }

    std::optional<Result> cached(std::size_t at) {
        if (options_.cache.empty()) return std::nullopt;
        const Item& item = body_.items[at];
        std::vector<std::string> keys;
        for (const std::string& need : item.needs) keys.push_back(keys_[body_.index.find(need)->second]);
        keys_[at] = cache_key(body_, item, keys);
        return options_.fresh ? std::nullopt : load(options_.cache, keys_[at]);
    }

    /// Nothing if the run was interrupted meanwhile: what came back may be unfinished.
    std::optional<Result> evaluate(const Item& item) {
        const auto start = std::chrono::steady_clock::now();
        const auto result = std::make_shared<Result>();
        // The job owns what it uses, since it may be left behind.
        const auto job = [owner = owner_, results = results_, interrupted = options_.interrupted, &item, result] {
            quantity::Inputs inputs;
            inputs.interrupted = interrupted;
            inputs.result = [&results](std::string_view name) -> const Result& {
                const Result* needed = results->find(name);
                if (!needed) throw core::PreconditionError("run", "name", name, "a quantity among the needs");
                return *needed;
            };
            const auto begin = std::chrono::steady_clock::now();
            *result = item.prepared->run(inputs);
            if (result->seconds == 0) result->seconds = seconds_since(begin);
        };
        double asked = -1;
        const auto go_on = [&] {
            const double seconds = seconds_since(start);
            if (options_.progress) options_.progress(item.name, done_, total_);
            if (asked < 0 && options_.interrupted()) asked = seconds;
            return asked < 0 || seconds - asked < seconds_to_stop;
        };
        try {
            left_behind_ = !worker_.run(job, go_on);
        } catch (...) {
            if (!options_.interrupted()) throw;
        }
        record_.interrupted = left_behind_ || options_.interrupted();
        if (record_.interrupted) return std::nullopt;
        result->name = item.name;
        result->kind = item.kind;
        return std::move(*result);
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
            if (problems_.size() == before) record_.claims.push_back(claim::judge(claim, results));
        }
    }

    void describe_study() {
        record_.study = body_.found.name;
        record_.file = body_.found.file;
        record_.title = body_.title;
        record_.source = body_.source;
        record_.doc = body_.doc;
        record_.formulas = formulas_of(body_, wanted_);
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
    bool left_behind_ = false;
    Worker worker_;
    std::map<std::string, std::string, std::less<>> lacking_;
    core::StudyRecord record_;
    core::Problems problems_;
    double total_ = 0;
    double done_ = 0;
};

}  // namespace

core::StudyRecord run(const Study& study, const Options& options) {
    return Runner(study.body(), options).run();
}

}  // namespace farfield::study
