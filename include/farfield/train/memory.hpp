// Whether something fits into memory, asked before it is begun.
#pragma once

#include <cstddef>
#include <string>

#include <farfield/model/config.hpp>

namespace farfield::train {

/// Bytes that a pass over so many tokens works in, about: with the way back all layers are kept, without it one.
double bytes_of_pass(const model::Config& config, double tokens, bool backward);

/// Throws core::MissingError if that is more than the machine has left: "memory for WHAT: it needs about 80 GiB, 23 GiB
/// are free". Where nobody knows how much is free nothing is refused.
void require_memory(double bytes, const std::string& what);

}  // namespace farfield::train
