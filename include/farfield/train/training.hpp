// A training: what fixes it, and what comes of it.
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

/// One model to train. What comes of it is a function of this alone, whatever the number of threads and however often
/// it was stopped and taken up again (on one type of processor).
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
    /// The training with whose last weights it begins, by the names of the parameters; null: random ones. Parameters of
    /// the scheme that the other one has not begin as in a new model. Its rows follow those of that training.
    std::shared_ptr<const Training> start = nullptr;
};

/// The digest of all that its result depends on: shape, scheme, data, settings, seed, and the same of `start`. Names
/// and places are not.
std::string key_of(const Training& training);
/// Those of the same training with each of these seeds.
std::vector<std::string> keys_of(const Training& training, const std::vector<std::uint64_t>& seeds);

/// Operations of a double that it takes, about: six a parameter and token, and the attention's.
double operations_of(const Training& training);

/// What came of a training.
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
    /// After each step and checkpoint: how many steps no checkpoint holds; from any thread.
    std::function<void(const Training& training, std::size_t steps)> unsaved;
    /// Once the finished model is on the disk, with the seconds of one processor that its steps took in this process;
    /// 0 if it was there before. From any thread.
    std::function<void(const Training& training, double seconds)> kept;
};

/// The file of a finished training under the cache, and that of its last checkpoint before it is finished. Two files,
/// so that a process that is behind another one never replaces a finished model.
std::string checkpoint_path(const std::string& cache, const Training& training);
std::string unfinished_path(const std::string& cache, const Training& training);

/// Trains all of them, those with most left to do first, side by side or one after the other, whichever was faster when
/// tried on the first ones' own steps. What another one starts from comes before it, and is trained too if it was not
/// asked for, unless that other one is in the cache whole. Each takes up where its checkpoint stands; one that ended is
/// only read. Interrupted, each writes a checkpoint and what is unfinished says so. A checkpoint that cannot be written
/// stops nothing: `not_kept` says why. What ends a training before its time is in its `failure`, and the others go on:
/// core::UserError at its place for a scheme that cannot be trained (a NaN of its bias with head and distance). A
/// checkpoint that is damaged or of another training is not used: `discarded` says why, and the model is trained again.
std::vector<Trained> train_all(const std::vector<Training>& trainings, const Control& control);

}  // namespace farfield::train
