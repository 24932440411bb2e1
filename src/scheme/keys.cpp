// What a [scheme.NAME] table may contain.
#include <array>
#include <farfield/scheme/registry.hpp>

namespace farfield::scheme {
namespace {

using core::Key;
using core::KeyType;

constexpr std::string_view formula_or_table = "formula, or { formula, when }";

constexpr std::array scheme_table = {
    Key{"doc", KeyType::text, "", "", false, "one sentence on what the scheme does"},
    Key{"source", KeyType::text, "", "", false, "where it was published, with the equation's number"},
    Key{"extends", KeyType::text, "", "", false,
        "the scheme whose keys apply where this one has none; params, let, learn, require and means are merged name by "
        "name"},
    Key{"params", KeyType::table, "numbers by name", "", false, "constants of the formulas, which a study may change"},
    Key{"let", KeyType::table, "formulas by name", "", false, "names for parts of the formulas"},
    Key{"learn", KeyType::table, "tables by name", "", false, "names whose values training finds"},
    Key{"require", KeyType::table, "conditions by param", "", false,
        "conditions on params, such as w >= 1; other values are refused"},
    Key{"means", KeyType::table, "texts by name", "", false, "descriptions of params and learned names"},
    Key{"embed", KeyType::table, "", "", false, "what is added to the token embedding"},
    Key{"rotate", KeyType::table, "", "", false, "how queries and keys are rotated and scaled"},
    Key{"bias", KeyType::any, formula_or_table, "", false, "added to the logit; a formula of q, k and n = q - k"},
    Key{"bias_scaled", KeyType::boolean, "", "false", false,
        "adds the bias before the division by the square root of the head's width instead of after it"},
    Key{"mask", KeyType::any, formula_or_table, "", false, "true where the key at k is visible to the query at q"},
    Key{"causal", KeyType::boolean, "", "true", false, "whether k <= q is implied by the mask"},
    Key{"temperature", KeyType::any, formula_or_table, "", false,
        "multiplies the logit, without the bias; a formula of q, L, Ltr"},
    Key{.name = "relative",
        .type = KeyType::table,
        .meaning = "learned vectors added to keys and values, chosen by n",
        .may_be_empty = true},
    Key{"recipe", KeyType::text, "", "", false, "how an implementation rounds the steps: hf, all-bf16, ..."},
    Key{"format", KeyType::text, "fp32, fp16, bf16, ...", "", false, "the number format of the model, for the recipe"},
};

constexpr std::array rotate_table = {
    Key{"angle", KeyType::any, "radians; formula, or { formula, when }", "", true,
        "rotation angle of pair i of the vector at position p"},
    Key{"far", KeyType::table, "", "", false, "other angles, where a condition on the query and the key holds"},
    Key{"scale", KeyType::any, formula_or_table, "1", false, "factor by which queries are multiplied and keys divided"},
    Key{"values", KeyType::formula, "", "it", false,
        "what cosines and sines become: a formula of it, such as bf16(it)"},
    Key{"origin", KeyType::text, "", "start", false, "position from which p is counted in scale", "start|centre|end"},
    Key{"pairs", KeyType::text, "", "interleaved", false, "which dimensions make pair i: 2i and 2i+1, or i and i + d/2",
        "interleaved|halves"},
    Key{"fraction", KeyType::number, "of the head's width", "1", false,
        "the leading part of the head that is rotated; d is the width of that part", "", 0, 1},
};

constexpr std::array far_table = {
    Key{"where", KeyType::formula, "condition", "", true,
        "true where the logit of q and k uses vectors rotated by these angles; a formula of q, k and n = q - k"},
    Key{"query", KeyType::any, "radians; formula, or { formula, when }", "", true,
        "rotation angle of pair i of a query at position p"},
    Key{"key", KeyType::any, "radians; formula, or { formula, when }", "the rotation's angle", false,
        "rotation angle of pair i of a key at position p"},
};

constexpr std::array embed_table = {
    Key{"even", KeyType::any, formula_or_table, "0", false, "dimension 2i of the vector at position p"},
    Key{"odd", KeyType::any, formula_or_table, "0", false, "dimension 2i + 1 of the vector at position p"},
    Key{"learned", KeyType::boolean, "", "false", false, "a learned vector for each position instead of formulas"},
    Key{"max_length", KeyType::integer, "positions", "", false, "how many positions have a learned vector", "", 1, 1e9},
};

constexpr std::array learn_table = {
    Key{"init", KeyType::number, "", "0", false,
        "the value training starts from, after positivity; other quantities use it too"},
    Key{"positive", KeyType::boolean, "", "false", false, "kept above zero by softplus"},
    Key{"per", KeyType::any, "head, layer, model, or a list of them", "model", false, "what has a value of its own"},
    Key{"size", KeyType::integer, "entries", "", false, "makes the name a table, name[0] to name[size - 1]", "", 1,
        1 << 20},
};

constexpr std::array relative_table = {
    Key{"clip", KeyType::integer, "positions", "16", false, "larger distances share the vector of this one", "", 1,
        1 << 20},
    Key{"keys", KeyType::boolean, "", "true", false, "vectors are added to keys"},
    Key{"values", KeyType::boolean, "", "true", false, "vectors are added to values"},
};

constexpr std::array piece_table = {
    Key{"formula", KeyType::formula, "", "", true, "the piece's formula"},
    Key{"when", KeyType::formula, "condition", "", false, "the piece acts only where this holds"},
};

}  // namespace

std::span<const Key> scheme_keys() {
    return scheme_table;
}
std::span<const Key> rotate_keys() {
    return rotate_table;
}
std::span<const Key> far_keys() {
    return far_table;
}
std::span<const Key> embed_keys() {
    return embed_table;
}
std::span<const Key> learn_keys() {
    return learn_table;
}
std::span<const Key> relative_keys() {
    return relative_table;
}
std::span<const Key> piece_keys() {
    return piece_table;
}

}  // namespace farfield::scheme
