// A scheme's formulas at given heads, widths and lengths.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <farfield/core/table.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/scheme/scheme.hpp>

namespace farfield::scheme {

/// The values of a scheme's variables other than positions. `head` counts from 1; `head_dim` is d of rotate, `width` d
/// of embed.
struct Context {
    double head = 1;
    double heads = 1;
    double head_dim = 64;
    double width = 64;
    double length = 0;        ///< L; 0: the largest position in use + 1
    double train_length = 0;  ///< Ltr; 0: as L
    double layer = 1;
    double layers = 1;
    std::vector<std::pair<std::string, double>> learned = {};              ///< values instead of `init`
    std::vector<std::pair<std::string, std::vector<double>>> tables = {};  ///< of learned tables
};

/// A member of a context: its key in studies and in Python, and its variable in formulas, such as "head" and h.
struct ContextKey {
    std::string_view key;
    std::string_view variable;
    double Context::*member;
};
std::span<const ContextKey> context_keys();

/// An impossible value: head 9 of 8, or a rotation of an odd width.
struct ContextProblem {
    std::string_view key;
    std::string value;
    std::string wanted;
};

/// Checks the values whose keys are given and returns what is wrong. Values must be integers from 1. head must be at
/// most heads, and layer at most layers; width must be a multiple of heads. A scheme that rotates (null: no scheme)
/// must have an even number of dimensions.
std::vector<ContextProblem> check_context(const Scheme* scheme, const Context& context,
                                          const std::function<bool(std::string_view key)>& is_given);

/// A piece's formula with all variables except positions (q, k, n, p, i) substituted by literals, and with `when`
/// folded in: where this condition fails, the bias is 0, the mask true, the temperature 1, the angle 0, and the scale
/// 1.
formula::Node in_context(const Scheme& scheme, const Piece& piece, const Context& context, const char* otherwise);

/// The bias as a formula of q and k (with n = q - k substituted), including the division by sqrt(head_dim) if
/// bias_scaled; 0 without a bias.
formula::Node bias_formula(const Scheme& scheme, const Context& context);

/// True where k is visible to q, causality included.
formula::Node mask_formula(const Scheme& scheme, const Context& context);

/// Rotation angle and scale as formulas of p and i for the context; 0 and 1 if the scheme does not rotate. `p` in the
/// scale counts from the rotation's origin for the context's length. The angle applies to every pair of a query and a
/// key. Throws core::UserError for a scheme with `rotate.far`; for such a scheme use near_angle_formula().
formula::Node angle_formula(const Scheme& scheme, const Context& context);
formula::Node scale_formula(const Scheme& scheme, const Context& context);

/// The same angle; for a scheme with `rotate.far`, the angle of the pairs for which its condition does not hold.
formula::Node near_angle_formula(const Scheme& scheme, const Context& context);

/// `rotate.far` for the context.
struct FarFormulas {
    formula::Node where;  ///< a condition on q and k
    formula::Node query;  ///< angle of p and i
    formula::Node key;
};
std::optional<FarFormulas> far_formulas(const Scheme& scheme, const Context& context);

/// The formula `values` of the rotation, applied to a cosine or a sine.
formula::Node wave_value(const Scheme& scheme, const formula::Node& wave);

/// Whether the simplifier can prove, after substituting q = k + n, that a real formula of q, k, n depends on q - k
/// only.
bool depends_on_distance_only(const formula::Node& tree);

}  // namespace farfield::scheme
