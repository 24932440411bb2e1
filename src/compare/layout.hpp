// The meaning of a tensor's axes.
#pragma once

#include <array>
#include <cstddef>
#include <farfield/compare/compare.hpp>
#include <farfield/scheme/scheme.hpp>
#include <farfield/tensor/tensor.hpp>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace farfield::compare {

/// Public code adds this number or a lower one to a logit to mask its key.
inline constexpr double hidden_below = -1e4;

/// Whether a mask is added to logits: its first number that is not 0 is below 0, or all are 0 and floats.
bool is_added(const tensor::Tensor& tensor);

enum class Axis { batch, head, query, key, distance, position, dimension, component };
inline constexpr std::size_t axis_count = 8;

/// The assignment of the columns of a table or vector to pairs of dimensions.
enum class Columns {
    pairs,        ///< one column per pair
    halves,       ///< i and i + d/2 are one pair
    interleaved,  ///< 2i and 2i + 1 are
};

/// The rotated columns and their partners.
struct Pairing {
    Columns columns = Columns::pairs;
    std::size_t turned = 0;              ///< the first `turned` columns are rotated, the others are unchanged
    std::optional<Columns> before = {};  ///< of vectors before the rotation, if their pairs differ

    bool operator==(const Pairing&) const = default;
    bool operator<(const Pairing& other) const {
        return std::tie(columns, turned, before) < std::tie(other.columns, other.turned, other.before);
    }
};

/// The number of columns of a fraction of a vector's width; nothing unless they are whole pairs.
std::optional<std::size_t> turned_columns(double fraction, std::size_t width);

struct Layout {
    Part part = Part::bias;
    std::vector<Axis> axes;
    std::vector<std::size_t> shape;
    std::array<std::vector<double>, axis_count> at;  ///< the places of the numbers along each axis; empty: 0, 1, 2, ...
    std::size_t first_query = 0;                     ///< the queries are the last positions
    std::size_t first_head = 1;
    Pairing pairing;
    bool is_added = false;  ///< a mask that is added to logits: 0 where a key is visible, low where it is masked
    double head_dim = 0;    ///< 0: not known
    double heads = 1;
    double length = 1;

    std::size_t extent(Axis axis) const;  ///< 1 if there is none
    bool has(Axis axis) const;
    bool is_vector() const { return part == Part::query || part == Part::key; }
    const std::vector<double>& stands(Axis axis) const { return at[static_cast<std::size_t>(axis)]; }
    std::string text() const;  ///< "[heads, queries, keys]"
    std::vector<std::size_t> index_of(std::size_t flat) const;
};

/// 0..count-1, or about `most` of them: the first eight, the last eight, and others spread evenly between.
std::vector<std::size_t> spread(std::size_t count, std::size_t most);

/// The place of a number. Coordinates without an axis in the layout are 0 (the head: first_head).
struct Where {
    double head = 1;
    double query = 0;
    double key = 0;
    double distance = 0;
    double position = 0;
    std::size_t dimension = 0;
    std::size_t component = 0;
};

Where where(const Layout& layout, std::size_t flat);

/// The tensor's numbers from `first` on; those of an added mask as 1 (visible) and 0.
void read_numbers(const Layout& layout, const tensor::Tensor& tensor, std::size_t first, std::span<double> result);

/// Reads the axes from the question and the shape; `scheme` determines which parts can be compared. Throws
/// core::UserError, with `name` as the file.
Layout read_layout(const tensor::Tensor& tensor, const std::string& name, const Question& question,
                   const scheme::Scheme& scheme);

}  // namespace farfield::compare
