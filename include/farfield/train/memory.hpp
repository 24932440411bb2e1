// Checks whether a computation fits into memory, before it begins.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <farfield/model/footprint.hpp>
#include <farfield/train/training.hpp>

namespace farfield::train {

/// A part of the memory that a computation needs.
struct MemoryPart {
    std::string name;  ///< "activations"
    double bytes = 0;
};

double total_bytes(const std::vector<MemoryPart>& parts);

/// The bytes that this process can still allocate: the least of the available memory of the machine, the remaining
/// memory of the control group (version 2), and the remaining address space (`ulimit -v`). No value if the system does
/// not report them.
std::optional<double> available_bytes();

/// The peak memory of this process so far; 0 if the system does not report it.
double peak_bytes();

/// Throws core::MissingError if the parts together need more than available_bytes(): "memory for WHAT: it needs 80.0
/// GiB (activations 60.0 GiB, gradients 20.0 GiB), 23.0 GiB are available", without parts below a hundredth. Accepts
/// everything if the system does not report how much is available.
void require_memory(const std::vector<MemoryPart>& parts, const std::string& what,
                    const std::string& remedy = "smaller lengths, a smaller batch, fewer segments or fewer threads");

/// The parts of `count` workspaces.
std::vector<MemoryPart> parts_of(const model::Footprint& footprint, std::size_t count = 1);

/// The memory of a training while its steps run on this many threads. The last part is that of parameters, gradient and
/// moments; a fourth of it is for the parameters.
std::vector<MemoryPart> parts_of(const Training& training, std::size_t threads);
std::vector<MemoryPart> parts_of(const Training& training, std::size_t threads, model::Footprints& footprints);

}  // namespace farfield::train
