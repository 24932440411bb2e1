// The trained models of a run. Each is trained once, for any number of quantities that read it.
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

    /// The digest of everything on which the models of a training depend. Opens its corpus; throws core::MissingError
    /// or core::UserError if this fails.
    std::string key(const std::string& name);

    /// The digest of each of its seeds, in order. These are the names of its models in the cache.
    const std::vector<std::string>& seed_keys(const std::string& name);
    /// Sets the result of seed_keys(). After that, several threads may call key() of the training.
    void know_seed_keys(const std::string& name, std::vector<std::string> keys);

    /// A training of the first seed, with its data. Opens its corpus like key().
    const train::Training& training(const std::string& name) { return trainings(name).front(); }
    /// The length on which a model was trained; for a checkpoint, its file states it.
    std::size_t trained_length(const TrainItem& item) {
        return item.checkpoint ? training(item.name).config.train_length : item.training.config.train_length;
    }

    /// Trains the named trainings that are not trained yet; `progress` receives the work done, in operations, from any
    /// thread.
    void train(const std::vector<std::string>& names, const std::function<void(double operations)>& progress);

    /// The training of one seed with its data. Several threads may call this for trainings that are not checkpoints.
    train::Training training_of(const TrainItem& item, std::uint64_t seed);

    /// One model of a training.
    struct Seed {
        std::string training;
        std::uint64_t seed = 0;
    };
    /// Trains these models into the cache, and keeps none of them in memory. [seed]
    std::vector<train::Trained> train_into_cache(const std::vector<Seed>& seeds);

    /// Steps of trainings that are not saved in a checkpoint: "14 steps of 't, seed 0'"; empty if there are none. While
    /// train() runs, the running steps are not included.
    std::string unsaved() const;

    /// The training as quantities read it; without its models unless it was trained. Throws core::MissingError if every
    /// seed's loss diverged, and rethrows the error that ended the training of a seed early.
    measure::Subject subject(const std::string& name);

    /// "4 layers, width 64, 3 seeds".
    std::string scale(const std::string& name);

    /// A sentence for each model whose checkpoints could not be written or used.
    std::vector<std::string> warnings() const;

    /// The estimated operations of all seeds of a training.
    double operations(const std::string& name) const;
    /// The operations of several trainings, and of those from which they start.
    double operations(const std::vector<std::string>& names) const;
    /// Those of a pass over so many tokens through the models of a training, or through a checkpoint, whose file this
    /// opens; 0 if it cannot be opened.
    double operations_of_pass(const std::string& name, std::size_t tokens);

    /// Throws core::MissingError if a checkpoint does not take rows of these lengths into memory.
    void require_memory(const std::string& name, const measure::Feed& feed);

    /// A record of each seed that was trained: steps, last loss, and where the loss diverged.
    std::string record(const std::string& name) const;

private:
    /// The file of a checkpoint, which checkpoints with different schemes share.
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
