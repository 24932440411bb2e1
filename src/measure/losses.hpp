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

/// Of one model: the mean negative log-probability of a segment's targets, in nats, [lengths, segments]. `known`
/// likewise: the share of targets with a probability above one half, for sources that decide them; else empty.
struct Losses {
    std::vector<std::vector<double>> nll;
    std::vector<std::vector<double>> known;
};

/// For each model. Segments are rows of the longest length, cut to the last L tokens or into pieces; of a source that
/// may not be cut they are rows of L, and what it scores is scored.
std::vector<Losses> measure_losses(const LossSettings& settings,
                                   const std::vector<std::shared_ptr<const Network>>& models, const Inputs& inputs);

/// What that takes of the memory.
Memory memory_of_losses(const LossSettings& settings, const Measured& of);

/// What the best predictor that knows the process reaches on the same targets with the same contexts, by length; empty
/// if nobody knows it.
std::vector<double> best_losses(const LossSettings& settings, const Inputs& inputs);

}  // namespace farfield::measure
