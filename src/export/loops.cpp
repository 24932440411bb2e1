// The ranges of loops. Bounds that are plain numbers (params, lengths, the variables of enclosing loops) give a Python
// loop. Bounds that differ between positions give a fold, in which each position uses the terms between its own bounds.
#include <algorithm>
#include <array>
#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/printer.hpp>

#include "export/prologue.hpp"
#include "export/python.hpp"

namespace farfield::exporting {

namespace {

using formula::Kind;
using formula::Node;
using formula::Op;

/// The initial value of a fold, and how it adds a term.
struct Join {
    Op op;
    std::string_view empty;
    std::string_view step;
};

constexpr std::array<Join, 4> joins = {{{Op::sum, "0.0", "operator.add"},
                                        {Op::product, "1.0", "operator.mul"},
                                        {Op::for_all, "True", "operator.and_"},
                                        {Op::for_some, "False", "operator.or_"}}};

/// Operators of plain numbers.
struct Infix {
    Op op;
    std::string_view spelling;
    Precedence precedence;
};

constexpr std::array<Infix, 4> infixes = {{{Op::add, " + ", a_sum},
                                           {Op::subtract, " - ", a_sum},
                                           {Op::multiply, " * ", a_product},
                                           {Op::divide, " / ", a_product}}};

struct Called {
    Op op;
    std::string_view spelling;
};

constexpr std::array<Called, 5> functions = {{{Op::floor, "math.floor"},
                                              {Op::ceiling, "math.ceil"},
                                              {Op::absolute, "abs"},
                                              {Op::minimum, "min"},
                                              {Op::maximum, "max"}}};

bool mentions(const Node& tree, const std::string& name) {
    const std::vector<std::string> names = formula::free_names(tree);
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether the bounds of a loop, or the edges of buckets, within the tree depend on the variable.
bool bounds_use(const Node& tree, const std::string& variable) {
    const std::vector<Node>& children = tree->children;
    const bool is_loop = tree->kind == Kind::reduction;
    if (is_loop && (mentions(children[0], variable) || mentions(children[1], variable))) return true;
    const bool is_bucket = tree->kind == Kind::operation && tree->op == Op::t5_bucket;
    if (is_bucket && (mentions(children[1], variable) || mentions(children[2], variable))) return true;
    return std::any_of(children.begin(), children.end(),
                       [&](const Node& child) { return bounds_use(child, variable); });
}

}  // namespace

void PythonWriter::refuse_varying(const Node& bound, const Node& whole) const {
    const std::string target(closures_of_.empty() ? language_.target : closures_of_);
    throw core::UserError(
        {core::Diagnostic{{},
                          "'" + std::string(formula::row(whole->op).spelling) + "' cannot be exported to " + target +
                              " here: " + formula::print(whole),
                          "bounds and buckets of numbers and params, not '" + formula::print(bound) + "'",
                          "What a loop runs over must be known before the positions are."}});
}

std::string PythonWriter::hoist(const std::string& stem, const std::string& text) {
    for (const Hoisted& each : hoisted_)
        if (each.text == text) return each.name;
    hoisted_.push_back({stem + std::to_string(hoisted_.size() + 1), text});
    return hoisted_.back().name;
}

Expression PythonWriter::reduction(const Node& tree, const Instead& instead) {
    const Translation& translation = translation_of(tree->op);
    const std::optional<std::string> first = plain_text(tree->children[0], a_comparison);
    const std::optional<std::string> last = plain_text(tree->children[1], a_comparison);
    if (!first || !last) return fold(tree, instead);
    const std::string integers = "_integers(" + *first + ", " + *last + ")";
    const std::vector<Node> bounds = {tree->children[0], tree->children[1]};
    const std::string lift(language_.lift);
    const std::string name = names_[tree->text];
    if (!bounds_use(tree->children[2], tree->text)) {
        const std::string terms = hoist_for_rounds("terms", "[" + lift + "(j) for j in " + integers + "]", bounds);
        return {filled(translation.text, {write(tree->children[2], instead).text, name, terms}),
                translation.precedence};
    }
    const Loop loop = {tree->text, "whole" + std::to_string(++wholes_), hoist_for_rounds("terms", integers, bounds)};
    loops_.push_back(loop);
    const Expression body = write(tree->children[2], instead);
    loops_.pop_back();
    const std::string both = loop.terms + " for " + name + " in [" + lift + "(" + loop.whole + ")]";
    return {filled(translation.text, {body.text, loop.whole, both}), translation.precedence};
}

Expression PythonWriter::fold(const Node& tree, const Instead& instead) {
    if (!closures_of_.empty())
        refuse_varying(tree->children[plain_text(tree->children[0], a_comparison) ? 1 : 0], tree);
    const auto array = [&](std::size_t child) {
        const Expression expression = write(tree->children[child], instead);
        return expression.is_number ? as_array(expression) : expression.text;
    };
    if (formula::row(tree->op).choice)
        refuse_varying(tree->children[plain_text(tree->children[0], a_comparison) ? 1 : 0], tree);
    const auto* join = std::find_if(joins.begin(), joins.end(), [&](const Join& each) { return each.op == tree->op; });
    std::string text = "_fold(" + array(0) + ", " + array(1) + ", ";
    text += std::string(join->empty) + ", " + std::string(join->step);
    return {text + ", lambda " + names_[tree->text] + ": " + array(2) + ")"};
}

Expression PythonWriter::bucket(const Node& tree, const Instead& instead) {
    const std::optional<std::string> count = plain_text(tree->children[1], a_comparison);
    const std::optional<std::string> most = plain_text(tree->children[2], a_comparison);
    if (!count || !most) refuse_varying(tree->children[count ? 2 : 1], tree);
    const std::string listed =
        "[" + std::string(language_.lift) + "(edge) for edge in _t5_edges(" + *count + ", " + *most + ")]";
    const std::string edges = hoist_for_rounds("edges", listed, {tree->children[1], tree->children[2]});
    const Translation& translation = language_.translations[static_cast<std::size_t>(tree->op)];
    const Expression distance = write(tree->children[0], instead);
    return {filled(translation.text, {distance.is_number ? as_array(distance) : distance.text, edges}), an_atom};
}

std::string PythonWriter::hoist_for_rounds(const std::string& stem, const std::string& text,
                                           const std::vector<Node>& depends_on) {
    const bool is_inner = std::any_of(depends_on.begin(), depends_on.end(), [&](const Node& tree) {
        return std::any_of(loops_.begin(), loops_.end(),
                           [&](const Loop& loop) { return mentions(tree, loop.variable); });
    });
    if (!is_inner) return hoist(stem, text);
    std::vector<std::string> round;
    std::string rounds;
    for (const Loop& loop : loops_) {
        round.push_back(loop.whole);
        rounds += " for " + loop.whole + " in " + loop.terms;
    }
    const std::string key = round.size() == 1 ? round.front() : "(" + joined(round) + ")";
    return hoist(stem, "{" + key + ": " + text + rounds + "}") + "[" + joined(round) + "]";
}

std::optional<std::string> PythonWriter::plain_name(const std::string& name) const {
    for (const Loop& loop : loops_)
        if (loop.variable == name) return loop.whole;
    const auto found = plain_.find(name);
    return found == plain_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> PythonWriter::plain_text(const Node& written, Precedence least) const {
    const Node tree = formula::substitute(written, lets_);
    if (tree->kind == Kind::number) return python_number(tree->text);
    if (tree->kind == Kind::name) return plain_name(tree->text);
    if (tree->kind != Kind::operation) return std::nullopt;
    const auto* infix =
        std::find_if(infixes.begin(), infixes.end(), [&](const Infix& each) { return each.op == tree->op; });
    const auto* function =
        std::find_if(functions.begin(), functions.end(), [&](const Called& each) { return each.op == tree->op; });
    const bool is_infix = infix != infixes.end();
    if (!is_infix && tree->op != Op::negate && function == functions.end()) return std::nullopt;
    std::vector<std::string> texts;
    for (const Node& child : tree->children) {
        const bool is_right = !texts.empty();
        const Precedence loosest = is_infix ? static_cast<Precedence>(infix->precedence + (is_right ? 1 : 0))
                                            : (tree->op == Op::negate ? a_sign : a_comparison);
        const std::optional<std::string> text = plain_text(child, loosest);
        if (!text) return std::nullopt;
        texts.push_back(*text);
    }
    if (is_infix) return within({texts[0] + std::string(infix->spelling) + texts[1], infix->precedence}, least);
    if (tree->op == Op::negate) return within({"-" + texts[0], a_sign}, least);
    return std::string(function->spelling) + "(" + joined(texts) + ")";
}

}  // namespace farfield::exporting
