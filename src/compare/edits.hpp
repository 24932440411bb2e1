// The known variations of a scheme, each of which is a declared edit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <farfield/compare/compare.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/numerics/format.hpp>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::compare {

/// What an edit changes; `from` and `to` of the row define how.
enum class Action : std::uint8_t {
    substitute,         ///< in the piece before the colon of `from`: replaces the name after it by the formula `to`
    wrap,               ///< the piece `from`: becomes the formula `to` of it (`it`) and of params, which must exist
    frequency,          ///< the angle: becomes the formula `to`, in which `it` is the angle at position 1
    value,              ///< the number itself: becomes the formula `to` of `it`, `d`, `scale` and `temperature`
    arrangement,        ///< the same, for an edit of how numbers are arranged
    exchange,           ///< exchanges sines and cosines
    exchange_sides,     ///< the same, in rows that have both
    exchange_output,    ///< exchanges the dimensions of each pair after the rotation
    regroup,            ///< pairs are neighbours before the rotation and halves after it, or the reverse
    twice,              ///< the rotation is applied twice
    queries,            ///< the query: becomes the formula `to` of q, in the mask too
    param,              ///< the scheme's param `from` is the value of `to`, a formula of its own value `it` and of d
    fitted,             ///< a param of the scheme has the value that fits the numbers
    origin,             ///< the origin from which positions of the scale are counted
    fraction,           ///< the fraction of the head that is rotated is `to`
    other_pairing,      ///< halves for interleaved, interleaved for halves
    transpose,          ///< exchanges queries and keys
    not_causal,         ///< the mask leaves later keys visible
    one_head,           ///< supposes the head and the number of heads, which neither the question nor the shape states
    some_heads,         ///< the same for the first of several heads
    order_of_heads,     ///< the heads have another order
    table_transposed,   ///< tables of learned values are [entries, heads]
    row_constant,       ///< a constant is added to each row
    learned,            ///< values of positive learned names are raw: `to` of `it` makes them positive
    grid,               ///< half of the pairs are rotated by `to` of p, half by `from`, as heads of half the width
    power_as_quotient,  ///< x^-y is computed as 1/x^y
    arithmetic,         ///< every operation is rounded to the number format `to`
    angle_error,        ///< the angle may have the error of roundings to the format `to`
};

/// A set of parts, one bit each.
using Parts = std::uint32_t;

constexpr Parts parts(std::initializer_list<Part> list) {
    Parts set = 0;
    for (const Part part : list) set |= Parts{1} << static_cast<unsigned>(part);
    return set;
}

/// One row; two edits of the same group exclude each other.
struct Edit {
    std::string_view name;
    std::string_view meaning;
    std::string_view group;
    Parts applies;
    Action action;
    std::string_view from = "";
    std::string_view to = "";
    /// How the search finds the numbers a, b and c of `to`: "fit", or a formula for each, separated by ";". The
    /// formulas may use the first and the last place with wrong numbers, the correct places of these numbers
    /// (`at_first`, `at_last`), the numbers of queries and keys, and the last place, `end`. A formula without a value
    /// excludes the edit. "divisors": tries each number of columns of a grid that has as many places as the tensor.
    std::string_view constants = "";
};

std::span<const Edit> edits();

inline bool applies(const Edit& edit, Part part) {
    return (edit.applies & parts({part})) != 0;
}

/// Whether a tensor of this format (null: float64) that the edit explains still counts as the scheme's: the edit is
/// about the layout of numbers, or says that they were computed in fp32, which is not coarser than the tensor.
bool is_convention(const Edit& edit, const numerics::Format* format);

/// An edit with its assumptions about the heads (0 if it needs none, or if they are known) or about a param.
struct Choice {
    const Edit* edit = nullptr;
    double head_dim = 0;
    double heads = 0;
    double head = 0;
    std::string param = {};
    /// Decimals: the param's value; a, b and c of `to`; the order of heads.
    std::vector<std::string> constants = {};

    /// `to`, with the constants substituted.
    formula::Node formula() const;

    /// The options of `farfield compare` that make the change a part of the question; "" if there are none.
    std::string options() const;
    /// The edit's assumptions, as in Variation.
    std::string supposes() const;
    Variation described(const numerics::Format* format) const;
};

/// The options of each variation, and the names to accept for variations that have no options and are not conventions.
std::string options_text(const std::vector<Variation>& set);

inline bool has(std::span<const Choice> choices, Action action) {
    return std::any_of(choices.begin(), choices.end(),
                       [&](const Choice& choice) { return choice.edit->action == action; });
}

}  // namespace farfield::compare
