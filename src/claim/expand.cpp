#include "claim/expand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>

#include <farfield/formula/checker.hpp>

#include "claim/bind.hpp"
#include "claim/reference.hpp"
#include "formula/form.hpp"
#include "numerics/rational.hpp"

namespace farfield::claim {

using formula::Kind;
using formula::Node;
using formula::Op;

namespace {

struct WrittenDecimal {
    bool valid = false;
    bool negative = false;
    std::string magnitude;
    int decimals = 0;
    int exponent = 0;
};

std::size_t digits_from(std::string_view text, std::size_t at) {
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]))) ++at;
    return at;
}

WrittenDecimal read_decimal(std::string_view text) {
    WrittenDecimal read;
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
        read.negative = text[0] == '-';
        text.remove_prefix(1);
    }
    read.magnitude = text;
    std::size_t at = digits_from(text, 0);
    std::size_t digits = at;
    if (at < text.size() && text[at] == '.') {
        const std::size_t end = digits_from(text, at + 1);
        read.decimals = static_cast<int>(end - at - 1);
        digits += end - at - 1;
        at = end;
    }
    if (digits == 0 || digits > 400) return read;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        const std::string_view exponent = text.substr(at + 1);
        const std::size_t sign = !exponent.empty() && (exponent[0] == '-' || exponent[0] == '+') ? 1 : 0;
        at += 1 + digits_from(exponent, sign);
        if (exponent.size() == sign || exponent.size() > sign + 4) return read;
        if (at == text.size()) read.exponent = std::stoi(std::string(exponent));
    }
    read.valid = at == text.size();
    return read;
}

bool has_arguments(const Node& call, const formula::Source& source, std::size_t count, std::string_view shape,
                   core::Problems& problems) {
    if (call->children.size() == count) return true;
    problems.add(formula::place_of(source, call->span),
                 call->text + "() has " + std::to_string(call->children.size()) + " arguments", std::string(shape));
    return false;
}

Node difference_within(const Node& a, const Node& b, const Node& bound, formula::Span span) {
    const Node distance = formula::make(Op::absolute, {formula::make(Op::subtract, {a, b}, span)}, span);
    return formula::make(Op::less_equal, {distance, bound}, span);
}

Node expand_rounds(const Node& call, const formula::Source& source, core::Problems& problems) {
    if (!has_arguments(call, source, 2, "rounds(x, 'printed')", problems)) return call;
    const Node& printed = call->children[1];
    if (printed->kind != Kind::text || !is_decimal(printed->text)) {
        problems.add(formula::place_of(source, printed->span),
                     "the second argument of rounds() is not a printed number",
                     "a decimal in quotes, as the source prints it: rounds(x, '-0.825')");
        return call;
    }
    const Node bound = formula::make_number(half_unit(printed->text), call->span);
    return difference_within(call->children[0], decimal_tree(printed->text, printed->span), bound, call->span);
}

/// Why a third argument of about() without quantities is not above 0 and at most 1; empty if it is.
std::string_view invalid_share(const Node& relative, const formula::Source& source) {
    const std::string_view above = "above 1, so that x may have another sign than y";
    if (const auto exact = formula::number_in(formula::sum_of(relative)))
        return *exact > 1 ? above : *exact < 0 ? "negative" : *exact == 0 ? "0" : "";
    core::Problems elsewhere;  // the check of the whole condition reports them
    const auto type = formula::check(relative, formula::Scope(std::vector<std::string>()), source, elsewhere);
    if (type != formula::Type::real || !elsewhere.empty()) return "";
    const core::Enclosure share = Binding(relative, {}, nullptr).enclose().front();
    return share.lo > 1 ? above : share.hi < 0 ? "negative" : share.lo == 0 && share.hi == 0 ? "0" : "";
}

Node expand_about(const Node& call, const formula::Source& source, core::Problems& problems) {
    if (!has_arguments(call, source, 3, "about(x, y, relative)", problems)) return call;
    const Node& relative = call->children[2];
    if (const std::string_view why = invalid_share(relative, source); !why.empty())
        problems.add(formula::place_of(source, relative->span), fmt::format("the third argument of about() is {}", why),
                     why == "0" ? "x == y, or a share of y above 0 and at most 1"
                                : "how far x may be from y, as a share of y above 0 and at most 1");
    const Node& y = call->children[1];
    if (formula::sum_of(y).empty())
        problems.add(formula::place_of(source, y->span),
                     "the second argument of about() is 0, of which every share is 0",
                     "a number other than 0, or abs(x) <= a bound");
    const Node size = formula::make(Op::absolute, {y}, call->span);
    const Node bound = formula::make(Op::multiply, {call->children[2], size}, call->span);
    return difference_within(call->children[0], y, bound, call->span);
}

Node keep_printed(const Node& call, const formula::Source& source, core::Problems& problems) {
    if (!has_arguments(call, source, 1, "printed(x)", problems)) return call;
    const Node& argument = call->children[0];
    if (argument->kind != Kind::index) {
        const bool is_value = argument->kind == Kind::name;
        problems.add(formula::place_of(source, argument->span),
                     is_value ? "printed() is given a value, which nothing printed" : "printed() is given a formula",
                     "a cell of a table: printed(table['row', 'column'])");
    }
    const auto is_text = [](const Node& index) { return index->kind == Kind::text; };
    const bool by_number =
        argument->kind == Kind::index && !std::all_of(argument->children.begin(), argument->children.end(), is_text);
    if (by_number) {
        problems.add(formula::place_of(source, argument->span), "printed() is given a cell by its numbers",
                     "the names of row and column, printed(table['row', 'column']), or a table with exact = true");
    }
    return call;
}

using Expansion = Node (*)(const Node&, const formula::Source&, core::Problems&);

Expansion find_expansion(std::string_view name) {
    static const std::map<std::string_view, Expansion> expansions = {
        {"rounds", expand_rounds}, {"about", expand_about}, {"printed", keep_printed}};
    const auto found = expansions.find(name);
    return found == expansions.end() ? nullptr : found->second;
}

}  // namespace

bool is_decimal(std::string_view text) {
    return read_decimal(text).valid;
}

std::string half_unit(std::string_view decimal) {
    const WrittenDecimal read = read_decimal(decimal);
    return "5e" + std::to_string(read.exponent - read.decimals - 1);
}

Node decimal_tree(std::string_view text, formula::Span span) {
    const WrittenDecimal read = read_decimal(text);
    const Node magnitude = formula::make_number(read.magnitude, span);
    return read.negative ? formula::make(Op::negate, {magnitude}, span) : magnitude;
}

Node expand(const Node& tree, const formula::Source& source, core::Problems& problems) {
    if (tree->kind == Kind::text) return formula::make_name(tree->text, tree->span);
    std::vector<Node> children;
    for (std::size_t i = 0; i < tree->children.size(); ++i) {
        const Node& child = tree->children[i];
        // Rows and columns of tables, and printed numbers, are texts. In all other places a text names a result.
        const bool is_text =
            child->kind == Kind::text &&
            (tree->kind == Kind::index || (tree->kind == Kind::call && tree->text == "rounds" && i == 1));
        children.push_back(is_text ? child : expand(child, source, problems));
    }
    const Node node = with_children(tree, std::move(children));
    const Expansion expansion = node->kind == Kind::call ? find_expansion(node->text) : nullptr;
    return expansion ? expansion(node, source, problems) : node;
}

}  // namespace farfield::claim
