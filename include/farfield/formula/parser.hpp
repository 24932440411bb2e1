// Text to tree.
#pragma once

#include <string>

#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/tree.hpp>

namespace farfield::formula {

/// A formula's text and the position of its first character in the user's file. For a formula that is not in a file
/// (command line), the place has line 1; `at.excerpt` is the whole line of the file, or empty to show the text itself.
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

/// Whether a tree exceeds these limits. Substitution of a let name may double a tree, and every later pass traverses
/// it.
inline bool is_too_large(const Node& tree) {
    return tree->nodes > largest_tree || tree->depth > deepest_tree;
}

/// Parses the grammar of docs/formula.md. Names and types are checked by check(). Throws core::UserError with one
/// diagnostic, because problems after a syntax error are not reliable.
Node parse(const Source& source);

/// The same without a file, for formulas inside farfield and in tests.
Node parse(const std::string& text);

}  // namespace farfield::formula
