// The known variations of a scheme, each a declared edit.
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

/// What an edit changes; `from` and `to` of the row say how.
enum class Action : std::uint8_t {
    substitute,       ///< in the piece before the colon of `from`: the name after it by the formula `to`
    wrap,             ///< the piece `from`: the formula `to` of the piece, `it`, and of params, which all must be there
    frequency,        ///< the angle: the formula `to`, in which `it` is the angle at position 1
    value,            ///< the number itself: the formula `to` of `it`, `d`, `scale` and `temperature`
    arrangement,      ///< the same, where it is how numbers are arranged
    exchange,         ///< sines stand for cosines and cosines for sines
    exchange_sides,   ///< the same, in rows that hold both
    exchange_output,  ///< the dimensions of each pair have changed places after the rotation
    regroup,          ///< pairs are neighbours before the rotation and halves after it, or the reverse
    twice,            ///< the rotation acts twice
    queries,          ///< the query: the formula `to` of q, in the mask too
    param,            ///< the scheme's param `from` is the value of `to`, a formula of its own value `it` and of d
    fitted,           ///< a param of the scheme has the value that fits the numbers
    origin,           ///< where the positions of the scale count from
    fraction,         ///< the fraction of the head that is rotated is `to`
    other_pairing,    ///< halves for interleaved, interleaved for halves
    transpose,        ///< queries and keys change places
    not_causal,       ///< the mask does not hide later keys
    one_head,         ///< the head and the number of heads, which neither the question nor the shape says
    some_heads,       ///< the same of the first of several heads
    order_of_heads,   ///< each head is another one
    table_transposed,   ///< tables of learned values are [entries, heads]
    row_constant,       ///< a constant is added to each row
    learned,            ///< values of positive learned names are raw: `to` of `it` makes them positive
    grid,               ///< half of the pairs are rotated by `to` of p, half by `from`, as heads of half the width
    power_as_quotient,  ///< x^-y is computed as 1/x^y
    arithmetic,         ///< every operation is rounded to the number format `to`
    angle_error,        ///< the angle may be off by what roundings to the format `to` cost
};

/// A set of parts, a bit each.
using Parts = std::uint32_t;

constexpr Parts parts(std::initializer_list<Part> list) {
    Parts set = 0;
    for (const Part part : list) set |= Parts{1} << static_cast<unsigned>(part);
    return set;
}

/// One row: two edits of one group exclude each other.
struct Edit {
    std::string_view name;
    std::string_view meaning;
    std::string_view group;
    Parts applies;
    Action action;
    std::string_view from = "";
    std::string_view to = "";
    /// How the search finds the numbers a, b and c of `to`: "fit", or a formula for each, with ; between them, of the
    /// first and the last place where numbers are wrong, where those numbers belong (`at_first`, `at_last`), and how
    /// many queries and keys there are, and the last place of all, `end`. A formula without a value excludes the edit.
    /// "divisors": each number of columns of a grid that has as many places as the tensor.
    std::string_view constants = "";
};

std::span<const Edit> edits();

inline bool applies(const Edit& edit, Part part) {
    return (edit.applies & parts({part})) != 0;
}

/// Whether a tensor of this format (null: float64) that the edit explains is still the scheme's: the edit says how
/// numbers are laid out, or that they were computed in fp32, which is no coarser than the tensor.
bool is_convention(const Edit& edit, const numerics::Format* format);

/// An edit with what it supposes of the heads (0 where it needs nothing, or where that is known) or of a param.
struct Choice {
    const Edit* edit = nullptr;
    double head_dim = 0;
    double heads = 0;
    double head = 0;
    std::string param = {};
    /// Decimals: the param's value; a, b and c of `to`; the order of heads.
    std::vector<std::string> constants = {};

    /// `to`, with the constants put in.
    formula::Node formula() const;

    /// The options of `farfield compare` that make the change a part of the question; "" where none does.
    std::string options() const;
    /// What the edit supposes, as Variation has it.
    std::string supposes() const;
    Variation described(const numerics::Format* format) const;
};

/// The options of each variation, and the names to accept of those that have none and are no conventions.
std::string options_text(const std::vector<Variation>& set);

inline bool has(std::span<const Choice> choices, Action action) {
    return std::any_of(choices.begin(), choices.end(),
                       [&](const Choice& choice) { return choice.edit->action == action; });
}

}  // namespace farfield::compare
