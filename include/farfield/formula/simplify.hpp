// Rewriting by the laws of real numbers.
#pragma once

#include <optional>

#include <farfield/formula/tree.hpp>

namespace farfield::formula {

/// The tree rewritten by identities of the reals: constants folded where the result is exact (integers and decimals),
/// neutral and absorbing elements, double negation, powers of 0 and 1, nested quotients, like terms of sums and like
/// factors of products collected, sums of a constant body. Equal to the tree wherever every part of the tree is finite;
/// evaluators of low precision never use it, since it changes the order of operations. Idempotent. A tree that is too
/// large is returned unchanged.
Node simplify(const Node& tree);

/// The same, but an operator that may jump where it is defined, such as floor, a comparison or the index of a table,
/// keeps its arguments as written: a sum in another order, rounded to doubles, may be on the other side of the jump.
Node simplify_between_jumps(const Node& tree);

/// The truth value of a condition, if simplify finds it by exact arithmetic; nothing otherwise.
std::optional<bool> known_truth(const Node& condition);

/// Whether simplify can prove that a - b is zero for all values of the names at which all parts of a and b are finite.
/// False means only that no proof was found.
bool proves_equal(const Node& a, const Node& b);

}  // namespace farfield::formula
