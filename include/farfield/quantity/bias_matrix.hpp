// A scheme's bias of every head: by distance, and spread over all pairs of positions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <farfield/scheme/context.hpp>
#include <farfield/scheme/scheme.hpp>

namespace farfield::quantity {

/// b[h, n] of the heads h = 1..context.heads at the distances n = 0..length-1, [heads, length]: q = n and k = 0 in the
/// scheme's bias. L is `length` where context.length is 0. Parts that all heads share, such as a sum over frequencies,
/// are computed once. Throws core::PreconditionError if the bias depends on more than the distance (proved by the
/// simplifier), and for a length of 0. Accuracy: as evaluate::evaluate. Cost: heads x length, and the shared parts.
std::vector<double> bias_by_distance(const scheme::Scheme& scheme, const scheme::Context& context, std::size_t length);

/// The bias of every head, query and key, [heads, queries, keys], including keys after the query and masked keys: the
/// matrix that Appendix E of Chi et al. 2023 builds. `result` has heads x length x length numbers, or
/// core::PreconditionError is thrown. A bias that depends on the distance alone is computed once a distance and copied:
/// the cost is that of writing `result`. Any other is evaluated for each pair.
void bias_matrix(const scheme::Scheme& scheme, const scheme::Context& context, std::size_t length,
                 std::span<double> result);

}  // namespace farfield::quantity
