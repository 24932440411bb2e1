// Compares a tensor that an implementation computed with a scheme's formulas.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <farfield/scheme/context.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/tensor/tensor.hpp>

namespace farfield::compare {

/// Which part of a scheme a tensor contains.
enum class Part {
    bias,
    mask,    ///< booleans (true: seen), or what is added to logits: 0 and -inf
    cosine,  ///< of the rotation's angle
    sine,
    turn,  ///< cosine and sine as one complex number
    scale,
    angle,
    query,      ///< rotated queries, for known ones
    key,        ///< rotated keys, for known ones
    both,       ///< the cosines of all pairs and then their sines, in one row
    embedding,  ///< what is added to the token's embedding
};

/// "bias", "mask", "cos", "sin", "turn", "scale", "angle", "q", "k", "cos-sin", "embed".
std::string_view part_name(Part part);
std::optional<Part> find_part(std::string_view name);
std::vector<std::string> part_names();

/// Numbers given in a question.
struct Values {
    std::vector<double> numbers;
    std::vector<std::size_t> shape = {};  ///< of the tensor that they are of; empty: a list
};

/// The largest tolerance in units in the last place. With 2^23 of them a float32 number is equal to its double.
inline constexpr double most_tolerance = 1 << 20;

/// The settings of a comparison. If heads, length, head_dim or train_length of the context is 0, the value comes from
/// the tensor's shape. If head is 0, the first head is compared, and other heads are tried if its numbers differ.
struct Question {
    std::string scheme;
    std::vector<std::pair<std::string, std::string>> params = {};  ///< in place of the scheme's, decimal texts
    scheme::Context context = {.head = 0, .heads = 0, .head_dim = 0};
    std::optional<Part> part = {};  ///< nothing: by the tensor's name, type, and what the scheme has
    std::string axes = {};          ///< "heads,queries,keys"; "": by the shape
    /// The coordinates along an axis: "positions" at 0, 255, 4096. Along any other axis they are 0, 1, 2, ...
    std::vector<std::pair<std::string, std::vector<double>>> at = {};
    /// Coordinates by a formula: "positions" of p, "distances" of n.
    std::vector<std::pair<std::string, std::string>> moved = {};
    /// Values of learned names: for a scalar one value for each head; for a table its entries, or the entries of each
    /// head in turn.
    std::vector<std::pair<std::string, Values>> learned = {};
    std::optional<tensor::Tensor> input = {};  ///< the queries or keys before the rotation
    std::optional<double> tolerance = {};      ///< units in the last place; nothing: 2, for float64 16
    /// The largest number of variations in a set that are not conventions. If it is at most one, heads are not compared
    /// separately.
    std::size_t most_changes = 3;
};

/// How far a tensor is from a formula. A unit is the spacing of the tensor's number format at the formula's value, or,
/// if the value is a sum, at the sum of its terms' magnitudes. For cosines and sines it is the spacing at 1.
struct Deviation {
    std::size_t compared = 0;        ///< numbers looked at
    std::size_t beyond = 0;          ///< how many are further off than the tolerance
    double worst = 0;                ///< units; of the number furthest off
    std::vector<std::size_t> index;  ///< of that number
    double found = 0;                ///< that number
    double wanted = 0;               ///< the formula's value, rounded to the format
    /// The position or distance of the first number beyond the tolerance, in the tensor's order. Nothing if all numbers
    /// are within the tolerance, or if the tensor has no axis of positions or distances.
    std::optional<double> first_beyond;
};

/// A declared edit of a scheme: one row of the table in src/compare/edits.cpp.
struct Variation {
    std::string name;     ///< "head-from-0"
    std::string meaning;  ///< "heads are counted from 0"
    /// The options that describe the variation ("--heads 8 --head 3"), or its formula with numbers ("p + 5"); "" if the
    /// name is sufficient.
    std::string supposes = {};
    /// The options of `farfield compare` that include this change in the expected scheme: "--set base=20000". "" if
    /// there are no such options; a tensor with this variation then passes with "--accept NAME".
    std::string options = {};
    /// Whether the variation is a convention, which changes numbers only by rounding to fp32: which dimensions form a
    /// pair, the layout of a table, which head the tensor contains, arithmetic in fp32 (for a tensor that is not
    /// float64).
    bool is_convention = false;
};

/// The result for one head of a tensor of several heads.
struct HeadAnswer {
    double head = 0;  ///< from 1
    bool is_equal = false;
    Deviation declared = {};                 ///< from the scheme as declared
    std::vector<Variation> variations = {};  ///< one that explains the head, and conventions; empty if none does
};

/// The result of compare().
struct Answer {
    Part part = Part::bias;
    std::string axes;       ///< "[heads, queries, keys]"
    double tolerance = 0;   ///< units that count as equal
    bool is_equal = false;  ///< whether the tensor is the scheme's as declared
    /// Whether the tensor matches the scheme: it is equal, or conventions alone explain the difference.
    bool agrees = false;
    Deviation declared;  ///< from the scheme as declared
    /// The smallest set that explains the tensor, the nearest one if there are several; empty if no set does. For a
    /// tensor that is equal but not correctly rounded everywhere: the arithmetic that reproduces it to the last bit.
    std::vector<Variation> variations;
    std::vector<std::vector<Variation>> others;  ///< further sets of that size which explain it as well
    /// For each of these sets, the options to add to the command line of `farfield compare` so that the exit status is
    /// 0: "--set base=20000 --accept head-from-0"; "" for conventions.
    std::vector<std::string> commands;
    std::optional<Deviation> explained;  ///< from the scheme with these variations
    std::vector<Variation> nearest;      ///< if none explains: what comes far nearer than the scheme as declared
    std::optional<Deviation> near;       ///< from the scheme with these
    std::vector<HeadAnswer> heads;       ///< if none explains a tensor of 2 to 64 heads: each of them alone
    std::size_t tried = 0;               ///< sets of variations looked at
    std::string hidden;                  ///< what masked entries hold; "" if nothing is masked
};

/// Compares all numbers of the tensor with the scheme's formulas, each rounded to the tensor's number format, and if
/// they differ, searches for the smallest set of at most three variations that explains the difference. The search uses
/// a sample of the numbers, and confirms a set on all of them. Masked entries may have any value. But if some of them
/// are -inf, or equal the same number of -10000 or below, a masked entry that is not that low means that a masked key
/// is visible, and counts as a difference. A bias of two axes is also read as [queries, keys] if it then matches the
/// scheme. If a bias has no axis of heads and the question does not give the head or the number of heads, it is
/// compared with each head of the usual numbers of heads.
///
/// Accuracy: formulas are computed in double (docs/formula.md has the bounds), so a unit of float64 carries their
/// rounding too. Cost: the tensor is read once if it is equal, once more for each set that is confirmed; memory is
/// bounded by heads x (queries + keys) and by pieces of 32768 numbers. The answer does not depend on the threads.
/// Errors: core::UserError for a shape that does not fit the scheme, an unknown scheme, an empty tensor and a NaN,
/// masked or not, naming its index; core::MissingError if the disk fails. `name` is the file's name for messages.
Answer compare(const tensor::Tensor& tensor, const std::string& name, const Question& question,
               const scheme::Registry& schemes);

/// The tensor `name` of `file`: places or learned values. At most 2^20 numbers. Errors: as tensor::open_tensor.
Values read_values(const std::string& file, const std::string& name);

/// Adds the coordinates of an axis: the name of a tensor of the file, or a formula, which compare() checks.
/// Errors: as read_values.
void add_places(const std::string& file, const std::string& axis, const std::string& text, Question& question);

/// "other-value (--set base=20000) + angles-in-fp32".
std::string names_text(const std::vector<Variation>& set);

/// Every variation that the search knows, in its order.
std::vector<Variation> variations();

}  // namespace farfield::compare
