#include "study/models.hpp"

#include <fmt/format.h>

#include <cmath>
#include <farfield/checkpoint/builtin.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/sha256.hpp>
#include <farfield/core/size_text.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/numerics/processors.hpp>
#include <farfield/train/memory.hpp>
#include <filesystem>
#include <set>

#include "study/cache.hpp"
#include "study/store.hpp"

namespace farfield::study {

namespace {

std::string where_diverged(const train::Trained& trained) {
    return trained.start_diverged ? "in the training it starts from" : fmt::format("at step {}", *trained.diverged);
}

/// Records who trained a finished model; 0 seconds mean that the model existed before.
void record_model(const std::string& store, const train::Training& training, double seconds) {
    const std::string id = train::key_of(training);
    const std::string path = model_record_path(store, id);
    if (seconds > 0)
        return core::write_file(path, to_json(record_here(id, "training", training.name, seconds)) + "\n", "--store");
    std::error_code failure;
    if (std::filesystem::exists(path, failure)) return;
    try {
        core::write_file(path, to_json({id, "training", training.name, {}, {}, {}, 0, {}}) + "\n", "--store");
    } catch (const core::MissingError&) {
        // The model itself exists, so the missing record is ignored.
    }
}

}  // namespace

Models::Models(std::shared_ptr<const Study::Body> body, const Options& options) : body_(std::move(body)) {
    control_.cache = options.cache;
    control_.fresh = options.fresh;
    control_.interrupted = options.interrupted;
    control_.unsaved = [this](const train::Training& training, std::size_t steps) {
        const std::lock_guard lock(mutex_);
        unsaved_[training.name] = steps;
    };
    control_.kept = [store = options.cache](const train::Training& training, double seconds) {
        record_model(store, training, seconds);
    };
}

std::shared_ptr<const train::Source> Models::source(const TrainItem& item) {
    const std::lock_guard lock(corpora_mutex_);
    auto& source = corpora_[item.corpus_text + (item.checkpoint ? "\n" + file(item).header->path() : "")];
    if (!source) source = open_once(item, item.checkpoint ? &file(item) : nullptr);
    return source;
}

Models::File& Models::file(const TrainItem& item) {
    const CheckpointSettings& settings = *item.checkpoint;
    std::string path = settings.path;
    for (const checkpoint::Builtin& builtin : checkpoint::builtins())
        if (builtin.name == settings.builtin) path = checkpoint::find_builtin(builtin);
    File& file = files_[path];
    if (file.encoding) return file;
    static_cast<OpenCheckpoint&>(file) = open_once(path);
    return file;
}

train::Training Models::training_of_checkpoint(const TrainItem& item) {
    const CheckpointSettings& settings = *item.checkpoint;
    const checkpoint::Checkpoint& header = *file(item).header;
    train::Training training;
    training.name = item.name;
    training.place = item.training.place;
    training.config = header.config();
    training.scheme = header.scheme(body_->schemes, settings.scheme, settings.params);
    training.source = source(item);
    return training;
}

train::Training Models::training_of(const TrainItem& item, std::uint64_t seed) {
    if (item.checkpoint) return training_of_checkpoint(item);
    train::Training training = item.training;
    training.name = fmt::format("{}, seed {}", item.name, seed);
    training.source = source(item);
    training.config.vocabulary = training.source->vocabulary();
    training.seed = seed;
    if (!item.start.empty())
        training.start = std::make_shared<const train::Training>(training_of(*body_->trainings.find(item.start), seed));
    return training;
}

const std::vector<train::Training>& Models::trainings(const std::string& name) {
    const auto known = trainings_.find(name);
    if (known != trainings_.end()) return known->second;
    const TrainItem* item = body_->trainings.find(name);
    if (!item) throw core::PreconditionError("Models", "name", name, "a training of the study");
    std::vector<train::Training> own;
    own.reserve(item->seeds.size());
    for (const std::uint64_t seed : item->seeds) own.push_back(training_of(*item, seed));
    return trainings_[name] = std::move(own);
}

const std::vector<std::string>& Models::seed_keys(const std::string& name) {
    const auto known = seed_keys_.find(name);
    if (known != seed_keys_.end()) return known->second;
    const TrainItem* item = body_->trainings.find(name);
    if (!item) throw core::PreconditionError("Models", "name", name, "a training of the study");
    return seed_keys_[name] = train::keys_of(training_of(*item, 0), item->seeds);
}

void Models::know_seed_keys(const std::string& name, std::vector<std::string> keys) {
    seed_keys_[name] = std::move(keys);
}

std::string Models::key(const std::string& name) {
    std::string seeds;
    const TrainItem& item = *body_->trainings.find(name);
    if (item.checkpoint) {
        const train::Training& own = training(name);
        std::string text =
            "checkpoint " + file(item).identity + own.source->identity() + canonical(own.scheme.settings);
        for (const auto& [param, value] : own.scheme.params) text += param + "=" + value + "\n";
        return core::sha256(text);
    }
    for (const std::string& key : seed_keys(name)) seeds += key;
    // Training may not use all of the scheme (such as a mask for longer inputs), but measurements do.
    const scheme::Scheme& scheme = body_->trainings.find(name)->training.scheme;
    std::string text = canonical(scheme.settings);
    for (const auto& [param, value] : scheme.params) text += param + "=" + value + "\n";
    return core::sha256(text + seeds);
}

std::vector<train::Trained> Models::train_into_cache(const std::vector<Seed>& seeds) {
    std::vector<train::Training> all;
    all.reserve(seeds.size());
    for (const Seed& each : seeds) all.push_back(training_of(*body_->trainings.find(each.training), each.seed));
    std::vector<train::Trained> trained = train::train_all(all, control_);
    for (train::Trained& each : trained) each.model = nullptr;
    return trained;
}

void Models::train(const std::vector<std::string>& names, const std::function<void(double)>& progress) {
    std::vector<train::Training> all;
    std::vector<std::string> owners;
    for (const std::string& name : names) {
        if (trained_.contains(name)) continue;
        const TrainItem& item = *body_->trainings.find(name);
        if (item.checkpoint) {
            File& own = file(item);
            if (!own.forward)
                own.forward = std::make_shared<const checkpoint::Forward>(*own.header, numerics::processors());
            continue;
        }
        for (const train::Training& training : trainings(name)) {
            all.push_back(training);
            owners.push_back(name);
        }
    }
    train::Control control = control_;
    control.progress = progress;
    const std::vector<train::Trained> results = train::train_all(all, control);
    for (std::size_t i = 0; i < results.size(); ++i) trained_[owners[i]].push_back(results[i]);
}

void Models::require_memory(const std::string& name, const measure::Feed& feed) {
    const TrainItem& item = *body_->trainings.find(name);
    if (!item.checkpoint) return;
    for (const measure::Feed::Length& length : feed.lengths)
        checkpoint::require_memory(*file(item).header, trainings(name).front().scheme, length.tokens,
                                   numerics::processors(), feed.needs_gradient);
}

measure::Subject Models::subject(const std::string& name) {
    measure::Subject subject{name, trainings(name), {}};
    if (const TrainItem& item = *body_->trainings.find(name); item.checkpoint) {
        subject.is_checkpoint = true;
        if (const auto forward = file(item).forward)
            subject.checkpoint = measure::network_of(forward, subject.trainings.front().scheme);
        return subject;
    }
    const auto known = trained_.find(name);
    if (known == trained_.end()) return subject;
    std::string diverged;
    bool one_is_left = known->second.empty();
    bool is_before_training = true;
    for (const train::Trained& trained : known->second) {
        if (trained.failure) std::rethrow_exception(trained.failure);
        const std::uint64_t seed = subject.trainings[subject.models.size()].seed;
        one_is_left = one_is_left || !trained.diverged;
        is_before_training = is_before_training && trained.diverged == 0 && !trained.start_diverged;
        if (trained.diverged)
            diverged += fmt::format("{}seed {} {}", diverged.empty() ? "" : ", ", seed, where_diverged(trained));
        subject.models.push_back(trained.diverged ? nullptr : trained.model);
    }
    if (one_is_left) return subject;
    if (is_before_training)
        throw core::MissingError("training '" + name + "'",
                                 "the loss is not finite, or far too large, before any weight changed: " + diverged,
                                 "smaller numbers in the scheme's formulas; a smaller lr does not help");
    throw core::MissingError("training '" + name + "'", "the loss diverged: " + diverged,
                             "a smaller lr, a longer warmup, or clip");
}

std::string Models::scale(const std::string& name) {
    const std::vector<train::Training>& all = trainings(name);
    const model::Config& config = all.front().config;
    const auto counted = [](std::size_t count, const char* what) {
        return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
    };
    if (const TrainItem& item = *body_->trainings.find(name); item.checkpoint) {
        const checkpoint::Checkpoint& header = *file(item).header;
        return fmt::format("checkpoint of {} parameters, {}, width {}", header.parameters(),
                           counted(config.layers, "layer"), header.shape().width);
    }
    return counted(config.layers, "layer") + fmt::format(", width {}, ", config.width) + counted(all.size(), "seed");
}

std::vector<std::string> Models::warnings() const {
    std::vector<std::string> warnings;
    for (const auto& [name, all] : trained_) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::string& training = trainings_.at(name)[i].name;
            if (!all[i].discarded.empty())
                warnings.push_back(fmt::format("the model of '{}' was trained again: {}", training, all[i].discarded));
            if (!all[i].not_kept.empty())
                warnings.push_back(fmt::format("the model of '{}' was not kept and will be trained again: {}", training,
                                               all[i].not_kept));
        }
    }
    return warnings;
}

