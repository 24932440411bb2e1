#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <farfield/core/error.hpp>
#include <farfield/formula/tree.hpp>

namespace farfield::formula {
namespace {

Node finish(Tree tree) {
    for (const Node& child : tree.children) {
        tree.depth = std::max(tree.depth, child->depth + 1);
        tree.nodes += child->nodes;
    }
    return std::make_shared<const Tree>(std::move(tree));
}

Tree blank(Kind kind, std::string text, std::vector<Node> children, Span span) {
    Tree tree;
    tree.kind = kind;
    tree.text = std::move(text);
    tree.children = std::move(children);
    tree.span = span;
    return tree;
}

bool is_decimal(const std::string& text) {
    if (text.empty() || !(std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '.')) return false;
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failure != std::errc::invalid_argument && end == text.data() + text.size();
}

/// Calls visit(node, bound) for every node, `bound` being the reduction variables around it.
template <class Visit>
void walk(const Node& node, std::vector<std::string>& bound, const Visit& visit) {
    visit(*node, bound);
    if (node->kind != Kind::reduction) {
        for (const Node& child : node->children) walk(child, bound, visit);
        return;
    }
    walk(node->children[0], bound, visit);
    walk(node->children[1], bound, visit);
    bound.push_back(node->text);
    walk(node->children[2], bound, visit);
    bound.pop_back();
}

void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The reduction with its variable renamed if a replacement would be captured by it.
Node without_capture(const Node& node, const std::vector<Replacement>& replacements) {
    std::vector<std::string> taken = free_names(node->children[2]);
    bool captures = false;
    for (const Replacement& replacement : replacements) {
        const std::vector<std::string> names = free_names(replacement.tree);
        captures = captures || contains(names, node->text);
        taken.insert(taken.end(), names.begin(), names.end());
    }
    if (!captures) return node;
    std::string fresh = node->text;
    while (contains(taken, fresh)) fresh += '_';
    const Node body = substitute(node->children[2], {{node->text, make_name(fresh)}});
    return make_reduction(node->op, fresh, node->children[0], node->children[1], body, node->span);
}

Node rebuilt(const Node& node, std::vector<Node> children) {
    if (children == node->children) return node;
    Tree tree = *node;
    tree.children = std::move(children);
    tree.depth = 1;
    tree.nodes = 1;
    return finish(std::move(tree));
}

Node substitute_reduction(const Node& node, const std::vector<Replacement>& replacements) {
    std::vector<Replacement> inner;
    for (const Replacement& replacement : replacements) {
        if (replacement.name != node->text) inner.push_back(replacement);
    }
    const Node safe = without_capture(node, inner);
    return rebuilt(safe, {substitute(safe->children[0], replacements), substitute(safe->children[1], replacements),
                          substitute(safe->children[2], inner)});
}

}  // namespace

Node make_number(std::string decimal, Span span) {
    if (!is_decimal(decimal)) throw core::PreconditionError("make_number", "decimal", decimal, "a decimal number");
    Tree tree = blank(Kind::number, std::move(decimal), {}, span);
    tree.number = std::strtod(tree.text.c_str(), nullptr);
    return finish(std::move(tree));
}

Node make_number(double value) {
    if (std::isnan(value)) return make(Op::divide, {make_number("0"), make_number("0")});
    if (std::signbit(value)) return make(Op::negate, {make_number(-value)});
    if (std::isinf(value)) return make_name("inf");
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return make_number(std::string(text, end));
}

Node make_text(std::string text, Span span) {
    return finish(blank(Kind::text, std::move(text), {}, span));
}

Node make_name(std::string name, Span span) {
    return finish(blank(Kind::name, std::move(name), {}, span));
}

Node make_index(std::string name, std::vector<Node> indexes, Span span) {
    return finish(blank(Kind::index, std::move(name), std::move(indexes), span));
}

Node make_call(std::string name, std::vector<Node> arguments, Span span) {
    return finish(blank(Kind::call, std::move(name), std::move(arguments), span));
}

Node make(Op op, std::vector<Node> arguments, Span span) {
    if (arguments.size() != row(op).arguments.size() || row(op).reduction) {
        throw core::PreconditionError(
            "make", "arguments", std::to_string(arguments.size()),
            std::to_string(row(op).arguments.size()) + " for an operation " + std::string(row(op).spelling));
    }
    Tree tree = blank(Kind::operation, {}, std::move(arguments), span);
    tree.op = op;
    return finish(std::move(tree));
}

Node make_reduction(Op op, std::string variable, Node from, Node to, Node body, Span span) {
    if (!row(op).reduction) throw core::PreconditionError("make_reduction", "op", row(op).spelling, "a reduction");
    Tree tree = blank(Kind::reduction, std::move(variable), {std::move(from), std::move(to), std::move(body)}, span);
    tree.op = op;
    return finish(std::move(tree));
}

bool equal(const Node& a, const Node& b) {
    if (a == b) return true;
    if (a->kind != b->kind || a->text != b->text || a->children.size() != b->children.size()) return false;
    const bool has_op = a->kind == Kind::operation || a->kind == Kind::reduction;
    if (has_op && a->op != b->op) return false;
    return std::equal(a->children.begin(), a->children.end(), b->children.begin(),
                      [](const Node& x, const Node& y) { return equal(x, y); });
}

std::vector<std::string> free_names(const Node& tree) {
    std::vector<std::string> names;
    std::vector<std::string> bound;
    walk(tree, bound, [&](const Tree& node, const std::vector<std::string>& around) {
        if (node.kind == Kind::name && !contains(around, node.text)) add_once(names, node.text);
    });
    return names;
}

std::vector<std::string> indexed_names(const Node& tree) {
    std::vector<std::string> names;
    std::vector<std::string> bound;
    walk(tree, bound, [&](const Tree& node, const std::vector<std::string>&) {
        if (node.kind == Kind::index) add_once(names, node.text);
    });
    return names;
}

Node substitute(const Node& tree, const std::vector<Replacement>& replacements) {
    if (replacements.empty()) return tree;
    if (tree->kind == Kind::name) {
        for (const Replacement& replacement : replacements) {
            if (replacement.name == tree->text) return replacement.tree;
        }
        return tree;
    }
    if (tree->kind == Kind::reduction) return substitute_reduction(tree, replacements);
    std::vector<Node> children;  // empty while all are as they were, as in most of a tree
    for (std::size_t i = 0; i < tree->children.size(); ++i) {
        Node child = substitute(tree->children[i], replacements);
        if (child == tree->children[i]) continue;
        if (children.empty()) children = tree->children;
        children[i] = std::move(child);
    }
    return children.empty() ? tree : rebuilt(tree, std::move(children));
}

}  // namespace farfield::formula
