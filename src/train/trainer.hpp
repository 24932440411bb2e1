// The steps of one training.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <farfield/model/model.hpp>
#include <farfield/model/optimiser.hpp>
#include <farfield/train/checkpoint.hpp>
#include <farfield/train/training.hpp>

namespace farfield::train {

/// The work memory for steps, which successive trainings reuse.
struct StepBuffers {
    explicit StepBuffers(std::size_t threads) : workspace(threads) {}

    model::Workspace<float> workspace;
    std::vector<float> gradient;
};

class Trainer {
public:
    /// Draws the model's first weights. Throws core::UserError if the scheme or the shape cannot be trained.
    explicit Trainer(const Training& training);

    bool is_done() const { return diverged_ || losses_.size() >= training_.schedule.steps; }
    std::size_t steps() const { return losses_.size(); }

    /// Starts with the weights of a finished training, which is `start` of this one.
    void start_from(const Trained& other);

    /// One step of the optimiser.
    void step(StepBuffers& buffers);

    /// The data needed to continue or, after the last step, to use the model. The same steps give the same bytes.
    Checkpoint checkpoint() const;
    /// Continues from the checkpoint. Throws core::MissingError that names `path` if it belongs to another model.
    void restore(const Checkpoint& checkpoint, const std::string& path);

    Trained result() const;

private:
    double forward_backward(StepBuffers& buffers);
    model::AdamW<float>& optimiser();
    void fill(std::size_t part);
    bool is_hopeless(double loss) const;
    void add_tensors(Checkpoint& checkpoint, const std::string& prefix, std::span<const float> arena) const;
    void read_tensors(const Checkpoint& checkpoint, const std::string& prefix, std::span<float> arena,
                      const std::string& path) const;

    const Training& training_;
    std::shared_ptr<model::Model<float>> model_;
    std::optional<model::AdamW<float>> optimiser_;  ///< from the first step to the last
    std::vector<Token> inputs_;
    std::vector<Token> targets_;
    std::vector<float> losses_;
    std::optional<std::size_t> diverged_;
    bool start_diverged_ = false;
    std::size_t first_step_ = 0;  ///< the first step of its rows, after the steps of the trainings before it
    bool trained_here_ = false;
};

}  // namespace farfield::train
