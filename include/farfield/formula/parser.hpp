// Text to tree.
#pragma once

#include <string>

#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/tree.hpp>

namespace farfield::formula {

/// A formula's text and where its first character stands in the user's file. A place of no file (command line) has
/// line 1; `at.excerpt` is the whole line of the file, or empty to show the text itself.
struct Source {
    std::string text;
    core::Place at;
};

/// The place of a span of the source's text; text of several lines is followed line by line.
core::Place place_of(const Source& source, Span span);

/// Limits that keep every later pass (which recurses) within the stack.
inline constexpr std::size_t largest_text = 65536;   ///< bytes
inline constexpr std::size_t deepest_tree = 256;     ///< levels
inline constexpr std::size_t largest_tree = 100000;  ///< nodes, those of let names put in counted each time

/// Whether a tree is beyond these limits: each let name put in may double it, and every later pass walks it.
inline bool is_too_large(const Node& tree) {
    return tree->nodes > largest_tree || tree->depth > deepest_tree;
}

/// The grammar of docs/formula.md. Names and types are not looked at: see check(). Throws core::UserError with one
/// diagnostic (a syntax error has no second problem worth trusting).
Node parse(const Source& source);

/// The same without a file, for formulas of our own and of tests.
Node parse(const std::string& text);

}  // namespace farfield::formula
