// The start of every function: arguments for the names that its formulas use, converted to arrays.
#pragma once

#include <farfield/scheme/scheme.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "export/python.hpp"

namespace farfield::exporting {

/// Identifiers of the scheme's names, the same in each function: params first, then learned names, then let.
Identifiers identifiers_of(const scheme::Scheme& scheme);

bool among(const std::vector<std::string>& names, std::string_view name);
std::string joined(const std::vector<std::string>& texts);

/// The properties of a function on which its prologue depends.
struct PrologueNeeds {
    std::vector<formula::Node> trees;     ///< its formulas
    std::vector<std::string> positional;  ///< positional arguments
    std::string length;                   ///< the default of L; "": the caller must give it
    std::string width;                    ///< d in plain numbers
    std::string by_head;                  ///< index that gives a value per head its axes
    bool needs_length = false;            ///< needed although formulas do not use it
    /// Learned names are captured by a closure of FlexAttention. Each has one value per head even if the heads share
    /// one, and its own memory, because the compiler does not accept expanded tensors.
    bool is_captured = false;
};

class Prologue {
public:
    Prologue(const scheme::Scheme& scheme, const Language& language, PrologueNeeds needs);

    bool uses(std::string_view name) const { return among(used_, name); }
    bool needs_length() const { return needs_.needs_length || uses("L") || uses("Ltr"); }
    bool has_tables_by_head() const { return !tables_by_head().empty(); }
    PythonWriter& writer() { return writer_; }
    Identifiers& names() { return names_; }

    /// Keyword arguments: "head_dim", "length=None", "delta=0.0".
    std::vector<std::string> keywords();
    /// The lines that `values` need: lengths, ranges of loops, and arrays of the names that `values` use.
    std::string lines(const std::string& values);

private:
    PythonWriter::Plain plain_names();
    std::vector<std::string> tables_by_head() const;
    bool any_learned(bool scheme::Learned::*per) const;
    std::string learned_line(const scheme::Learned& learned);

    const scheme::Scheme& scheme_;
    const Language& language_;
    PrologueNeeds needs_;
    std::vector<std::string> used_;
    std::vector<const scheme::Learned*> learned_;
    Identifiers names_;
    PythonWriter writer_;
};

}  // namespace farfield::exporting
