// A scheme's bias of every head, query and key, as arrays that stay where they were computed.
#pragma once

#include <cstddef>
#include <vector>

#include <farfield/evaluate/array.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/scheme.hpp>

namespace farfield::quantity {

/// bias_matrix() (bias_matrix.hpp) as one array per head, [queries, keys]: on the thread's device if it accepts this
/// many cells, otherwise in host memory. If the host reads the numbers at once, bias_matrix() is faster, because it
/// copies no matrix. Throws core::PreconditionError for a length of 0.
std::vector<evaluate::Array> bias_arrays(const scheme::Scheme& scheme, const scheme::Context& context,
                                         std::size_t length);

}  // namespace farfield::quantity
