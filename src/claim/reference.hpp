// The names in a condition that stand for results.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <farfield/formula/parser.hpp>
#include <farfield/formula/tree.hpp>

namespace farfield::claim {

/// `fit.a` is field a of quantity fit; `row` alone has no field. The quantity's name ends at the first point outside
/// brackets, so that `fit[w=0.4].a` is field a of `fit[w=0.4]`.
struct Reference {
    std::string quantity;
    std::string field;
};
Reference split(std::string_view name);

/// A place of the tree where a result is used: a name, or a name with indexes.
struct Mention {
    formula::Node node;
    Reference reference;
};

/// Every mention in the order of the text; variables of reductions and constants are not mentions.
std::vector<Mention> mentions(const formula::Node& tree);

bool is_constant(std::string_view name);

/// The node with other children.
formula::Node with_children(const formula::Node& node, std::vector<formula::Node> children);

/// The tree with one name for each result: `a` for `a.value`, `row[n]` for `row.value[n]`.
formula::Node with_short_names(const formula::Node& tree);

/// The tree with every printed(x) replaced by x.
formula::Node without_printed(const formula::Node& tree);

}  // namespace farfield::claim
