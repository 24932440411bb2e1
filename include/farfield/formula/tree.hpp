// The immutable tree of a formula. Messages, printing, checking, derivatives and programs are based on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::formula {

/// Reals and booleans are different types; text occurs only inside claims (`table['row', 'column']`).
enum class Type : std::uint8_t { real, boolean, text };

/// How an operator is written.
enum class Fixity : std::uint8_t { prefix, infix, conditional, function };

/// Every operator of the language; the list is operators.def.
enum class Op : std::uint8_t {
#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) name,
#define REDUCTION(name, spelling, type, empty, latex, meaning) name,
#define CHOICE(name, spelling, better, best, worst, latex, meaning) name,
#define INTEGRAL(name, spelling, latex, meaning) name,
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
};

/// One row of operators.def as data. `arguments` has a letter for each argument: r real, b boolean.
struct OperatorRow {
    Op op;
    std::string_view spelling;
    Fixity fixity;
    int precedence;  ///< of infix and prefix operators: a larger one binds tighter; 0 for functions
    Type result;
    std::string_view arguments;
    std::string_view latex;
    std::string_view meaning;
    bool reduction = false;
    bool choice = false;    ///< a reduction to an integer of its range: argmin, argmax
    bool integral = false;  ///< its variable is real
};

const OperatorRow& row(Op op);
const std::vector<OperatorRow>& operators();
/// Whether the operator rounds to a number format: fp32, fp16, ...
bool is_rounding(Op op);
/// The row of the function or reduction with this name, or null.
const OperatorRow* find_function(std::string_view spelling);

/// The position of a piece of a formula in the formula's text: its first character (from 0) and the number of
/// characters.
struct Span {
    std::size_t offset = 0;
    std::size_t length = 0;
};

enum class Kind : std::uint8_t {
    number,     ///< `text` as written, so that 0.1 is the decimal 0.1 in every number system; `number` nearest double
    text,       ///< 'quoted', in claims
    name,       ///< a variable, parameter or `quantity.field`: `text`
    index,      ///< name[expression, ...]: `text`, children the indexes
    call,       ///< a function the operator table does not have: `text`, children; the claim room expands its own
    operation,  ///< `op` over children
    reduction,  ///< `op` over variable `text`, integer or real, from children[0] to children[1] of children[2]
};

struct Tree;
using Node = std::shared_ptr<const Tree>;

struct Tree {
    Kind kind = Kind::number;
    Op op{};
    double number = 0;
    std::string text;
    std::vector<Node> children;
    Span span;
    std::size_t depth = 1;  ///< of the tree below and including this node
    std::size_t nodes = 1;  ///< how many nodes it has, this one included (shared ones counted each time)
};

Node make_number(std::string decimal, Span span = {});  ///< decimal text; throws PreconditionError if it is invalid
Node make_number(double value);                         ///< by its shortest text that reads back to it; nan is `0/0`
Node make_text(std::string text, Span span = {});
Node make_name(std::string name, Span span = {});
Node make_index(std::string name, std::vector<Node> indexes, Span span = {});
Node make_call(std::string name, std::vector<Node> arguments, Span span = {});
Node make(Op op, std::vector<Node> arguments, Span span = {});
Node make_reduction(Op op, std::string variable, Node from, Node to, Node body, Span span = {});

/// Same shape, operators, names and numbers by their decimal text; spans are not compared.
bool equal(const Node& a, const Node& b);

/// Every name that is free in the tree (reduction variables are not), in order of first use, each once.
std::vector<std::string> free_names(const Node& tree);
/// Names of the tables that the tree indexes, in order of first use.
std::vector<std::string> indexed_names(const Node& tree);

/// The tree with every free `name` replaced. A reduction variable that would capture a free name of a replacement is
/// renamed.
struct Replacement {
    std::string name;
    Node tree;
};
Node substitute(const Node& tree, const std::vector<Replacement>& replacements);

}  // namespace farfield::formula
