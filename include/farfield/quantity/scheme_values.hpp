// The pieces of a scheme as numbers: bias at distances, mask of a square, rotation and embedding at positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/scheme.hpp>

namespace farfield::quantity {

/// The bias of one head, context.head, at distances n: at q = n, k = 0, or with a query at q = query, k = query - n.
/// `result` has a number for each distance. If context.length is 0, L is the largest position in use + 1. All numbers
/// are 0 for a scheme without a bias. Accuracy and cost: as evaluate::evaluate. Throws core::PreconditionError if
/// `result` has another size.
void bias_at(const scheme::Scheme& scheme, const scheme::Context& context, const evaluate::Lane& distances,
             std::optional<double> query, std::span<double> result);

/// The mask, including causality: `result` [queries, keys] is 1 where key k is visible to query q and 0 elsewhere, for
/// `length` queries and keys. If context.length is 0, L is `length`. Cost: an evaluation for each pair.
void mask_matrix(const scheme::Scheme& scheme, const scheme::Context& context, std::size_t length,
                 std::span<std::uint8_t> result);

/// A scheme's rotation at positions, [positions, pairs], with the pairs of a head of width context.head_dim.
struct RotationValues {
    std::size_t pairs = 0;
    std::vector<double> angle;  ///< radians
    std::vector<double> scale;  ///< q is multiplied by it, k divided
};

/// Angles and scales at positions p; all 0 and 1 for a scheme that does not rotate. L is the largest position + 1 where
/// context.length is 0. Only the fraction of the head that is rotated has pairs.
RotationValues rotation_at(const scheme::Scheme& scheme, const scheme::Context& context,
                           const evaluate::Lane& positions);

/// The vectors that the scheme adds to the token embedding at positions p, [positions, context.width]: even and odd
/// dimensions by their formulas, 0 without a formula. Throws core::UserError for an embedding that is learned.
std::vector<double> embedding_at(const scheme::Scheme& scheme, const scheme::Context& context,
                                 const evaluate::Lane& positions);

/// Reports, at `place`, each missing key that the piece needs: head for h, heads for H, head_dim for d, layer and
/// layers. L and Ltr need no key if positions determine them.
void require_keys(const scheme::Piece& piece, const std::function<bool(std::string_view key)>& is_given,
                  const core::Place& place, core::Problems& problems, bool has_positions = true);

/// The same for a scheme's bias, which may also be divided by the square root of the head's width.
void require_bias_keys(const scheme::Scheme& scheme, const std::function<bool(std::string_view key)>& is_given,
                       const core::Place& place, core::Problems& problems, bool has_positions = true);

}  // namespace farfield::quantity
