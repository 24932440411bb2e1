#include "export/written.hpp"

#include <algorithm>
#include <array>
#include <farfield/formula/parser.hpp>
#include <iterator>

#include "export/prologue.hpp"

namespace farfield::exporting {

namespace {

using formula::Node;
using formula::Op;

const formula::Source* find_let(const scheme::Scheme& scheme, std::string_view name) {
    for (const auto& [let, source] : scheme.let)
        if (let == name) return &source;
    return nullptr;
}

void add_needed(const scheme::Scheme& scheme, const Node& tree, std::vector<Let>& lets) {
    for (const std::string& name : formula::free_names(tree)) {
        const formula::Source* source = find_let(scheme, name);
        const bool is_known = std::any_of(lets.begin(), lets.end(), [&](const Let& each) { return each.name == name; });
        if (!source || is_known) continue;
        const Node inner = formula::parse(*source);
        add_needed(scheme, inner, lets);
        lets.push_back({name, inner});
    }
}

void add_once(std::vector<std::string>& names, const std::vector<std::string>& more) {
    for (const std::string& name : more)
        if (!among(names, name)) names.push_back(name);
}

}  // namespace

bool is_boolean(const scheme::Scheme& scheme, const Node& tree) {
    using formula::Kind;
    if (tree->kind == Kind::name) {
        const formula::Source* const let = find_let(scheme, tree->text);
        return let && is_boolean(scheme, formula::parse(*let));
    }
    if (tree->kind == Kind::operation && tree->op == Op::select) return is_boolean(scheme, tree->children[1]);
    const bool has_row = tree->kind == Kind::operation || tree->kind == Kind::reduction;
    return has_row && formula::row(tree->op).result == formula::Type::boolean;
}

namespace {

/// Sums and products of finite numbers are finite, like comparisons and choices of them.
bool keeps_finite(Op op) {
    constexpr std::array ops = {Op::add,         Op::subtract,      Op::multiply, Op::negate,  Op::minimum,
                                Op::maximum,     Op::clamp,         Op::absolute, Op::less,    Op::less_equal,
                                Op::greater,     Op::greater_equal, Op::equals,   Op::differs, Op::logical_not,
                                Op::logical_and, Op::logical_or};
    return std::find(ops.begin(), ops.end(), op) != ops.end();
}

class Guarding {
public:
    explicit Guarding(const scheme::Scheme& scheme) : scheme_(scheme) {}

    Node rewritten(const Node& tree, const Node& taken) const {
        using formula::Kind;
        if (is_boolean(scheme_, tree)) return tree;  // without a gradient
        if (tree->kind == Kind::name) return taken && find_let(scheme_, tree->text) ? chosen(taken, tree) : tree;
        if (tree->kind == Kind::reduction) return taken ? chosen(taken, tree) : tree;
        if (tree->kind != Kind::operation) return tree;
        if (tree->op == Op::select) return select(tree, taken);
        std::vector<Node> children;
        for (const Node& child : tree->children) {
            const Node inner = rewritten(child, taken);
            const bool is_safe = !taken || keeps_finite(tree->op) || !varies(child) ||
                                 (inner->kind == Kind::operation && inner->op == Op::select);
            children.push_back(is_safe ? inner : chosen(taken, inner));
        }
        return formula::make(tree->op, children);
    }

private:
    Node select(const Node& tree, const Node& taken) const {
        const Node& condition = tree->children[0];
        const auto also = [&](const Node& other) {
            return taken ? formula::make(Op::logical_and, {taken, other}) : other;
        };
        return formula::make(Op::select,
                             {condition, rewritten(tree->children[1], also(condition)),
                              rewritten(tree->children[2], also(formula::make(Op::logical_not, {condition})))});
    }

    /// Whether the value may change: params are numbers.
    bool varies(const Node& tree) const {
        for (const std::string& name : formula::free_names(tree)) {
            const bool is_param = std::any_of(scheme_.params.begin(), scheme_.params.end(),
                                              [&](const auto& each) { return each.first == name; });
            if (!is_param) return true;
        }
        return !formula::indexed_names(tree).empty();
    }

