// A training: its settings and its result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <farfield/core/place.hpp>
#include <farfield/model/config.hpp>
#include <farfield/model/model.hpp>
#include <farfield/model/optimiser.hpp>
#include <farfield/scheme/scheme.hpp>
#include <farfield/train/source.hpp>

namespace farfield::train {

/// One model to train. The result depends only on these settings, and not on the number of threads or on interruptions
/// (on one type of processor).
struct Training {
    std::string name;   ///< for messages: "windows[w=8], seed 0"
    core::Place place;  ///< where it is declared
    model::Config config;
    scheme::Scheme scheme;
    std::shared_ptr<const Source> source;
    std::size_t batch = 32;      ///< rows of a step, each of config.train_length tokens
    std::size_t accumulate = 1;  ///< batches whose gradients are averaged for a step
    model::Schedule schedule;    ///< schedule.steps is the number of steps
    model::AdamWSettings optimiser;
    double clip = 1;  ///< largest norm of the gradient; 0: any
    std::uint64_t seed = 0;
    /// The training whose last weights are the first weights of this one, by the names of the parameters; null: random
    /// weights. Parameters of the scheme that the other training does not have begin as in a new model. The rows of
    /// this training follow those of the other training.
    std::shared_ptr<const Training> start = nullptr;
};

/// The digest of everything that the result depends on: shape, scheme, data, settings, seed, and the same for `start`.
/// Names and places are not included.
std::string key_of(const Training& training);
/// The digests of the same training with each of these seeds.
std::vector<std::string> keys_of(const Training& training, const std::vector<std::uint64_t>& seeds);

/// The approximate number of operations of a forward pass over one row: two for each parameter and token, and those of
/// attention.
double operations_of_pass(const model::Config& config, std::size_t tokens);
/// The approximate number of operations of the training. A backward pass takes twice those of a forward pass.
double operations_of(const Training& training);

/// The result of a training.
struct Trained {
    std::shared_ptr<const model::Model<float>> model;  ///< as it was when it ended
    std::vector<float> losses;                         ///< mean loss of each step's rows, in nats
    std::optional<std::size_t> diverged;               ///< the step whose loss was no number or hopeless
    bool start_diverged = false;                       ///< before that step: the training that it starts from diverged
    bool finished = false;                             ///< all steps are done, or it diverged
    bool trained_here = false;                         ///< some steps were done now: it was not in the cache whole
    double peak = 0;                                   ///< bytes the process had held when it was trained here
    std::exception_ptr failure;                        ///< what ended it before its time; the model may be null then
    std::string not_kept;                              ///< why its last checkpoint is not on the disk; empty: it is
    std::string discarded;                             ///< why a checkpoint that was there was not used; empty: it was
};

struct Control {
    std::string cache;                 ///< folder of the checkpoints; empty: none are kept
    bool fresh = false;                ///< start anew even if there is a checkpoint
    double checkpoint_seconds = 20;    ///< between checkpoints of one training
    std::size_t checkpoint_steps = 0;  ///< and at these steps' multiples; 0: by time alone
    std::size_t processors = 0;        ///< 0: numerics::processors()
    std::function<bool()> interrupted = [] { return false; };
    std::function<void(double operations)> progress;  ///< after steps, what they took; from any thread
    /// Called after each step and checkpoint with the number of steps that are not in a checkpoint; from any thread.
    std::function<void(const Training& training, std::size_t steps)> unsaved;
    /// Called once the finished model is on the disk, with the processor time in seconds of its steps in this process;
    /// 0 if it was on the disk before. From any thread.
    std::function<void(const Training& training, double seconds)> kept;
};

/// The file of a finished training in the cache, and the file of its last checkpoint before it is finished. They are
/// two files, so that a process that is behind another one never replaces a finished model.
std::string checkpoint_path(const std::string& cache, const Training& training);
std::string unfinished_path(const std::string& cache, const Training& training);

/// Trains all models, those with the most remaining work first. They are trained in parallel or one after another,
/// whichever is faster in a measurement of the first steps. If a training starts from another one, that one is trained
/// first, even if it was not requested, unless the later training is complete in the cache. Each training continues
/// from its checkpoint; a finished one is only read. If interrupted, each training writes a checkpoint, and `finished`
/// is false for the unfinished ones. If a checkpoint cannot be written, training continues, and `not_kept` has the
/// reason. An error that ends a training is stored in its `failure`, and the others continue: core::UserError at its
/// place for a scheme that cannot be trained (a NaN of its bias with head and distance). A checkpoint that is damaged
/// or belongs to another training is not used: `discarded` has the reason, and the model is trained again.
std::vector<Trained> train_all(const std::vector<Training>& trainings, const Control& control);

}  // namespace farfield::train
