// A second parser of the formula language, written only from docs/formula.md.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "recheck/rational.hpp"

namespace farfield::recheck {

enum class Op {
    number,  ///< a decimal
    text,    ///< 'in quotes'
    name,    ///< a variable, a constant, or a value that a claim mentions
    lookup,  ///< name[index, ...]
    call,    ///< a call of a function that only claims have: rounds, about, printed
    add,
    subtract,
    multiply,
    divide,
    remainder,
    negate,
    power,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    differs,
    negation,
    conjunction,
    disjunction,
    select,
    abs,
    sqrt,
    exp,
    expm1,
    log,
    log1p,
    log2,
    sin,
    cos,
    tan,
    tanh,
    atan2,
    floor,
    ceil,
    round,
    sign,
    min,
    max,
    clamp,
    softplus,
    sigmoid,
    erf,
    sine_integral,
    binomial,
    fp32,
    fp16,
    bf16,
    e4m3,
    e5m2,
    t5_bucket,
    sum,
    product,
    for_all,
    for_some,
    argmin,
    argmax,
    integral,
};

/// Whether the operator has a variable: over integers, or for an integral over reals.
bool is_reduction(Op op);

struct Tree;
using Node = std::shared_ptr<const Tree>;

/// One node. The variable of a reduction is `name`; its parts are from, to, body.
struct Tree {
    Op op = Op::number;
    std::string name;
    Rational value;
    std::vector<Node> parts;
    std::vector<std::string> free;  ///< names that are not bound within, each once
};

/// A text that is not a formula, or that this program cannot prove; the message states the reason.
class Unprovable : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Throws Unprovable with the text and its problem.
Node parse_tree(std::string_view text);

bool is_condition(const Tree& tree);
bool is_constant(std::string_view name);
bool uses(const Tree& tree, std::string_view name);
/// A node of these parts.
Node make(Op op, std::string name, std::vector<Node> parts);
Node make_number(const Rational& value);

}  // namespace farfield::recheck
