// The operator table's templates decide how a formula looks; this file decides where parentheses go.
#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include <farfield/formula/printer.hpp>

#include "formula/lexer.hpp"

namespace farfield::formula {
namespace {

constexpr int loosest = 0;
constexpr int a_quantifier = 10;
constexpr int a_sum = 55;  ///< a sum's body reaches over products, not over sums
constexpr int a_product = 60;
constexpr int a_minus = 70;
constexpr int an_application = 75;  ///< \sin x
constexpr int a_tall_thing = 78;    ///< a fraction or a power: not the base of a power without parentheses
constexpr int an_atom = 100;

/// A piece of LaTeX and its precedence.
struct Piece {
    std::string text;
    int precedence = an_atom;
};

Piece piece_of(const Node& tree);

std::string inside(const Piece& piece, int least) {
    return piece.precedence < least ? "\\left(" + piece.text + "\\right)" : piece.text;
}

constexpr std::array<std::string_view, 30> greek{
    "alpha",  "beta", "gamma", "delta", "epsilon", "zeta",  "eta",    "theta", "iota",    "kappa",
    "lambda", "mu",   "nu",    "xi",    "pi",      "rho",   "sigma",  "tau",   "upsilon", "phi",
    "chi",    "psi",  "omega", "Gamma", "Delta",   "Theta", "Lambda", "Sigma", "Phi",     "Omega"};

std::string escaped(std::string_view name) {
    std::string text;
    for (const char c : name) {
        if (c == '\\') {
            text += "\\backslash ";
            continue;
        }
        if (std::string_view("_#$%&{}").find(c) != std::string_view::npos) text += '\\';
        text += c;
    }
    return text;
}

std::string letter(std::string_view name) {
    if (name == "inf") return "\\infty";
    if (name == "e") return "\\mathrm{e}";
    if (std::find(greek.begin(), greek.end(), name) != greek.end()) return "\\" + std::string(name);
    const bool is_letter = name.size() == 1 && std::isalpha(static_cast<unsigned char>(name.front())) != 0;
    if (is_letter) return std::string(name);
    return "\\mathrm{" + escaped(name) + "}";
}

/// `r1` is r with the index 1; other names as they are.
std::string name_text(std::string_view name) {
    std::size_t stem = name.size();
    while (stem > 0 && is_digit(name[stem - 1])) --stem;
    const bool is_numbered = stem > 0 && stem < name.size() &&
                             std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(stem),
                                         [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
    if (!is_numbered) return letter(name);
    return letter(name.substr(0, stem)) + "_{" + std::string(name.substr(stem)) + "}";
}

Piece number_piece(std::string_view text) {
    const std::size_t exponent = text.find_first_of("eE");
    const bool is_negative = !text.empty() && text.front() == '-';
    if (exponent == std::string_view::npos) return {std::string(text), is_negative ? a_minus : an_atom};
    std::string power(text.substr(exponent + 1));
    if (!power.empty() && power.front() == '+') power.erase(0, 1);
    return {std::string(text.substr(0, exponent)) + " \\cdot 10^{" + power + "}", a_product};
}

std::string list(const std::vector<Node>& children) {
    std::string text;
    for (const Node& child : children) text += (text.empty() ? "" : ", ") + piece_of(child).text;
    return text;
}

/// The template with #1, #2, ... replaced.
std::string filled(std::string_view pattern, const std::vector<std::string>& values) {
    std::string text;
    for (std::size_t at = 0; at < pattern.size(); ++at) {
        const bool is_slot = pattern[at] == '#' && at + 1 < pattern.size() && is_digit(pattern[at + 1]);
        if (!is_slot) {
            text += pattern[at];
            continue;
        }
        const auto index = static_cast<std::size_t>(pattern[++at] - '1');
        if (index < values.size()) text += values[index];
    }
    return text;
}

/// Whether the template ends with its last argument without a delimiter, as in `\sin #1`. Then the end of the argument
/// is not visible.
bool ends_bare(std::string_view pattern) {
    return pattern.size() >= 2 && pattern[pattern.size() - 2] == '#';
}

bool starts_with_minus(const Piece& piece) {
    return !piece.text.empty() && piece.text.front() == '-';
}

std::string right_operand(const Piece& piece, int least) {
    return inside(starts_with_minus(piece) ? Piece{piece.text, loosest} : piece, least);
}

Piece infix_piece(const OperatorRow& operation, const Node& tree) {
    const Piece left = piece_of(tree->children[0]);
    const Piece right = piece_of(tree->children[1]);
    if (operation.op == Op::divide) return {filled(operation.latex, {left.text, right.text}), a_tall_thing};
    if (operation.op == Op::power) return {filled(operation.latex, {inside(left, an_atom), right.text}), a_tall_thing};
    const int own = operation.precedence;
    const bool is_comparison = own == row(Op::less).precedence;
    return {filled(operation.latex, {inside(left, is_comparison ? own + 1 : own), right_operand(right, own + 1)}), own};
}

Piece function_piece(const OperatorRow& operation, const Node& tree) {
    std::vector<std::string> values;
    Piece last;
    for (const Node& child : tree->children) {
        last = piece_of(child);
        values.push_back(last.text);
    }
    if (!ends_bare(operation.latex)) return {filled(operation.latex, values), an_atom};
    values.back() = inside(last, an_atom);
    return {filled(operation.latex, values), an_application};
}

Piece operation_piece(const Node& tree) {
    const OperatorRow& operation = row(tree->op);
    switch (operation.fixity) {
        case Fixity::infix: return infix_piece(operation, tree);
        case Fixity::prefix: {
            // Formulas apply `not` to the whole of `n < w`; a reader of \neg n < w may not.
            const int least = operation.op == Op::logical_not ? an_atom : operation.precedence;
            return {filled(operation.latex, {right_operand(piece_of(tree->children[0]), least)}), operation.precedence};
        }
        case Fixity::conditional:
        case Fixity::function: break;
    }
    return function_piece(operation, tree);
}

Piece reduction_piece(const Node& tree) {
    const OperatorRow& operation = row(tree->op);
    const bool is_real = operation.result == Type::real;
    const Piece body = piece_of(tree->children[2]);
    const std::vector<std::string> values{name_text(tree->text), piece_of(tree->children[0]).text,
                                          piece_of(tree->children[1]).text,
                                          is_real ? right_operand(body, a_product) : body.text};
    return {filled(operation.latex, values), is_real ? a_sum : a_quantifier};
}

Piece piece_of(const Node& tree) {
    switch (tree->kind) {
        case Kind::number: return number_piece(tree->text);
        case Kind::text: return {"\\text{" + escaped(tree->text) + "}"};
        case Kind::name: return {name_text(tree->text)};
        case Kind::index: return {letter(tree->text) + "_{" + list(tree->children) + "}"};
        case Kind::call: return {"\\operatorname{" + escaped(tree->text) + "}(" + list(tree->children) + ")"};
        case Kind::operation: return operation_piece(tree);
        case Kind::reduction: return reduction_piece(tree);
    }
    return {};
}

}  // namespace

std::string latex(const Node& tree) {
    return piece_of(tree).text;
}

}  // namespace farfield::formula
