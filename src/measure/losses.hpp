// Losses of models on held-out segments.
#pragma once

#include <cstddef>
#include <vector>

#include <farfield/measure/kind.hpp>

namespace farfield::measure {

enum class Protocol { last_token, pieces, sliding_cache };

struct LossSettings {
    std::vector<std::size_t> lengths;
    Protocol protocol = Protocol::last_token;
    std::size_t targets = 16;
    std::size_t segments = 256;
    std::size_t window = 0;  ///< of the sliding cache; 0: the training length
};

/// The losses of one model: the mean negative log-probability of a segment's targets, in nats, [lengths, segments].
/// `known`, with the same shape, is the share of targets with a probability above one half, for sources that determine
/// their targets; otherwise it is empty.
struct Losses {
    std::vector<std::vector<double>> nll;
    std::vector<std::vector<double>> known;
};

/// Measures each model. Segments are rows of the longest length, which are cut to the last L tokens or into pieces. For
/// a source whose rows may not be cut, they are rows of length L, and the tokens that it scores are scored.
std::vector<Losses> measure_losses(const LossSettings& settings,
                                   const std::vector<std::shared_ptr<const Network>>& models, const Inputs& inputs);

/// The memory that this needs.
Memory memory_of_losses(const LossSettings& settings, const Measured& of);

/// The losses, by length, of the best predictor that knows the process, on the same targets with the same contexts;
/// empty if they are unknown.
std::vector<double> best_losses(const LossSettings& settings, const Inputs& inputs);

}  // namespace farfield::measure
