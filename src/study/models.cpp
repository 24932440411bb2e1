#include "study/models.hpp"

#include <fmt/format.h>

#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/core/sha256.hpp>
#include <farfield/core/size_text.hpp>
#include <farfield/train/memory.hpp>

#include "study/cache.hpp"

namespace farfield::study {

Models::Models(std::shared_ptr<const Study::Body> body, const Options& options) : body_(std::move(body)) {
    control_.cache = options.cache;
    control_.fresh = options.fresh;
    control_.interrupted = options.interrupted;
    control_.unsaved = [this](const train::Training& training, std::size_t steps) {
        const std::lock_guard lock(mutex_);
        unsaved_[training.name] = steps;
    };
}

const std::vector<train::Training>& Models::trainings(const std::string& name) {
    const auto known = trainings_.find(name);
    if (known != trainings_.end()) return known->second;
    const TrainItem* item = body_->trainings.find(name);
    if (!item) throw core::PreconditionError("Models", "name", name, "a training of the study");
    auto& source = corpora_[item->corpus_text];
    if (!source) source = train::open_corpus(item->corpus);
    std::vector<train::Training> own;
    for (const std::uint64_t seed : item->seeds) {
        own.push_back(item->training);
        own.back().name = fmt::format("{}, seed {}", name, seed);
        own.back().config.vocabulary = source->vocabulary();
        own.back().source = source;
        own.back().seed = seed;
    }
    return trainings_[name] = std::move(own);
}

std::string Models::key(const std::string& name) {
    const std::vector<train::Training>& own = trainings(name);
    // Training may not see all of the scheme (a mask for longer inputs), but what is measured does.
    const scheme::Scheme& scheme = own.front().scheme;
    std::string text = canonical(scheme.settings);
    for (const auto& [param, value] : scheme.params) text += param + "=" + value + "\n";
    for (const train::Training& training : own) text += train::key_of(training);
    return core::sha256(text);
}

void Models::train(const std::vector<std::string>& names, const std::function<void(double)>& progress) {
    std::vector<train::Training> all;
    std::vector<std::string> owners;
    for (const std::string& name : names) {
        if (trained_.contains(name)) continue;
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

measure::Subject Models::subject(const std::string& name) {
    measure::Subject subject{name, trainings(name), {}};
    const auto known = trained_.find(name);
    if (known == trained_.end()) return subject;
    std::string diverged;
    bool one_is_left = known->second.empty();
    bool is_before_training = true;
    for (const train::Trained& trained : known->second) {
        if (trained.failure) std::rethrow_exception(trained.failure);
        const std::uint64_t seed = subject.trainings[subject.models.size()].seed;
        one_is_left = one_is_left || !trained.diverged;
        is_before_training = is_before_training && trained.diverged == 0;
        if (trained.diverged)
            diverged += fmt::format("{}seed {} at step {}", diverged.empty() ? "" : ", ", seed, *trained.diverged);
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
    return counted(config.layers, "layer") + fmt::format(", width {}, ", config.width) + counted(all.size(), "seed");
}

std::vector<std::string> Models::warnings() const {
    std::vector<std::string> warnings;
    for (const auto& [name, all] : trained_) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].not_kept.empty()) continue;
            warnings.push_back(fmt::format("the model of '{}' was not kept and will be trained again: {}",
                                           trainings_.at(name)[i].name, all[i].not_kept));
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
    const TrainItem* item = body_->trainings.find(name);
    return item ? train::operations_of(item->training) * static_cast<double>(item->seeds.size()) : 0;
}

double Models::operations_of_token(const std::string& name) const {
    const TrainItem* item = body_->trainings.find(name);
    if (!item) return 0;
    const train::Training& training = item->training;
    const double tokens = static_cast<double>(training.config.train_length * training.batch * training.accumulate);
    return operations(name) / (3 * tokens * static_cast<double>(training.schedule.steps));
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
        if (trained.diverged) text += fmt::format(", diverged at step {}", *trained.diverged);
    }
    return text;
}

}  // namespace farfield::study
