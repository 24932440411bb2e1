// How far a computed formula can be from its real value, when each operation is rounded once to a number format.
//
// The formula is flattened into a list of operations, equal ones once (they round alike). Let d[i] be what rounding
// adds to operation i. The error is a sum over the operations of d[i] times the derivative of the result by an addition
// to operation i, integrated along the way from the exact values (all d zero) to the computed ones. All of that lies in
// intervals: over a box, operation i takes values in V[i], computed ones included, |d[i]| is at most half a unit in the
// last place of the largest magnitude in V[i], and the derivatives A[i] are enclosed over V by the reverse mode. So
// sum |A[i]| |d[i]| bounds the error, second and higher orders included. Where the formula is smooth on the box, the
// mean value form of that sum bounds it too, which converges faster. The idea of symbolic first-order terms is that of
// Solovyev et al., "Rigorous estimation of floating-point round-off errors with symbolic Taylor expansions", 2015.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <farfield/core/table.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/numerics/format.hpp>

namespace farfield::evaluate {

/// What is rounded. Operators that round (fp32(x), ...) always round.
struct RoundingModel {
    /// The format to which the result of each operation is rounded once, to nearest; functions count as correctly
    /// rounded. Without a format, only rounding operators round, and all other operations are exact.
    std::optional<numerics::Format> format;
    /// Whether inputs and literals are real numbers, rounded before they are used. Otherwise inputs are numbers of the
    /// format, and a literal is the number of the format nearest to it, in the exact formula too.
    bool rounds_inputs = false;
};

/// The format fp64, whose numbers are doubles. formats.def does not contain it.
inline constexpr numerics::Format fp64 = {
    "fp64", "double", 11, 52, numerics::OverflowRule::infinite, "IEEE 754-2019, binary64"};

/// Bounds over one box.
struct ErrorBound {
    double error = 0;              ///< |computed - exact| is at most this; infinite where nothing is known
    core::Enclosure value;         ///< of the exact formula
    std::vector<double> by_input;  ///< how much each input's width matters, to choose which one to halve
};

/// An operation and its share of the bound.
struct ErrorTerm {
    std::string text;
    double share = 0;
};

class RoundingError {
public:
    /// The analysis of a formula whose free names are `inputs`. Returns nothing, with the reason in `problem`, if the
    /// formula cannot be analysed: sums whose bounds are not numbers, lookups, more than a million operations.
    static std::optional<RoundingError> of(const formula::Node& tree, const std::vector<std::string>& inputs,
                                           const RoundingModel& model, std::string& problem);

    RoundingError(RoundingError&&) noexcept;
    RoundingError& operator=(RoundingError&&) noexcept;
    ~RoundingError();

    ErrorBound over(std::span<const core::Enclosure> box);
    /// The sum at the midpoint of the box. It is not a bound, but the value to which the bound converges there under
    /// subdivision.
    struct MiddleSum {
        double error = 0;
        core::Enclosure value;  ///< of the formula
    };
    MiddleSum near_middle(std::span<const core::Enclosure> box);
    /// The largest terms of the bound over a box, the largest first.
    std::vector<ErrorTerm> terms(std::span<const core::Enclosure> box, std::size_t most);

    /// computed and exact value at a point, enclosed; the point must be of the format's numbers unless inputs are
    /// rounded.
    struct AtPoint {
        core::Enclosure error;  ///< of |computed - exact|
        core::Enclosure computed;
        core::Enclosure exact;
    };
    AtPoint at(std::span<const double> point) const;

    std::size_t operations() const;

private:
    struct State;
    explicit RoundingError(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace farfield::evaluate
