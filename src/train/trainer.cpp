#include "train/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/train/memory.hpp>

namespace farfield::train {

namespace {

/// If the loss exceeds that of guessing by this factor, the training has diverged.
constexpr double hopeless_factor = 100;

[[noreturn]] void refuse(const Training& training, const core::PreconditionError& error) {
    throw core::UserError({core::Diagnostic{
        training.place, "'" + training.name + "' cannot be trained: " + error.found(), error.wanted(), {}}});
}

std::shared_ptr<model::Model<float>> make_model(const Training& training) {
    try {
        return std::make_shared<model::Model<float>>(training.config, training.scheme, training.seed);
    } catch (const core::PreconditionError& error) {
        refuse(training, error);
    }
}

}  // namespace

Trainer::Trainer(const Training& training) : training_(training), model_(make_model(training)) {
    for (const Training* before = training.start.get(); before; before = before->start.get())
        first_step_ += before->schedule.steps;
}

void Trainer::start_from(const Trained& other) {
    start_diverged_ = other.diverged.has_value();
    if (start_diverged_) diverged_ = 0;
    const std::span<const float> trained = other.model->parameters();
    for (const model::Slice& slice : model_->layout().slices()) {
        const model::Slice* const source = other.model->layout().find(slice.name);
        if (!source) continue;
        if (source->shape != slice.shape)
            throw core::PreconditionError("Trainer::start_from", slice.name,
                                          std::to_string(source->size()) + " numbers",
                                          std::to_string(slice.size()) + ", of the same shape");
        const std::span<const float> numbers = trained.subspan(source->offset, source->size());
        std::copy(numbers.begin(), numbers.end(),
                  model_->parameters().begin() + static_cast<std::ptrdiff_t>(slice.offset));
    }
}

model::AdamW<float>& Trainer::optimiser() {
    if (!optimiser_) optimiser_.emplace(model_->layout(), training_.optimiser);
    return *optimiser_;
}

void Trainer::fill(std::size_t part) {
    const std::size_t length = training_.config.train_length;
    inputs_.clear();
    targets_.clear();
    const auto step = static_cast<std::uint32_t>(first_step_ + losses_.size());
    for (std::size_t b = 0; b < training_.batch; ++b) {
        const auto number = static_cast<std::uint32_t>(part * training_.batch + b);
        const Row row = training_.source->sample(training_.seed, step, number, length);
        inputs_.insert(inputs_.end(), row.tokens.begin(), row.tokens.end() - 1);
        for (std::size_t t = 0; t < length; ++t)
            targets_.push_back(row.weights[t] > 0 ? row.tokens[t + 1] : model::ignored);
    }
}

double Trainer::forward_backward(StepBuffers& buffers) {
    buffers.gradient.resize(model_->layout().size());
    double loss = 0;
    const double share = 1.0 / static_cast<double>(training_.accumulate);
    for (std::size_t part = 0; part < training_.accumulate; ++part) {
        fill(part);
        const model::Batch batch{inputs_, targets_, training_.batch, training_.config.train_length, 0};
        loss += share * model_->forward_backward(batch, buffers.workspace, buffers.gradient, {part > 0, share});
    }
    return loss;
}

bool Trainer::is_hopeless(double loss) const {
    const double guessing = std::log(static_cast<double>(std::max<std::size_t>(training_.config.vocabulary, 2)));
    return !(loss <= hopeless_factor * guessing);
}

void Trainer::step(StepBuffers& buffers) {
    trained_here_ = true;
    double loss = NAN;
    try {
        loss = forward_backward(buffers);
    } catch (const core::PreconditionError& error) {
        // From the second step on, the training itself is the cause.
        if (losses_.empty()) refuse(training_, error);
    }
    const double norm = model::gradient_norm<float>(buffers.gradient, buffers.workspace);
    if (is_hopeless(loss) || !std::isfinite(norm)) {
        diverged_ = losses_.size();
    } else {
        const double rate = training_.schedule.rate(losses_.size());
        optimiser().step(model_->parameters(), buffers.gradient, rate, model::clip_factor(norm, training_.clip),
                         buffers.workspace);
        losses_.push_back(static_cast<float>(loss));
    }
    if (is_done()) optimiser_.reset();
}

void Trainer::add_tensors(Checkpoint& checkpoint, const std::string& prefix, std::span<const float> arena) const {
    for (const model::Slice& slice : model_->layout().slices()) {
        const std::span<const float> numbers = arena.subspan(slice.offset, slice.size());
        checkpoint.tensors.push_back({prefix + slice.name, slice.shape, Numbers<float>::of(numbers)});
    }
}

void Trainer::read_tensors(const Checkpoint& checkpoint, const std::string& prefix, std::span<float> arena,
                           const std::string& path) const {
    for (const model::Slice& slice : model_->layout().slices()) {
        const std::span<const float> numbers = floats(checkpoint, prefix + slice.name, slice.shape, path);
        std::copy(numbers.begin(), numbers.end(), arena.begin() + static_cast<std::ptrdiff_t>(slice.offset));
    }
}

Checkpoint Trainer::checkpoint() const {
    Checkpoint checkpoint;
    add_tensors(checkpoint, "", std::as_const(*model_).parameters());
    if (optimiser_) {
        add_tensors(checkpoint, "first_moment.", optimiser_->first_moment());
        add_tensors(checkpoint, "second_moment.", optimiser_->second_moment());
    }
    checkpoint.tensors.push_back({"losses", {losses_.size()}, losses_});
    checkpoint.metadata = {{"key", key_of(training_)},
                           {"training", training_.name},
                           {"scheme", training_.scheme.name},
                           {"steps", std::to_string(losses_.size())}};
    if (diverged_) checkpoint.metadata["diverged"] = std::to_string(*diverged_);
    if (start_diverged_) checkpoint.metadata["start"] = "diverged";
    return checkpoint;
}

void Trainer::restore(const Checkpoint& checkpoint, const std::string& path) {
    const auto text = [&](const std::string& key) {
        const auto found = checkpoint.metadata.find(key);
        return found == checkpoint.metadata.end() ? std::string() : found->second;
    };
    if (text("key") != key_of(training_)) {
        throw core::MissingError("reading the checkpoint '" + path + "'",
                                 "it is of another training: '" + text("training") + "'",
                                 "remove the file, or train anew with --fresh");
    }
    const std::size_t steps = std::strtoull(text("steps").c_str(), nullptr, 10);
    const std::span<const float> losses = floats(checkpoint, "losses", {steps}, path);
    losses_.assign(losses.begin(), losses.end());
    if (!text("diverged").empty()) diverged_ = losses_.size();
    start_diverged_ = !text("start").empty();
    read_tensors(checkpoint, "", model_->parameters(), path);
    if (is_done()) optimiser_.reset();
    if (!is_done() && steps > 0) {  // before the first step there are no moments
        read_tensors(checkpoint, "first_moment.", optimiser().first_moment(), path);
        read_tensors(checkpoint, "second_moment.", optimiser().second_moment(), path);
        optimiser().set_steps(steps);
    }
}

Trained Trainer::result() const {
    const double peak = trained_here_ ? peak_bytes() : 0;
    return {model_, losses_, diverged_, start_diverged_, is_done(), trained_here_, peak, nullptr, {}, {}};
}

}  // namespace farfield::train
