// What an implementation computed against what a scheme's formulas say.
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

/// What of a scheme a tensor holds.
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

/// Numbers that a question gives.
struct Values {
    std::vector<double> numbers;
    std::vector<std::size_t> shape = {};  ///< of the tensor that they are of; empty: a list
};

/// What is asked. A context's heads, length, head_dim and train_length of 0 are taken from the tensor's shape; a head
/// of 0 is the first, and others are tried where the numbers are not its own.
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
    /// Values of learned names: of a scalar one a head, of a table its entries, or those of each head in turn.
    std::vector<std::pair<std::string, Values>> learned = {};
    std::optional<tensor::Tensor> input = {};  ///< the queries or keys before the rotation
    std::optional<double> tolerance = {};      ///< units in the last place; nothing: 2, for float64 16
    /// Of the variations looked for, how many may be more than conventions. With one at most, heads are not looked at
    /// alone.
    std::size_t most_changes = 3;
};

/// How far a tensor is from a formula. A unit is the spacing of the tensor's number format at the formula's value, or,
/// where that is a sum, at the sum of its terms' magnitudes; cosines and sines count as 1.
struct Deviation {
    std::size_t compared = 0;        ///< numbers looked at
    std::size_t beyond = 0;          ///< how many are further off than the tolerance
    double worst = 0;                ///< units; of the number furthest off
    std::vector<std::size_t> index;  ///< of that number
    double found = 0;                ///< that number
    double wanted = 0;               ///< the formula's value, rounded to the format
    /// The position or distance of the first number beyond the tolerance, in the tensor's order; nothing if none is, or
    /// if the tensor has neither axis.
    std::optional<double> first_beyond;
};

/// A declared edit of a scheme: one row of the table in src/compare/edits.cpp.
struct Variation {
    std::string name;     ///< "head-from-0"
    std::string meaning;  ///< "heads are counted from 0"
    /// Options that make it so ("--heads 8 --head 3"), or the formula with its numbers ("p + 5"); "" where the name
    /// says all.
    std::string supposes = {};
    /// The options of `farfield compare` that make the change a part of the question: "--set base=20000"; "" where none
    /// does, and a tensor with it passes by "--accept NAME".
    std::string options = {};
    /// Whether it changes no number but by the rounding of fp32: which pairs of dimensions belong together, how a table
    /// is laid out, which head it is, arithmetic in fp32 (of a tensor that is not float64).
    bool is_convention = false;
};

/// What was found of one head of a tensor of several.
struct HeadAnswer {
    double head = 0;  ///< from 1
    bool is_equal = false;
    Deviation declared = {};                 ///< from the scheme as declared
    std::vector<Variation> variations = {};  ///< one that explains the head, and conventions; empty if none does
};

/// What compare() found.
struct Answer {
    Part part = Part::bias;
    std::string axes;       ///< "[heads, queries, keys]"
    double tolerance = 0;   ///< units that count as equal
    bool is_equal = false;  ///< whether the tensor is the scheme's as declared
    /// Whether the tensor is the scheme's: equal, or explained by conventions and by nothing else.
    bool agrees = false;
    Deviation declared;  ///< from the scheme as declared
    /// The smallest set that explains the tensor, of several the nearest; empty if none does. Of an equal tensor that
    /// is not the formula's rounded value everywhere: the way of computing that reproduces it to the last bit.
    std::vector<Variation> variations;
    std::vector<std::vector<Variation>> others;  ///< further sets of that size which explain it as well
    /// For each of these sets what to add to the command line of `farfield compare` so that the status is 0: "--set
    /// base=20000 --accept head-from-0"; "" for conventions.
    std::vector<std::string> commands;
    std::optional<Deviation> explained;  ///< from the scheme with these variations
    std::vector<Variation> nearest;      ///< if none explains: what comes far nearer than the scheme as declared
    std::optional<Deviation> near;       ///< from the scheme with these
    std::vector<HeadAnswer> heads;       ///< if none explains a tensor of 2 to 64 heads: each of them alone
    std::size_t tried = 0;               ///< sets of variations looked at
    std::string hidden;                  ///< what masked entries hold; "" if nothing is masked
};

/// Compares all numbers of the tensor with the scheme's formulas, each rounded to the tensor's number format, and if
/// they differ looks for the smallest set of at most three variations that explains them: on a sample of the numbers,
/// confirmed on all of them. Masked entries may hold anything; but where some of those numbers are -inf,
/// or one and the same number of -10000 or below, one that is not low is a key that leaks, and differs. A bias of two
/// axes is read as [queries, keys] too, where that makes it the scheme's; one without an axis of heads whose head or
/// number of heads the question does not give is tried as each head of usual numbers of heads.
///
/// Accuracy: formulas are computed in double (docs/formula.md has the bounds), so a unit of float64 carries their
/// rounding too. Cost: the tensor is read once if it is equal, once more for each set that is confirmed; memory is
/// bounded by heads x (queries + keys) and by pieces of 32768 numbers. The answer does not depend on the threads.
/// Errors: core::UserError for a shape or a scheme that do not go together, an unknown scheme, an empty tensor and a
/// NaN, hidden or not, naming its index; core::MissingError where the disk fails. `name` is the file, for messages.
Answer compare(const tensor::Tensor& tensor, const std::string& name, const Question& question,
               const scheme::Registry& schemes);

/// A tensor of `file`: places or learned values. At most 2^20 numbers. Errors: as tensor::open_tensor.
Values read_values(const std::string& file, const std::string& tensor);

/// Adds the coordinates of an axis: the name of a tensor of the file, or a formula, which compare() checks.
/// Errors: as read_values.
void add_places(const std::string& file, const std::string& axis, const std::string& text, Question& question);

/// "other-value (--set base=20000) + angles-in-fp32".
std::string names_text(const std::vector<Variation>& set);

/// Every variation that the search knows, in its order.
std::vector<Variation> variations();

}  // namespace farfield::compare
