#include "model/positional_formulas.hpp"

#include <algorithm>

namespace farfield::model {

using formula::Node;

bool names_positions(const Node& tree) {
    if (!tree) return false;
    const std::vector<std::string> names = formula::free_names(tree);
    return std::any_of(names.begin(), names.end(), [](const std::string& name) { return name == "q" || name == "k"; });
}

scheme::Context context_of(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head) {
    const Config& config = pieces.config;
    scheme::Context context;
    context.head = static_cast<double>(head + 1);
    context.heads = static_cast<double>(config.heads);
    context.head_dim = static_cast<double>(config.head_dim());
    context.width = static_cast<double>(config.width);
    context.length = static_cast<double>(length);
    context.train_length = static_cast<double>(config.train_length);
    context.layer = static_cast<double>(layer + 1);
    context.layers = static_cast<double>(config.layers);
    return context;
}

bool bias_depends_on_distance(const Pieces& pieces, std::size_t length, const Variation& variation) {
    const scheme::Piece& bias = *pieces.scheme.bias;
    // A bias that names only n, as most do, needs no separate check of each head.
    if (!names_positions(bias.formula) && !names_positions(bias.when)) return true;
    for (std::size_t layer = 0; layer < variation.layers; ++layer) {
        for (std::size_t head = 0; head < variation.heads; ++head) {
            if (!scheme::depends_on_distance_only(bias_tree(pieces, length, layer, head))) return false;
        }
    }
    return true;
}

Node bias_by_distance_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head) {
    const Node tree = bias_tree(pieces, length, layer, head);
    return formula::substitute(tree, {{"q", formula::make_name("n")}, {"k", formula::make_number("0")}});
}

Node bias_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head) {
    return scheme::bias_formula(pieces.scheme, context_of(pieces, length, layer, head));
}

Node temperature_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head) {
    return scheme::in_context(pieces.scheme, *pieces.scheme.temperature, context_of(pieces, length, layer, head), "1");
}

Node angle_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head) {
    return scheme::near_angle_formula(pieces.scheme, context_of(pieces, length, layer, head));
}

Node far_where_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head) {
    return scheme::far_formulas(pieces.scheme, context_of(pieces, length, layer, head))->where;
}

Node far_query_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head) {
    return scheme::far_formulas(pieces.scheme, context_of(pieces, length, layer, head))->query;
}

Node far_key_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head) {
    return scheme::far_formulas(pieces.scheme, context_of(pieces, length, layer, head))->key;
}

Node scale_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head) {
    return scheme::scale_formula(pieces.scheme, context_of(pieces, length, layer, head));
}

Node even_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head) {
    const auto& piece = pieces.scheme.embed->even;
    if (!piece) return formula::make_number("0");
    return scheme::in_context(pieces.scheme, *piece, context_of(pieces, length, layer, head), "0");
}

Node odd_tree(const Pieces& pieces, std::size_t length, std::size_t layer, std::size_t head) {
    const auto& piece = pieces.scheme.embed->odd;
    if (!piece) return formula::make_number("0");
    return scheme::in_context(pieces.scheme, *piece, context_of(pieces, length, layer, head), "0");
}

}  // namespace farfield::model
