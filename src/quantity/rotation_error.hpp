// The error of a scheme's logit in a number format: rotation, scale and bias with some steps rounded.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/numerics/format.hpp>
#include <farfield/numerics/interval.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/recipe.hpp>

#include "quantity/box_function.hpp"

namespace farfield::quantity {

/// The number format to which each intermediate result is rounded; null: none.
struct RoundedSteps {
    const numerics::Format* positions = nullptr;    ///< p itself
    const numerics::Format* frequencies = nullptr;  ///< the angle at position 1, if angles are proportional
    const numerics::Format* angles = nullptr;       ///< their product
    const numerics::Format* values = nullptr;       ///< cosine and sine
    const numerics::Format* scale = nullptr;        ///< the scale of queries and its reciprocal for keys
    const numerics::Format* bias = nullptr;         ///< the bias
    /// The formula by which frequencies are computed, of f or ratio, and i; its last step rounds to `frequencies`.
    /// Null: the formula of f.
    formula::Node frequency = nullptr;
    /// Whether the angle of a pair is the rounded angle of the pair before times `frequency`, which is the same for all
    /// pairs.
    bool is_recurrent = false;

    static RoundedSteps all(const numerics::Format& format);
    static RoundedSteps of(const scheme::Recipe& recipe);
};

/// A scheme's rotation, scale and bias in exact numbers, which several RotationErrors may share.
struct ExactRotation {
    /// `context.length` must be above 0 if the scheme's formulas use it. Throws core::UserError for a scheme with
    /// `rotate.far` whose angles are not a position times the frequency: see scheme::position_of().
    ExactRotation(const scheme::Scheme& scheme, const scheme::Context& context);
    ExactRotation(const ExactRotation&) = delete;
    ExactRotation& operator=(const ExactRotation&) = delete;

    /// An upper bound of |angle| of all pairs at positions from 0 to this one; infinite if angles are not proportional
    /// to positions.
    double largest_angle(double position) const;

    int pairs = 0;
    bool has_bias = false;
    bool has_scale = false;
    bool is_proportional = false;  ///< see is_proportional()
    Domain turns;                  ///< p and i
    Domain positions;              ///< q and k
    Domain tokens;                 ///< p
    formula::Node angle_formula;   ///< with `rotate.far`, the angle of near pairs
    BoxFunction angle;
    BoxFunction scale;
    BoxFunction bias;
    std::vector<numerics::Interval> frequencies;  ///< the angle at position 1, if proportional

    /// The positions at which queries and keys of `rotate.far` are rotated, as functions of p; for keys, null if it is
    /// p.
    struct Far {
        scheme::FarFormulas formulas;
        formula::Node query_position, key_position;
        std::shared_ptr<const BoxFunction> query, key;
    };
    std::optional<Far> far;

private:
    void find_far(const scheme::Scheme& scheme, const scheme::Context& context);
};

/// The logit of query q at position p and key k at position p', per unit |q||k|/sqrt(d), is the sum over pairs i of q_i
/// . conj(u_i) v_i k_i, where a pair is a complex number, with u_i = s_i(p) e^(i phi_i(p)) and v_i = e^(i phi_i(p')) /
/// s_i(p'). Rounded steps give u~_i and v~_i, which are complex numbers too. The error is linear in the pairs, which
/// are independent, so the worst direction of q and k puts all into one pair: it is max over i of |conj(u~_i) v~_i -
/// conj(u_i) v_i|, the largest norm of a difference of 2x2 matrices. All results are enclosures.
class RotationError {
public:
    /// Throws core::PreconditionError if frequencies are rounded but angles are not proportional to positions: see
    /// is_proportional().
    RotationError(std::shared_ptr<const ExactRotation> rotation, const RoundedSteps& steps);
    RotationError(const scheme::Scheme& scheme, const scheme::Context& context, const RoundedSteps& steps)
        : RotationError(std::make_shared<const ExactRotation>(scheme, context), steps) {}

    /// A pair at one position.
    struct Turn {
        numerics::Interval cosine;
        numerics::Interval sine;
        numerics::Interval scale;       ///< of a query
        numerics::Interval reciprocal;  ///< 1/scale, of a key
    };

