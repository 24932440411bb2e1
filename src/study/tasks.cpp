#include "study/tasks.hpp"

#include <algorithm>
#include <farfield/core/error.hpp>
#include <farfield/measure/kind.hpp>
#include <farfield/train/memory.hpp>
#include <unordered_map>
#include <unordered_set>

#include "numerics/parallel.hpp"
#include "study/body.hpp"
#include "study/item_keys.hpp"
#include "study/models.hpp"
#include "study/plan.hpp"
#include "study/store.hpp"

namespace farfield::study {

namespace {

/// The speed of the reference core, a Zen 4 with AVX-512 (docs/scale.md).
constexpr double model_operations_a_second = 7.5e10;
constexpr double formula_operations_a_second = 1e9;
constexpr double seconds_of_batch = 2e-4;  ///< of a training, in addition to its operations

class Lister {
public:
    Lister(const std::vector<Study>& studies, const Options& options, model::Footprints* footprints)
        : studies_(studies), options_(options), footprints_(footprints), finished_(finished_ids(options.cache)) {}

    std::vector<Task> run() {
        for (std::size_t i = 0; i < studies_.size(); ++i) {
            try {
                add_study(i);
            } catch (const core::UserError& error) {
                throw RunError(error, studies_[i].name());
            }
        }
        return std::move(tasks_);
    }

private:
    /// A task is added once, however often it is requested.
    std::size_t add(Task task) {
        const auto [at, is_new] = known_.emplace(task.id, tasks_.size());
        if (!is_new) return at->second;
        task.done = finished_.contains(task.id);
        tasks_.push_back(std::move(task));
        return at->second;
    }

    void add_study(std::size_t study) {
        const Study::Body& body = *studies_[study].body();
        Models models(studies_[study].body(), options_);
        ItemKeys keys(body, options_, models);
        const std::vector<bool> wanted = wanted_items(body, options_);
        ask_ahead(body, wanted, models, keys);
        std::vector<std::vector<std::size_t>> behind(body.items.size());  // the tasks that an item's result needs
        for (std::size_t i = 0; i < body.items.size(); ++i) {
            const Item& item = body.items[i];
            if (!wanted[i] || !item.waits_for.empty()) continue;
            std::vector<std::size_t> needs;
            for (const std::string& need : item.needs) {
                const std::vector<std::size_t>& more = behind[body.index.find(need)->second];
                needs.insert(needs.end(), more.begin(), more.end());
            }
            if (item.measured && item.needs_models) add_trainings(study, item.trainings.front(), models, needs);
            std::sort(needs.begin(), needs.end());
            needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
            const double rate = item.measured ? model_operations_a_second : formula_operations_a_second;
            const bool is_long = keys.cost(item) / rate >= least_seconds_of_task;
            const bool is_task = !item.counts_threads && (item.needs_models || is_long);
            if (!is_task) {
                behind[i] = std::move(needs);
                continue;
            }
            Task task;
            task.id = keys.of(i);
            task.study = study;
            task.name = item.name;
            task.kind = item.kind;
            task.seconds = keys.usual_cost(item) / rate;
            task.needs = std::move(needs);
            behind[i] = {add(std::move(task))};
            if (!item.measured) continue;
            const auto asked = asked_.find(item.trainings.front());
            if (asked != asked_.end()) asked->second.measured.emplace_back(behind[i].front(), item.measured.get());
        }
        if (footprints_) find_memory();
        asked_.clear();
    }

