#include "quantity/evidence.hpp"

#include <utility>

#include <farfield/formula/printer.hpp>

namespace farfield::quantity {
namespace {

/// A formula may have 65,536 characters; a shared part counts each time it occurs in the text.
constexpr std::size_t most_nodes = 65536;

/// The number of nodes of the text, at most `left` + 1.
std::size_t count(const formula::Node& tree, std::size_t left) {
    std::size_t nodes = 1;
    for (const formula::Node& child : tree->children) {
        if (nodes > left) break;
        nodes += count(child, left - nodes);
    }
    return nodes;
}

}  // namespace

std::string text_to_keep(const formula::Node& tree) {
    return count(tree, most_nodes) <= most_nodes ? formula::print(tree) : "";
}

void state(core::Evidence& evidence, std::string key, const formula::Node& tree) {
    if (std::string text = text_to_keep(tree); !text.empty()) evidence.add(std::move(key), std::move(text));
}

}  // namespace farfield::quantity