std::string Models::unsaved() const {
    constexpr std::size_t most_named = 8;
    const std::lock_guard lock(mutex_);
    std::string text;
    std::size_t count = 0;
    for (const auto& [name, steps] : unsaved_) {
        if (steps == 0 || ++count > most_named) continue;
        text += fmt::format("{}{} {} of '{}'", text.empty() ? "" : ", ", steps, steps == 1 ? "step" : "steps", name);
    }
    return count > most_named ? fmt::format("{} and steps of {} more", text, count - most_named) : text;
}

double Models::operations(const std::string& name) const {
    const TrainItem& item = *body_->trainings.find(name);
    return item.checkpoint ? 0 : train::operations_of(item.training) * static_cast<double>(item.seeds.size());
}

double Models::operations(const std::vector<std::string>& names) const {
    std::set<std::string> all;
    for (const std::string& name : names)
        for (const TrainItem* item = body_->trainings.find(name); item; item = body_->trainings.find(item->start))
            all.insert(item->name);
    double sum = 0;
    for (const std::string& name : all) sum += operations(name);
    return sum;
}

double Models::operations_of_pass(const std::string& name, std::size_t tokens) {
    const TrainItem& item = *body_->trainings.find(name);
    if (!item.checkpoint)
        return train::operations_of_pass(item.training.config, tokens) * static_cast<double>(item.seeds.size());
    try {
        return checkpoint::forward_steps(*file(item).header, tokens);
    } catch (const core::UserError&) {
    } catch (const core::MissingError&) {
    }
    return 0;  // a missing or invalid file is reported where it is read
}

std::string Models::record(const std::string& name) const {
    std::string text;
    const auto found = trained_.find(name);
    if (found == trained_.end()) return text;
    for (std::size_t i = 0; i < found->second.size(); ++i) {
        const train::Trained& trained = found->second[i];
        const double loss = trained.losses.empty() ? NAN : trained.losses.back();
        text += fmt::format("{}seed {}: {} steps, last loss {:.4f}", text.empty() ? "" : "; ",
                            trainings_.at(name)[i].seed, trained.losses.size(), loss);
        if (trained.peak > 0) text += ", peak of the process " + core::size_text(trained.peak);
        if (trained.diverged) text += ", diverged " + where_diverged(trained);
    }
    return text;
}

}  // namespace farfield::study
