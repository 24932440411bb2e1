#include <algorithm>
#include <chrono>
#include <farfield/core/error.hpp>
#include <farfield/study/study.hpp>
#include <map>

#include "study/body.hpp"
#include "study/cache.hpp"
#include "study/formulas.hpp"
#include "study/manifest.hpp"
#include "study/plan.hpp"

namespace farfield::study {

using core::Result;

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Runner {
public:
    Runner(const Study::Body& body, const Options& options)
        : body_(body), options_(options), wanted_(wanted_items(body, options)), keys_(body.items.size()) {
        for (std::size_t i = 0; i < wanted_.size(); ++i) {
            if (wanted_[i]) total_ += cost_of(body.items[i]);
        }
        // Results are handed out by reference while more are added.
        record_.quantities.reserve(body.items.size());
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
        record_.seconds = seconds_since(start);
        return std::move(record_);
    }

private:
    static double cost_of(const Item& item) { return item.prepared ? item.prepared->cost() + 1 : 0; }

    const Result* find(std::string_view name) const {
        const auto found = finished_.find(name);
        return found == finished_.end() ? nullptr : &record_.quantities[found->second];
    }

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
            finished_[item.name] = record_.quantities.size();
            record_.quantities.push_back(std::move(*result));
            if (options_.finished) options_.finished(record_.quantities.back());
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
        quantity::Inputs inputs;
        inputs.interrupted = options_.interrupted;
        inputs.result = [this](std::string_view name) -> const Result& {
            const Result* result = find(name);
            if (!result) throw core::PreconditionError("run", "name", name, "a quantity among the needs");
            return *result;
        };
        const auto start = std::chrono::steady_clock::now();
        Result result;
        try {
            result = item.prepared->run(inputs);
        } catch (...) {
            if (!options_.interrupted()) throw;
        }
        record_.interrupted = options_.interrupted();
        if (record_.interrupted) return std::nullopt;
        result.name = item.name;
        result.kind = item.kind;
        if (result.seconds == 0) result.seconds = seconds_since(start);
        return result;
    }

    void judge_claims() {
        std::vector<const Result*> results;
        for (const Result& result : record_.quantities) results.push_back(&result);
        for (const claim::Claim& declared : body_.claims) {
            if (!asks_for(options_, declared.id)) continue;
            claim::Claim claim = declared;
            for (const std::string& name : claim::quantities_of(claim)) {
                const auto lacking = lacking_.find(name);
                if (lacking != lacking_.end() && claim.lacks.empty()) claim.lacks = lacking->second;
                const bool unfinished = record_.interrupted && !find(name);
                if (unfinished && claim.waits_for.empty()) claim.waits_for = "'" + name + "', before which the run was interrupted";
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
            if (asks_for(options_, figure.name) && is_complete(body_.figure_needs[i])) record_.figures.push_back(figure);
        }
    }

    /// A figure of what waits or was not reached is not drawn.
    bool is_complete(const std::vector<std::string>& needs) const {
        return std::all_of(needs.begin(), needs.end(), [this](const std::string& name) { return find(name) != nullptr; });
    }

    const Study::Body& body_;
    const Options& options_;
    std::vector<bool> wanted_;
    std::vector<std::string> keys_;  ///< of the cache, for each item
    std::map<std::string, std::size_t, std::less<>> finished_;
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
