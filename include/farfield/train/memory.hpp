// Whether something fits into memory, asked before it is begun.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <farfield/model/footprint.hpp>
#include <farfield/train/training.hpp>

namespace farfield::train {

/// A part of what something takes.
struct MemoryPart {
    std::string name;  ///< "activations"
    double bytes = 0;
};

double total_bytes(const std::vector<MemoryPart>& parts);

/// What this process may still take: the least of what the machine has available, what the control group (version 2)
/// leaves and what the limit of the address space (`ulimit -v`) leaves. Without a value where the system does not say.
std::optional<double> available_bytes();

/// The most that this process has held in memory so far; 0 where the system does not say.
double peak_bytes();

/// Throws core::MissingError if that is more than available_bytes(): "memory for WHAT: it needs 80.0 GiB (activations
/// 60.0 GiB, gradients 20.0 GiB), 23.0 GiB are available", without parts below a hundredth. Refuses
/// nothing where the system does not say how much is available.
void require_memory(const std::vector<MemoryPart>& parts, const std::string& what);

/// The parts of `count` workspaces.
std::vector<MemoryPart> parts_of(const model::Footprint& footprint, std::size_t count = 1);

/// What a training takes while its steps are done on so many threads. The last part is parameters, gradient and
/// moments, a fourth of it the parameters.
std::vector<MemoryPart> parts_of(const Training& training, std::size_t threads);
std::vector<MemoryPart> parts_of(const Training& training, std::size_t threads, model::Footprints& footprints);

}  // namespace farfield::train