    int pairs() const { return exact_->pairs; }
    bool is_recurrent() const { return steps_.is_recurrent; }
    /// Of steps that round frequencies, if angles are proportional to positions.
    const numerics::Interval& rounded_frequency(int pair) const {
        return rounded_frequencies_[static_cast<std::size_t>(pair)];
    }
    bool rounds_positions() const { return steps_.positions != nullptr; }
    Turn exact(double position, int pair) const;
    Turn rounded(double position, int pair) const;
    /// Whether the pair's exact and rounded numbers of both tokens are proven to have values, which may be infinite;
    /// and whether the bias is. If not, enclosures of errors are those of a number that may not exist.
    bool has_value(double query, double key, int pair) const;
    bool has_bias_value(double query, double key) const;
    /// |conj(u~) v~ - conj(u) v| of one pair; infinite where a rounded scale or reciprocal overflows.
    numerics::Interval of_pair(double query, double key, int pair) const;
    static numerics::Interval between(const Turn& exact_query, const Turn& rounded_query, const Turn& exact_key,
                                      const Turn& rounded_key);
    /// delta, the rounded angle minus the exact one; the whole line if the rounded one is not a number.
    numerics::Interval angle_error(double position, int pair) const;
    /// Enclosures of delta at the integers first, first + 1, ..., end - 1, which are not negative, one for each block
    /// of `block` of them. This is much faster than single calls if all rounded angles are doubles. A recurrence
    /// continues from `previous`, which is of the same integers, and stores the angles of the pair there.
    struct Angles {
        int pair = -1;
        std::vector<double> values;
    };
    std::vector<numerics::Interval> angle_errors(long long first, long long end, long long block, int pair,
                                                 Angles& previous) const;
    /// An upper bound of |delta(a) - delta(b)| for positions up to this magnitude that differ by at most `distance`:
    /// the frequency's error times the distance, plus a unit in the last place of the angle. Positions are integers if
    /// they are rounded. Infinite if angles are not proportional to positions.
    double angle_spread(double position, double distance, int pair) const;
    /// An upper bound of |e^(-i delta) u~/u - 1| and of |e^(-i delta) v~/v - 1|: cosine and sine each have an error of
    /// half a unit in the last place below 1, and the scale has a relative error rho (half a unit; more below the
    /// format's normal numbers, only where the scale itself is computed): (1 + 2^-(m + 3/2)) (1 + rho) - 1; m fraction
    /// bits.
    double size_error(double position, int pair, bool is_scale_normal) const;
    /// The scale of queries at all positions of a stretch.
    numerics::Interval scales(const core::Enclosure& positions, int pair) const;

    /// The largest error over all pairs, and its pair; 0 without a rotation.
    struct Worst {
        numerics::Interval error{0, 0};
        int pair = 0;
    };
    Worst of_rotation(double query, double key) const;
    /// |bias~ - bias|, with rounded positions if positions are rounded.
    numerics::Interval of_bias(double query, double key) const;
    numerics::Interval bias(double query, double key) const;

private:
    numerics::Interval angle(double position, int pair) const;
    numerics::Interval rounded_angle(double position, int pair) const;
    numerics::Interval scale(double position, int pair) const;
    double rounded_position(double position) const;
    numerics::Interval recurrent_angle(double position, int pair) const;
    numerics::Interval angle_errors_one_by_one(long long first, long long end, int pair) const;
    numerics::Interval errors_of(const double* angles, long long first, long long end, int pair) const;
    bool has_exact_angles(double last, int pair) const;
    void find_exact_angles(long long first, int pair, Angles& angles) const;
    void multiply(std::vector<double>& angles, double factor) const;

    void compute_frequencies();

    std::shared_ptr<const ExactRotation> exact_;
    RoundedSteps steps_;
    std::vector<numerics::Interval> rounded_frequencies_;  ///< factors of the position or of the angle before
};

/// Whether the simplifier can prove that the angle is p times the angle at 1.
bool is_proportional(const formula::Node& angle, int pairs);

/// The problem of a scheme with `rotate.values` and without a recipe: it does not state which of its steps are rounded.
std::optional<core::Diagnostic> values_problem(const scheme::Scheme& scheme, const core::Place& place);

/// The number of pairs that the scheme rotates in a head of the context's width.
int turned_pairs(const scheme::Scheme& scheme, const scheme::Context& context);

}  // namespace farfield::quantity
