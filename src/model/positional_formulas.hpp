// A scheme's formulas at one layer and head (from 0) and length, with their learned names.
#pragma once

#include <farfield/scheme/context.hpp>

#include "model/positions.hpp"

namespace farfield::model {

scheme::Context context_of(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head);

/// Whether a formula names q or k.
bool names_positions(const formula::Node& tree);

/// Whether the bias is a function of n = q - k in each of these layers and heads, by its formula there.
bool bias_depends_on_distance(const Pieces& pieces, std::size_t length, const Variation& variation);

formula::Node bias_by_distance_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head);
formula::Node bias_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head);
formula::Node temperature_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head);
formula::Node angle_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head);
/// For a scheme with `rotate.far`.
formula::Node far_where_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head);
formula::Node far_query_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head);
formula::Node far_key_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head);
formula::Node scale_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head);
formula::Node even_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head);
formula::Node odd_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head);

}  // namespace farfield::model
