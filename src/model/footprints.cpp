// A text of everything on which a footprint depends.
#include <fmt/format.h>

#include <farfield/formula/tree.hpp>
#include <farfield/model/footprint.hpp>
#include <farfield/scheme/pieces.hpp>

#include "model/positional_formulas.hpp"

namespace farfield::model {

namespace {

/// Adds operators, names and, if requested, numbers, each with its number of children, so that different trees have
/// different texts.
void add_tree(std::string& text, const formula::Tree& tree, bool with_numbers) {
    const bool has_operator = tree.kind == formula::Kind::operation || tree.kind == formula::Kind::reduction;
    text += static_cast<char>(tree.kind);
    text += has_operator ? static_cast<char>(tree.op) : '\0';
    if (with_numbers || tree.kind != formula::Kind::number) text += tree.text;
    text += '\n' + std::to_string(tree.children.size());
    for (const formula::Node& child : tree.children) add_tree(text, *child, with_numbers);
}

/// The size of a formula's table depends only on the names that it uses, with two exceptions. Whether a learned name
/// has a slope, and therefore a table of gradients, may depend on numbers: 0*a has none. The visible keys of a mask may
/// depend on numbers too, and a bias of q and k has a value for each visible key.
bool numbers_matter(const scheme::Scheme& scheme) {
    if (!scheme.learn.empty()) return true;
    return scheme.bias && (names_positions(scheme.bias->formula) || names_positions(scheme.bias->when));
}

std::string description(const scheme::Scheme& scheme) {
    std::string text = fmt::format("{} {}\n", scheme.bias_scaled, scheme.causal);
    if (const auto& embed = scheme.embed) text += fmt::format("embed {} {}\n", embed->learned, embed->max_length);
    if (const auto& rotate = scheme.rotate)
        text += fmt::format("rotate {} {}\n", static_cast<int>(rotate->origin), rotate->fraction);
    if (const auto& relative = scheme.relative)
        text += fmt::format("relative {} {} {}\n", relative->clip, relative->keys, relative->values);
    for (const scheme::Learned& learned : scheme.learn)  // without its initial value
        text += fmt::format("learn {} {} {} {} {}\n", learned.name, learned.positive, learned.per_layer,
                            learned.per_head, learned.size);
    const bool with_numbers = numbers_matter(scheme);
    for (const scheme::NamedFormula& each : scheme::formulas_of(scheme)) {
        text += each.name + "\n";
        add_tree(text, *each.formula, with_numbers);
    }
    return text;
}

}  // namespace

Footprint Footprints::of(const Config& config, const scheme::Scheme& scheme, Work work, const BatchShape& shape) {
    const std::string key = fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}\n", config.layers, config.heads,
                                        config.width, config.ffn, config.vocabulary, config.train_length,
                                        static_cast<int>(config.norm), static_cast<int>(config.precision), config.tied,
                                        static_cast<int>(work), shape.sequences, shape.length, shape.threads) +
                            description(scheme);
    Known& known = [&]() -> Known& {
        const std::lock_guard lock(mutex_);
        return known_[key];
    }();
    const std::lock_guard lock(known.mutex);
    if (!known.footprint) {
        known.footprint = footprint(config, scheme, work, shape);
        ++computed_;
    }
    return *known.footprint;
}

}  // namespace farfield::model
