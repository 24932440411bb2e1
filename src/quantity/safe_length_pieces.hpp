// Data that the searches for a safe length share for all recipes of a scheme.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <farfield/formula/assumptions.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/scheme.hpp>

#include "quantity/boxes.hpp"
#include "quantity/drift_search.hpp"
#include "quantity/rotation_error.hpp"

namespace farfield::quantity {

/// The grid first, first + 1, ... of a variable.
Domain distances(const char* variable, long long first, long long count);

/// The tree with 1 for the variable, simplified.
formula::Node at_one(const formula::Node& tree, const char* variable);

/// Whether the tree is its value at 1 times the variable.
bool is_linear(const formula::Node& tree, const formula::Condition& has_value, const char* variable);

/// Whether the tree is its value at 1 to the power of the variable.
bool is_geometric(const formula::Node& tree, const char* variable);

/// The value of the first variable from which on a condition may hold, and whether it then does.
struct Crossing {
    long long at = 0;
    bool is_sure = true;
    std::string where;
};

/// Finds the crossing with a function that judges enclosures. Points that stay undecided are enclosed again with slow
/// arithmetic. A point that is still undecided ends the search, like one where the condition holds.
std::optional<Crossing> crossing(const formula::Node& tree, const formula::Condition& has_value, const Domain& domain,
                                 const std::function<Answer(const core::Enclosure&)>& of_value);

/// The same where the first variable is rounded to the format before; without a format, it is not. The formula is that
/// of exact integers, none of which below the crossing rounds to one from it on.
std::optional<Crossing> crossing_of_rounded(const formula::Node& tree, const formula::Condition& has_value,
                                            const Domain& domain, const numerics::Format* format,
                                            const std::function<Answer(const core::Enclosure&)>& of_value);

/// An upper bound of the numbers to which integers up to this one round; the integer itself without a format.
double largest_rounded(long long integer, const numerics::Format* format);

/// A head's bias as a function of n if it depends on nothing else, otherwise of q and k.
struct HeadBias {
    formula::Node tree;
    bool is_relative = false;
    std::string head;                   ///< "h = 1"
    double slope = -1;                  ///< an upper bound of |bias|/n if the bias is proportional to n, otherwise -1
    bool is_power = false;              ///< whether that is exact, and a power of two
    formula::Condition has_value = {};  ///< of the bias as stated
};

/// By pair, the rounded frequency, by which positions are multiplied; NaN if its rounding is not known. Empty if angles
/// are computed in another way.
struct Factors {
    std::vector<double> of_pairs;

    /// NaN without a factor.
    double of(int pair) const;
    /// The angle before it is rounded: the position, a formula of p, times the factor. Null without a factor.
    formula::Node angle(const formula::Node& position, int pair) const;
    /// Judges whether angles overflow at these positions, which are rounded first. Null without a factor.
    std::function<Answer(const core::Enclosure&)> overflow(const RoundedSteps& steps, int pair) const;
    /// The largest at positions from 0 to this one, without their rounding; infinite if a factor is not known.
    double largest_angle(double position) const;
};

/// Each piece is created at the first request.
class ExactPieces {
public:
    /// The pieces of a scheme in exact numbers; formulas of L get the length. With `is_one_head`, only for the
    /// context's head, otherwise for all heads, which must have the same rotation and temperature.
    ExactPieces(scheme::Scheme scheme, scheme::Context context, long long length, bool is_one_head);

    const scheme::Scheme& scheme() const { return scheme_; }
    const scheme::Context& context() const { return context_; }
    /// ", h = 2" for a single head, otherwise nothing.
    std::string head_text() const;
    /// The rotation with a scale that is counted from the start.
    const std::shared_ptr<const ExactRotation>& rotation();
    Factors factors(const RoundedSteps& steps);
    /// With `rotate.far`: the smallest possible distance q - k of a far pair, and the largest of a near pair, or -1 if
    /// there is none. If the condition depends on more than the distance, every distance may be near or far.
    std::pair<long long, long long> distances_of_far();
    /// Only the first of successive heads with the same bias.
    const std::vector<HeadBias>& biases();
    /// The answer to a question, which is the same for recipes that round alike.
    std::optional<Drifted> drift(const RoundedSteps& steps, const DriftQuestion& question);

private:
    struct Answered {
        RoundedSteps steps;
        long long longest = 0;
        std::optional<Drifted> drifted;
    };

    scheme::Scheme scheme_;
    scheme::Context context_;
    bool is_one_head_;
    std::shared_ptr<const ExactRotation> rotation_;
    std::optional<std::pair<long long, long long>> distances_of_far_;
    std::vector<HeadBias> biases_;
    std::vector<Answered> answered_;
};

/// The pieces of all heads, separately if their rotations or temperatures may differ.
std::vector<ExactPieces> pieces_of_heads(const scheme::Scheme& scheme, const scheme::Context& context,
                                         long long length);

}  // namespace farfield::quantity
