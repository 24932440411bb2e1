// Trained models of one run: each is trained once, whatever number of quantities reads it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <farfield/checkpoint/checkpoint.hpp>
#include <farfield/measure/kind.hpp>
#include <farfield/study/study.hpp>
#include <farfield/train/training.hpp>

#include "study/body.hpp"
#include "study/opened.hpp"

namespace farfield::study {

class Models {
public:
    Models(std::shared_ptr<const Study::Body> body, const Options& options);

    /// The digest of all that the models of a training depend on. Opens its corpus: throws core::MissingError or
    /// core::UserError if that is not to be had.
    std::string key(const std::string& name);

    /// The digest of each of its seeds, in their order: the names of its models in the cache.
    const std::vector<std::string>& seed_keys(const std::string& name);
    /// Says what seed_keys() would compute. From then on key() of the training may be asked for by several threads.
    void know_seed_keys(const std::string& name, std::vector<std::string> keys);

    /// A training with its data, of its first seed. Opens its corpus as key() does.
    const train::Training& training(const std::string& name) { return trainings(name).front(); }
    /// The length that a model was trained on; of a checkpoint, its file knows it.
    std::size_t trained_length(const TrainItem& item) {
        return item.checkpoint ? training(item.name).config.train_length : item.training.config.train_length;
    }

    /// Trains those named that are not trained yet; `progress` receives the work done, in operations, from any thread.
    void train(const std::vector<std::string>& names, const std::function<void(double operations)>& progress);

    /// The training of one seed with its data. Several threads may ask for those that are no checkpoints.
    train::Training training_of(const TrainItem& item, std::uint64_t seed);

    /// One model of a training.
    struct Seed {
        std::string training;
        std::uint64_t seed = 0;
    };
    /// Trains these models into the cache, and keeps none of them in memory. [seed]
    std::vector<train::Trained> train_into_cache(const std::vector<Seed>& seeds);

    /// Steps of trainings that no checkpoint holds: "14 steps of 't, seed 0'"; empty if there are none. While train()
    /// is under way the running steps come on top.
    std::string unsaved() const;

    /// The training as quantities read it; without its models unless it was trained. Throws core::MissingError if every
    /// seed's loss diverged, and what ended the training of a seed before its time.
    measure::Subject subject(const std::string& name);

    /// "4 layers, width 64, 3 seeds".
    std::string scale(const std::string& name);

    /// The models whose checkpoints could not be written or used, a sentence each.
    std::vector<std::string> warnings() const;

    /// Operations that a training's seeds take in all, about; and those of one token through its models.
    double operations(const std::string& name) const;
    /// Those of several trainings, and of what they start from.
    double operations(const std::vector<std::string>& names) const;
    double operations_of_token(const std::string& name) const;

    /// How each seed of a training went, where it was trained: steps, last loss, and where it diverged.
    std::string record(const std::string& name) const;

private:
    /// The file of checkpoints, which those with different schemes share.
    struct File : OpenCheckpoint {
        std::shared_ptr<const checkpoint::Forward> forward;  ///< null until train() reads the weights
    };
    File& file(const TrainItem& item);
    train::Training training_of_checkpoint(const TrainItem& item);

    const std::vector<train::Training>& trainings(const std::string& name);
    std::shared_ptr<const train::Source> source(const TrainItem& item);

    std::shared_ptr<const Study::Body> body_;
    train::Control control_;
    std::mutex corpora_mutex_;                                             ///< of the following
    std::map<std::string, std::shared_ptr<const train::Source>> corpora_;  ///< by their settings
    std::map<std::string, File> files_;                                    ///< by path
    std::map<std::string, std::vector<train::Training>> trainings_;        ///< by name, one a seed
    std::map<std::string, std::vector<train::Trained>> trained_;
    std::unordered_map<std::string, std::vector<std::string>> seed_keys_;
    mutable std::mutex mutex_;                    ///< of the following
    std::map<std::string, std::size_t> unsaved_;  ///< steps by the training's name and seed
};

}  // namespace farfield::study
