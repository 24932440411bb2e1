// A scheme's bias of every head, query and key, left where it was computed.
#pragma once

#include <cstddef>
#include <vector>

#include <farfield/evaluate/array.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/scheme.hpp>

namespace farfield::quantity {

/// bias_matrix() (bias_matrix.hpp) as one row of numbers a head, [queries, keys]: on the thread's device where that
/// takes so many cells, else in the processor's memory. For numbers that the processor is to read at once,
/// bias_matrix() is the faster: it copies no matrix. Throws core::PreconditionError for a length of 0.
std::vector<evaluate::Array> bias_arrays(const scheme::Scheme& scheme, const scheme::Context& context,
                                         std::size_t length);

}  // namespace farfield::quantity
