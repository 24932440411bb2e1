#include "claim/reference.hpp"

#include <algorithm>

namespace farfield::claim {

using formula::Kind;
using formula::Node;

Reference split(std::string_view name) {
    int depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        depth += name[i] == '[' ? 1 : name[i] == ']' ? -1 : 0;
        if (name[i] == '.' && depth == 0) return {std::string(name.substr(0, i)), std::string(name.substr(i + 1))};
    }
    return {std::string(name), {}};
}

bool is_constant(std::string_view name) {
    return name == "pi" || name == "e" || name == "inf";
}

namespace {

void collect(const Node& node, std::vector<std::string>& bound, std::vector<Mention>& found) {
    const bool named = node->kind == Kind::name || node->kind == Kind::index;
    if (named && std::find(bound.begin(), bound.end(), node->text) == bound.end() && !is_constant(node->text)) {
        found.push_back({node, split(node->text)});
    }
    const bool binds = node->kind == Kind::reduction;
    for (std::size_t i = 0; i < node->children.size(); ++i) {
        // A reduction's variable is not visible in its bounds, only in its body, which is the last child.
        if (binds && i + 1 == node->children.size()) bound.push_back(node->text);
        collect(node->children[i], bound, found);
    }
    if (binds) bound.pop_back();
}

}  // namespace

std::vector<Mention> mentions(const Node& tree) {
    std::vector<std::string> bound;
    std::vector<Mention> found;
    collect(tree, bound, found);
    return found;
}

Node with_children(const Node& node, std::vector<Node> children) {
    switch (node->kind) {
        case Kind::number:
        case Kind::text:
        case Kind::name: return node;
        case Kind::index: return formula::make_index(node->text, std::move(children), node->span);
        case Kind::call: return formula::make_call(node->text, std::move(children), node->span);
        case Kind::operation: return formula::make(node->op, std::move(children), node->span);
        case Kind::reduction:
            return formula::make_reduction(node->op, node->text, children[0], children[1], children[2], node->span);
    }
    return node;
}

Node with_short_names(const Node& tree) {
    std::vector<Node> children;
    for (const Node& child : tree->children) children.push_back(with_short_names(child));
    const Reference reference = split(tree->text);
    if (reference.field == "value" && tree->kind == Kind::name)
        return formula::make_name(reference.quantity, tree->span);
    if (reference.field == "value" && tree->kind == Kind::index)
        return formula::make_index(reference.quantity, std::move(children), tree->span);
    return with_children(tree, std::move(children));
}

Node without_printed(const Node& tree) {
    std::vector<Node> children;
    for (const Node& child : tree->children) children.push_back(without_printed(child));
    if (tree->kind == Kind::call && tree->text == "printed" && children.size() == 1) return children.front();
    return with_children(tree, std::move(children));
}

}  // namespace farfield::claim