    /// Computes the trainings and keys of a study's sweeps in parallel. If there are few items, as in most studies,
    /// they are computed when they are requested.
    void ask_ahead(const Study::Body& body, const std::vector<bool>& wanted, Models& models, ItemKeys& keys) {
        std::vector<std::size_t> measured;
        std::vector<const TrainItem*> items;
        std::unordered_set<std::string_view> names;
        for (std::size_t i = 0; i < body.items.size(); ++i) {
            const Item& item = body.items[i];
            const bool is_task = wanted[i] && item.waits_for.empty() && item.measured && item.needs_models &&
                                 !item.counts_threads && item.needs.empty() && item.trainings.size() == 1;
            const TrainItem* training = is_task ? body.trainings.find(item.trainings.front()) : nullptr;
            if (!training || training->checkpoint) continue;
            measured.push_back(i);
            if (names.insert(training->name).second) items.push_back(training);
        }
        if (items.size() <= few) return;
        std::vector<train::Training> trainings(items.size());
        std::vector<std::vector<std::string>> seed_keys(items.size());
        numerics::in_parallel(items.size(), few, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                trainings[i] = models.training_of(*items[i], items[i]->seeds.front());
                seed_keys[i] = train::keys_of(trainings[i], items[i]->seeds);
            }
        });
        for (std::size_t i = 0; i < items.size(); ++i) {
            models.know_seed_keys(items[i]->name, std::move(seed_keys[i]));
            asked_.emplace(items[i]->name, Asked{std::move(trainings[i]), items[i]->seeds.size(), {}, {}});
        }
        numerics::in_parallel(measured.size(), few, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) keys.of(measured[i]);
        });
    }

    void add_trainings(std::size_t study, const std::string& name, Models& models, std::vector<std::size_t>& needs) {
        const TrainItem& item = *studies_[study].body()->trainings.find(name);
        if (item.checkpoint) return;  // nothing to train
        asked_of(item, models);
        for (std::size_t i = 0; i < item.seeds.size(); ++i) needs.push_back(add_training(study, item, i, models));
    }

    /// Adds the training of one seed, after the one from which it starts.
    std::size_t add_training(std::size_t study, const TrainItem& item, std::size_t at, Models& models) {
        const std::string& key = models.seed_keys(item.name)[at];
        const auto known = known_.find(key);
        if (known != known_.end()) return known->second;
        Task task;
        task.id = key;
        task.study = study;
        task.name = item.name + ", seed " + std::to_string(item.seeds[at]);
        task.kind = "training";
        task.training = item.name;
        task.seed = item.seeds[at];
        if (const TrainItem* start = studies_[study].body()->trainings.find(item.start)) {
            const auto same = std::find(start->seeds.begin(), start->seeds.end(), task.seed);
            task.needs = {add_training(study, *start, static_cast<std::size_t>(same - start->seeds.begin()), models)};
        }
        Asked& asked = asked_of(item, models);
        const auto batches = static_cast<double>(asked.training.schedule.steps * asked.training.accumulate);
        const double operations = train::operations_of(asked.training);
        task.seconds = operations / model_operations_a_second + batches * seconds_of_batch;
        asked.trainings.push_back(add(std::move(task)));
        return asked.trainings.back();
    }

    static constexpr std::size_t few = 64;

    /// A training whose memory is requested, with the tasks of its seeds and those that measure it.
    struct Asked {
        train::Training training;
        std::size_t seeds = 1;
        std::vector<std::size_t> trainings;
        std::vector<std::pair<std::size_t, const measure::Prepared*>> measured;
    };

    Asked& asked_of(const TrainItem& item, Models& models) {
        const auto known = asked_.find(item.name);
        if (known != asked_.end()) return known->second;
        train::Training training = models.training_of(item, item.seeds.front());
        return asked_.emplace(item.name, Asked{std::move(training), item.seeds.size(), {}, {}}).first->second;
    }

    /// Computes the memory of all trainings in parallel.
    void find_memory() {
        std::vector<const std::pair<const std::string, Asked>*> all;
        for (const auto& each : asked_) all.push_back(&each);
        numerics::in_parallel(all.size(), 16, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) find_memory(all[i]->first, all[i]->second);
        });
    }

    void find_memory(const std::string& name, const Asked& asked) {
        try {
            const std::vector<train::MemoryPart> parts = train::parts_of(asked.training, 1, *footprints_);
            for (const std::size_t task : asked.trainings) tasks_[task].bytes = train::total_bytes(parts);
            // All models are in memory at once; the last part of a training is four times one of them.
            const double models = static_cast<double>(asked.seeds) * parts.back().bytes / 4;
            for (const auto& [task, measured] : asked.measured) {
                const measure::Memory memory = measured->memory({name, asked.training, asked.seeds, 1, *footprints_});
                tasks_[task].bytes = models + train::total_bytes(memory.parts);
            }
        } catch (const core::PreconditionError&) {
            // It cannot be trained, which its first step will report.
        }
    }

    const std::vector<Study>& studies_;
    const Options& options_;
    model::Footprints* footprints_;  ///< null: memory is not requested
    std::unordered_set<std::string> finished_;
    std::vector<Task> tasks_;
    std::unordered_map<std::string, Asked> asked_;  ///< of one study, by the name of the training
    std::unordered_map<std::string, std::size_t> known_;
};

}  // namespace

std::vector<Task> list_tasks(const std::vector<Study>& studies, const Options& options, model::Footprints* footprints) {
    return Lister(studies, options, footprints).run();
}

std::size_t waiting_for_training(const std::vector<Study>& studies, const Options& options) {
    std::size_t count = 0;
    for (const Study& each : studies) {
        const std::vector<Item>& items = each.body()->items;
        const std::vector<bool> wanted = wanted_items(*each.body(), options);
        for (std::size_t i = 0; i < items.size(); ++i)
            if (wanted[i] && items[i].measured && !items[i].counts_threads && !items[i].waits_for.empty()) ++count;
    }
    return count;
}

}  // namespace farfield::study
