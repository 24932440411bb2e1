// The memory that a pass needs, computed before it begins.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include <farfield/model/config.hpp>
#include <farfield/scheme/scheme.hpp>

namespace farfield::model {

/// The work on a batch: Model::forward_backward, its calls that add to a gradient, Model::losses, or
/// Model::input_gradient of one row (Model::attention takes less).
enum class Work { step, accumulated_step, losses, input_gradient };

struct BatchShape {
    std::size_t sequences = 1;
    std::size_t length = 1;
    std::size_t threads = 1;
};

/// The bytes of a Workspace<float> after such work, part by part, and of the model's parameters.
struct Footprint {
    std::size_t parameters = 0;   ///< of the model; a gradient and a moment take as much
    std::size_t gradients = 0;    ///< of groups of sequences, beside the caller's
    std::size_t packed = 0;       ///< weights, in the order in which products read them
    std::size_t activations = 0;  ///< of all threads
    std::size_t tables = 0;       ///< of positions, and their gradients

    std::size_t workspace() const { return gradients + packed + activations + tables; }
};

/// Computes the footprint without allocating this memory. Throws core::PreconditionError for a shape or scheme that
/// Model refuses.
Footprint footprint(const Config& config, const scheme::Scheme& scheme, Work work, const BatchShape& shape);

/// A cache of footprints. Schemes that differ only in numbers of their formulas share one footprint if they have no
/// learned names and if the bias, if there is one, depends on the distance only. Any thread may call it.
class Footprints {
public:
    /// Throws as footprint() does.
    Footprint of(const Config& config, const scheme::Scheme& scheme, Work work, const BatchShape& shape);

    /// The number of footprints that were computed.
    std::size_t computed() const { return computed_; }

private:
    struct Known {
        std::mutex mutex;
        std::optional<Footprint> footprint;
    };
    std::mutex mutex_;  ///< of the table
    std::unordered_map<std::string, Known> known_;
    std::atomic<std::size_t> computed_ = 0;
};

}  // namespace farfield::model
