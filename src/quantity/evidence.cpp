#include "quantity/evidence.hpp"

#include <utility>

#include <farfield/formula/printer.hpp>

namespace farfield::quantity {
namespace {

/// A formula may have 65,536 characters; a shared part counts each time it is written.
constexpr std::size_t most_nodes = 65536;

/// How many nodes the text has, at most `left` + 1.
std::size_t count(const formula::Node& tree, std::size_t left) {
    std::size_t nodes = 1;
    for (const formula::Node& child : tree->children) {
        if (nodes > left) break;
        nodes += count(child, left - nodes);
    }
    return nodes;
}

}  // namespace

void state(core::Evidence& evidence, std::string key, const formula::Node& tree) {
    if (count(tree, most_nodes) <= most_nodes) evidence.add(std::move(key), formula::print(tree));
}

}  // namespace farfield::quantity
