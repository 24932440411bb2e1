// Small rewritings that preserve a formula's meaning in every number system.
#pragma once

#include <farfield/formula/tree.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace farfield::scheme {

/// The node with `change` applied to each child; the node itself if none changed.
formula::Node rebuilt(const formula::Node& node, const std::function<formula::Node(const formula::Node&)>& change);

/// Whether a condition over literals alone holds; nothing if it uses names or arithmetic beyond a sign.
std::optional<bool> constant_truth(const formula::Node& condition);

/// Each conditional whose condition is constant replaced by the branch it takes.
formula::Node fold_conditions(const formula::Node& tree);

/// Each name[index] replaced by the entry, as a balanced tree of conditionals; NaN where the index is outside the table
/// or is not an integer.
formula::Node with_table(const formula::Node& tree, const std::string& name, const std::vector<double>& entries);

/// The index of such an entry, and the last one of the table.
struct EntryIndex {
    formula::Node index;
    double last;
};

/// Of a conditional that with_table() wrote; nothing for any other node.
std::optional<EntryIndex> entry_index(const formula::Node& node);

}  // namespace farfield::scheme
