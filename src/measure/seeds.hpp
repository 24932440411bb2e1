// A number that is measured for every seed, as values of a result.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <farfield/core/table.hpp>
#include <farfield/measure/kind.hpp>

namespace farfield::measure {

/// The models that exist, with their seeds. A checkpoint is one model without a seed.
struct Alive {
    std::vector<std::uint64_t> seeds;  ///< for a checkpoint: 0, which is not shown
    std::vector<std::shared_ptr<const Network>> models;
    bool has_seeds = true;
};

/// Throws core::MissingError if the training of every seed diverged.
Alive alive(const Subject& subject);

/// All seeds without their models, for outlines.
Alive untrained(const Subject& subject);

/// Sets NAME[index] to the mean, NAME_sd[index] to the deviation if there are two seeds, and NAME[index,seed=S] for
/// each seed. `index` may be empty: NAME, NAME_sd, NAME[seed=S].
void set_over_seeds(core::Result& result, const std::string& name, const std::string& index, const Alive& models,
                    std::span<const double> values);

/// Throws core::MissingError if one of the numbers that models gave at a length is not finite.
void require_finite(std::span<const double> numbers, const Subject& subject, std::size_t length);

/// NAME[index], or NAME.
std::string value_name(const std::string& name, const std::string& index);

}  // namespace farfield::measure
