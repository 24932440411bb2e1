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

/// What fixes a scheme's variables beside positions. `head` counts from 1; `head_dim` is d of rotate, `width` d of
/// embed.
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

/// A member of a context by the key that gives it in studies and from Python, and the variable of formulas it stands
/// for: "head" and h.
struct ContextKey {
    std::string_view key;
    std::string_view variable;
    double Context::*member;
};
std::span<const ContextKey> context_keys();

/// A value that no model has: head 9 of 8, a rotation of an odd width.
struct ContextProblem {
    std::string_view key;
    std::string value;
    std::string wanted;
};

/// What is wrong with the values whose keys are given: none but whole numbers from 1; head at most heads, layer at most
/// layers; width a multiple of heads; of a scheme that rotates (null: no scheme) an even number of dimensions.
std::vector<ContextProblem> check_context(const Scheme* scheme, const Context& context,
                                          const std::function<bool(std::string_view key)>& is_given);

/// A piece's formula with all but positions (q, k, n, p, i) put in as literals and `when` folded in: bias 0, mask true,
/// temperature 1, angle 0, scale 1 where the condition fails.
formula::Node in_context(const Scheme& scheme, const Piece& piece, const Context& context, const char* otherwise);

/// The bias at q, k (n = q - k put in), including the division by sqrt(head_dim) if bias_scaled; 0 without a bias.
formula::Node bias_formula(const Scheme& scheme, const Context& context);

/// True where k is visible to q, causality included.
formula::Node mask_formula(const Scheme& scheme, const Context& context);

/// Rotation angle and scale as formulas of p and i for the context; 0 and 1 if the scheme does not rotate. `p` in the
/// scale counts from the rotation's origin for the context's length. The angle is that of every pair of a query and a
/// key: throws core::UserError for a scheme with `rotate.far`, of which near_angle_formula() is a part.
formula::Node angle_formula(const Scheme& scheme, const Context& context);
formula::Node scale_formula(const Scheme& scheme, const Context& context);

/// The same angle; of a scheme with `rotate.far`, that of the pairs where its condition does not hold.
formula::Node near_angle_formula(const Scheme& scheme, const Context& context);

/// `rotate.far` for the context.
struct FarFormulas {
    formula::Node where;  ///< a condition on q and k
    formula::Node query;  ///< angle of p and i
    formula::Node key;
};
std::optional<FarFormulas> far_formulas(const Scheme& scheme, const Context& context);

/// What the rotation makes of a cosine or a sine: its `values` of it.
formula::Node wave_value(const Scheme& scheme, const formula::Node& wave);

/// Whether a real formula of q, k, n depends on q - k alone (proved by the simplifier after q = k + n, else false).
bool depends_on_distance_only(const formula::Node& tree);

}  // namespace farfield::scheme
