#include <farfield/formula/printer.hpp>

#include <algorithm>
#include <cctype>
#include <farfield/formula/names.hpp>

namespace farfield::formula {
namespace {

/// Whether an operand is to the left or right of its operator. The operand of a prefix is to the right.
enum class Side { left, right };

std::string print_node(const Node& tree);

bool is_infix(const Node& tree) {
    return tree->kind == Kind::operation && row(tree->op).fixity == Fixity::infix;
}

bool is_prefix(const Node& tree) {
    return tree->kind == Kind::operation && row(tree->op).fixity == Fixity::prefix;
}

bool is_comparison(const OperatorRow& operation) {
    return operation.precedence == row(Op::less).precedence;
}

/// Whether `child`, as an operand of `parent`, would be parsed differently without parentheses.
bool needs_parentheses(const OperatorRow& parent, const Node& child, Side side) {
    if (!is_infix(child) && !is_prefix(child)) return false;
    const OperatorRow& inner = row(child->op);
    // `2^-h`: a prefix may follow any operator that it binds tighter than, and the power.
    if (child->op == Op::negate && side == Side::right && parent.op == Op::power) return false;
    if (inner.precedence != parent.precedence) return inner.precedence < parent.precedence;
    if (parent.fixity == Fixity::prefix) return false;
    if (is_comparison(parent)) return true;
    const bool groups_right = parent.op == Op::power;
    return groups_right ? side == Side::left : side == Side::right;
}

std::string operand(const OperatorRow& parent, const Node& child, Side side) {
    const std::string text = print_node(child);
    return needs_parentheses(parent, child, side) ? "(" + text + ")" : text;
}

/// Sums, comparisons and words are spaced; products, quotients and powers are not.
std::string spelled(const OperatorRow& operation) {
    const std::string spelling(operation.spelling);
    return operation.precedence >= row(Op::multiply).precedence ? spelling : " " + spelling + " ";
}

std::string arguments(const Node& tree) {
    std::string text;
    for (const Node& child : tree->children) text += (text.empty() ? "" : ", ") + print_node(child);
    return text;
}

bool is_plain(std::string_view name) {
    return is_name(name) && name != "and" && name != "or" && name != "not";
}

/// Uses the kind of quotes that the text does not contain. If it contains both kinds, a quote inside is written twice.
std::string in_quotes(std::string_view text) {
    if (text.find('\'') == std::string_view::npos) return "'" + std::string(text) + "'";
    if (text.find('"') == std::string_view::npos) return '"' + std::string(text) + '"';
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
    return quoted + "'";
}

/// The first point outside brackets, which separates a quantity from its field in claims; npos if there is none.
/// Brackets that do not match are treated as letters.
std::size_t first_point(std::string_view name) {
    if (std::count(name.begin(), name.end(), '[') != std::count(name.begin(), name.end(), ']')) return name.find('.');
    int depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        depth += name[i] == '[' ? 1 : name[i] == ']' ? -1 : 0;
        if (name[i] == '.' && depth == 0) return i;
    }
    return std::string_view::npos;
}

/// `quantity.field`, with quotes around each part that is not a plain name: 'fit[w=0.5]'.a.
std::string spelled_name(std::string_view name) {
    std::string text;
    while (true) {
        const std::size_t point = first_point(name);
        const std::string_view part = name.substr(0, point);
        text += is_plain(part) ? std::string(part) : in_quotes(part);
        if (point == std::string_view::npos) return text;
        text += '.';
        name.remove_prefix(point + 1);
    }
}

std::string print_operation(const Node& tree) {
    const OperatorRow& operation = row(tree->op);
    switch (operation.fixity) {
        case Fixity::infix:
            return operand(operation, tree->children[0], Side::left) + spelled(operation) +
                   operand(operation, tree->children[1], Side::right);
        case Fixity::prefix: {
            const bool is_word = std::isalpha(static_cast<unsigned char>(operation.spelling.front())) != 0;
            return std::string(operation.spelling) + (is_word ? " " : "") +
                   operand(operation, tree->children[0], Side::right);
        }
        case Fixity::conditional:
        case Fixity::function: break;
    }
    return std::string(operation.spelling) + "(" + arguments(tree) + ")";
}

std::string print_node(const Node& tree) {
    switch (tree->kind) {
        case Kind::number: return tree->text;
        case Kind::name: return spelled_name(tree->text);
        case Kind::text: return in_quotes(tree->text);
        case Kind::index: return spelled_name(tree->text) + "[" + arguments(tree) + "]";
        case Kind::call: return tree->text + "(" + arguments(tree) + ")";
        case Kind::operation: return print_operation(tree);
        case Kind::reduction:
            return std::string(row(tree->op).spelling) + "(" + tree->text + ", " + arguments(tree) + ")";
    }
    return {};
}

}  // namespace

std::string print(const Node& tree) {
    return print_node(tree);
}

}  // namespace farfield::formula
