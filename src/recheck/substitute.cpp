#include "recheck/substitute.hpp"

#include <algorithm>

namespace farfield::recheck {
namespace {

constexpr int longest_chain = 200;

bool is_bound_in(const std::vector<std::string>& bound, const std::string& name) {
    return std::find(bound.begin(), bound.end(), name) != bound.end();
}

Node replaced(const Node& tree, const Replacements& names, std::vector<std::string>& bound, int depth) {
    if (depth > longest_chain) throw Unprovable("the names of a formula go in circles");
    if (tree->op == Op::name && !is_bound_in(bound, tree->name)) {
        const auto found = names.find(tree->name);
        if (found == names.end()) return tree;
        std::vector<std::string> none;
        return replaced(found->second, names, none, depth + 1);
    }
    if (tree->parts.empty()) return tree;
    const bool binds = is_reduction(tree->op);
    std::vector<Node> parts;
    for (std::size_t i = 0; i < tree->parts.size(); ++i) {
        if (binds && i == 2) bound.push_back(tree->name);
        parts.push_back(replaced(tree->parts[i], names, bound, depth));
    }
    if (binds) bound.pop_back();
    return make(tree->op, tree->name, std::move(parts));
}

}  // namespace

Node substituted(const Node& tree, const Replacements& names) {
    std::vector<std::string> bound;
    return names.empty() ? tree : replaced(tree, names, bound, 0);
}

}  // namespace farfield::recheck
