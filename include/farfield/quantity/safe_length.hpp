// The longest sequence for which a scheme is safe in a number format.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/scheme/context.hpp>
#include <farfield/scheme/recipe.hpp>
#include <farfield/scheme/scheme.hpp>

namespace farfield::quantity {

/// The limit that ends the safe length.
enum class Limit {
    none,         ///< nothing up to the longest length looked at
    collision,    ///< two neighbouring positions are one number of the format
    table_end,    ///< a learned table of positions has no further entry
    overflow,     ///< an angle, a scale, its reciprocal or a bias is not a finite number of the format
    underflow,    ///< a scale or its reciprocal that is not zero becomes zero
    logit_error,  ///< a logit is off by more than the bound
};

/// "none", "position collision", "end of the table", "overflow", "underflow", "logit error".
std::string_view limit_name(Limit limit);

/// One limit by itself. It is proven that all positions of a sequence of `length` tokens, 0 .. length - 1, stay within
/// this limit.
struct LimitFound {
    Limit limit = Limit::none;
    long long length = 0;    ///< tokens that are safe from it
    bool is_longest = true;  ///< whether length + 1 tokens are shown not to be safe; else they may or may not be
    std::string where;       ///< what limits it, and where: "p = 4533, i = 0"; may be empty
    std::string formula;     ///< of the bound, where one exists
};

/// The result of safe_length().
struct SafeLength {
    std::string scheme;      ///< its name
    std::string format;      ///< "fp16", ...
    long long length = 0;    ///< the least of all below, or the longest that was looked at
    bool is_longest = true;  ///< whether one more token is shown not to be safe
    Limit limit = Limit::none;
    std::vector<LimitFound> limits;  ///< every reason that was found, the first to strike first
};

struct SafeLengthOptions {
    double error_bound = 0.01;  ///< largest error of a logit, per unit |q||k|/sqrt(d) (docs/quantities/logit-error.md)
    long long longest = 33'554'432;  ///< longest sequence looked at
    bool rounds_positions = true;    ///< whether positions themselves are numbers of the format
};

/// The longest sequence of a scheme whose positions, angles (frequencies and their products with positions), cosines
/// and sines, scales and biases are each rounded once to the format, from the exact function of their rounded inputs.
/// `context` gives heads (all heads 1..heads are checked), head_dim, and the values of learned names. The length of
/// `context` is not used; L in formulas is `options.longest`.
///
/// The logit error is defined in docs/quantities/logit-error.md; it is checked for every query and every key before it.
/// A temperature multiplies the error and is itself exact. If a scheme has both a rotation and a bias, each may use
/// half of the bound. Certified: every limit is decided by interval arithmetic. If interval arithmetic cannot decide
/// one, is_longest is false, and the length is still safe. For the logit error, is_longest is also false if the scale
/// does not count from the start (the length then changes all scales, whose roundings are bounded), if the scheme has
/// both a rotation and a bias, and if the bias is not a function of n = q - k. Errors: core::UserError for an unknown
/// format. Cost: up to ten seconds, if the bound is exceeded only after millions of positions.
SafeLength safe_length(const scheme::Scheme& scheme, const scheme::Context& context, std::string_view format,
                       const SafeLengthOptions& options = {});

/// The same for several recipes in place of the scheme's recipe, faster than separate calls. Each recipe must fit the
/// scheme (scheme::misfits()).
std::vector<SafeLength> safe_lengths(const scheme::Scheme& scheme, const scheme::Context& context,
                                     const std::vector<scheme::Recipe>& recipes, std::string_view format,
                                     const SafeLengthOptions& options = {});

}  // namespace farfield::quantity