    static Node chosen(const Node& taken, const Node& value) {
        return formula::make(Op::select, {taken, value, formula::make_number("0.5")});
    }

    const scheme::Scheme& scheme_;
};

}  // namespace

Node with_finite_gradients(const scheme::Scheme& scheme, const Language& language, const Node& tree) {
    if (scheme.learn.empty() || !language.has_gradients) return tree;
    return Guarding(scheme).rewritten(tree, nullptr);
}

Written written(const scheme::Piece& piece) {
    return {formula::parse(piece.source), piece.when ? formula::parse(piece.when_source) : nullptr};
}

std::vector<Let> needed_lets(const scheme::Scheme& scheme, const std::vector<Node>& formulas) {
    std::vector<Let> lets;
    for (const Node& tree : formulas) add_needed(scheme, tree, lets);
    return lets;
}

std::vector<std::string> used_names(const scheme::Scheme& scheme, const std::vector<Node>& formulas) {
    std::vector<Node> trees = formulas;
    for (const Let& let : needed_lets(scheme, formulas)) trees.push_back(let.formula);
    std::vector<std::string> names;
    for (const Node& tree : trees) {
        add_once(names, formula::free_names(tree));
        add_once(names, formula::indexed_names(tree));
    }
    return names;
}

std::vector<Variable> variables_of(const scheme::Scheme& scheme, const std::vector<Node>& formulas) {
    constexpr std::array<Variable, 12> all = {{
        {"q", "position of the query"},
        {"k", "position of the key"},
        {"n", "q - k"},
        {"p", "position"},
        {"i", "pair of dimensions"},
        {"h", "head, from 1"},
        {"H", "number of heads"},
        {"d", "width"},
        {"L", "length in use"},
        {"Ltr", "length trained on"},
        {"layer", "layer, from 1"},
        {"R", "number of layers"},
    }};
    const std::vector<std::string> used = used_names(scheme, formulas);
    std::vector<Variable> found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                 [&](const Variable& each) { return among(used, each.name); });
    return found;
}

Node without_lets(const scheme::Scheme& scheme, const Node& tree) {
    std::vector<formula::Replacement> replacements;
    for (const Let& let : needed_lets(scheme, {tree}))
        replacements.push_back({let.name, formula::substitute(let.formula, replacements)});
    return formula::substitute(tree, replacements);
}

const scheme::Learned* find_learned(const scheme::Scheme& scheme, std::string_view name) {
    const auto found = std::find_if(scheme.learn.begin(), scheme.learn.end(),
                                    [&](const scheme::Learned& each) { return each.name == name; });
    return found == scheme.learn.end() ? nullptr : &*found;
}

std::string meaning_of(const scheme::Scheme& scheme, std::string_view name) {
    const core::Entry* means = scheme.settings.find("means");
    const core::Entry* meaning = means && means->value.entries() ? means->value.entries()->find(name) : nullptr;
    return meaning && meaning->value.string() ? *meaning->value.string() : "";
}

Node guarded(const scheme::Piece& piece, const char* otherwise) {
    const Written whole = written(piece);
    if (!whole.when) return whole.formula;
    return formula::make(Op::select, {whole.when, whole.formula, formula::parse(std::string(otherwise))});
}

Node written_mask(const scheme::Scheme& scheme) {
    Written mask = written(*scheme.mask);
    if (!mask.when) return mask.formula;
    return formula::make(Op::logical_or, {formula::make(Op::logical_not, {mask.when}), mask.formula});
}

Node written_bias(const scheme::Scheme& scheme) {
    Node bias = guarded(*scheme.bias, "0");
    if (!scheme.bias_scaled) return bias;
    return formula::make(Op::divide, {bias, formula::make(Op::square_root, {formula::make_name("d")})});
}

}  // namespace farfield::exporting
