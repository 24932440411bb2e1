// What every function starts with: arguments for the names its formulas use, turned into arrays.
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

/// What of a function its prologue depends on.
struct PrologueNeeds {
    std::vector<formula::Node> trees;     ///< its formulas
    std::vector<std::string> positional;  ///< arguments that it has anyway
    std::string length;                   ///< what L is where the caller does not say; "": the caller must say
    std::string width;                    ///< what d is, in plain numbers
    std::string by_head;                  ///< index that gives a value a head its axes
    bool needs_length = false;            ///< beyond what the formulas use
    /// Learned names are captured by a closure of FlexAttention: each has a value a head even where the heads share
    /// one, and memory of its own, since the compiler takes no expanded tensor.
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
    /// Lines, once `values` are written: lengths, ranges of loops, and arrays of what `values` use.
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
