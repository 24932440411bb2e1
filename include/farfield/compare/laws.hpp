// Properties of a bias, mask or rotation that can be checked without its formula.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <farfield/compare/compare.hpp>
#include <farfield/tensor/tensor.hpp>

namespace farfield::compare {

/// One law, and whether a tensor satisfies it.
struct Law {
    std::string name;            ///< "causal"
    std::string meaning;         ///< what it asks, in a sentence
    bool holds = false;          ///< for every number looked at
    std::string counterexample;  ///< where it fails first, and with which numbers; "" if it holds
};

/// Checks a tensor [..., queries, keys]:
///  finite       every number is finite, or -inf (a masked key)
///  causal       every key after the query is masked: false, or -10000 and below
///  relative     b[q + 1, k + 1] = b[q, k]: a function of q - k
///  translation  the same but for a constant a row, which softmax ignores: tokens before a text change nothing
///               within it (Sun et al. 2023, Eq. (2))
///  order        some row is not constant over the keys up to its own: a token's output depends on the order of those
///               before, which Eq. (1) of Sun et al. 2023 asks of a position model
/// The third and fourth compare each row with the one before it, and with the first and the last row of its matrix, so
/// that small differences cannot add up. Numbers count as equal within `tolerance` units in the last place; two masked
/// keys always count as equal. `part` is `mask` for a mask of other numbers than booleans. Reads the tensor once,
/// and the first and last rows again. Errors: core::UserError for fewer than two axes or an empty tensor; `name` is the
/// file, for messages.
std::vector<Law> laws(const tensor::Tensor& tensor, const std::string& name, std::optional<Part> part = {},
                      double tolerance = 2);

/// Checks a rotation's table [positions, dimensions] of cosines, sines or both as complex numbers, with positions one
/// apart:
///  finite   every number is finite
///  bounded  no number exceeds 1 in absolute value
///  start    the first position is not rotated
///  steady   f(p - s) + f(p + s) = c f(p) in each column, with one c for a stride s, for s = 1, 8, 64, ... and the
///           multiples p of s: each pair rotates by one angle per position, and the product of a query and a key
///           depends on the distance alone
/// The error of a number may be `tolerance` units in the last place of 1. The error of an angle, of at most a radian a
/// position, may be that of eight roundings to fp32 (for float64 tensors to double). Reads the tensor about five times,
/// three rows at once. Errors: core::UserError for another part, fewer than three positions or a batch; `name` is the
/// file, for messages.
std::vector<Law> rotation_laws(const tensor::Tensor& tensor, const std::string& name, Part part, double tolerance = 2);

/// rotation_laws() for a rotation's table, laws() for another tensor. `part` states which it is. Without `part`, the
/// tensor is a rotation's table if its name is "cos", "sin" or "turn", or if its numbers are complex.
std::vector<Law> laws_of(const tensor::Tensor& tensor, const std::string& name, std::optional<Part> part,
                         double tolerance = 2);

}  // namespace farfield::compare
