// A function of Python for each part of a scheme, in any array library.
#pragma once

#include <farfield/scheme/scheme.hpp>
#include <string>
#include <vector>

#include "export/python.hpp"

namespace farfield::exporting {

/// One value that a function computes.
struct Step {
    std::string name;
    formula::Node formula;
    std::string before = {};  ///< a line that gives `p` another meaning, from here on
};

/// What differs between the functions of the parts.
struct Function {
    std::string name;
    std::string summary;                  ///< its docstring
    std::vector<std::string> positional;  ///< "heads", "queries", "keys"
    std::vector<Step> steps;
    std::string after = {};     ///< a line after them
    std::string result;         ///< what it returns
    std::string length;         ///< what L is where the caller does not say
    std::string width;          ///< what d is, in plain numbers; "" where formulas have none
    std::string by_head;        ///< index that gives a value a head its axes: "[:, None, None]"
    std::string first = {};     ///< what `offset`, the position of the first query, is where the caller does not say
    bool is_clamped = false;    ///< keys after the query count as its own
    bool is_causal = false;     ///< `visible` says which keys causality leaves, by integers
    bool needs_length = false;  ///< beyond what the formulas use
};

/// The parts a scheme has, as functions.
std::vector<Function> functions_of(const scheme::Scheme& scheme, const Language& language);

/// One function's source.
std::string function_text(const scheme::Scheme& scheme, const Language& language, const Function& function);

/// Source that needs no formula: the application of rotation tables, and relative vectors.
std::string application_text(const scheme::Scheme& scheme, const Language& language);

/// Docstring of the whole source: what the scheme is, its formulas, parameters and conventions. `more` is the target's
/// own part.
std::string module_docstring(const scheme::Scheme& scheme, const std::string& target, const std::string& more);

/// The scheme in words: its sentence, source, formulas, variables and parameters.
std::string description(const scheme::Scheme& scheme);

/// A text as it stands within a docstring.
std::string in_docstring(const std::string& text);

/// The whole source: docstring, imports that it needs, helpers, body.
std::string assembled(const Language& language, const std::string& docstring, const std::string& body);

/// "KerpleLog" of "kerple-log".
std::string class_name(const std::string& scheme);

/// What a learned name's array looks like: "(layers, heads, 32)".
std::string learned_shape(const scheme::Learned& learned);

/// The lines that make the type of the arithmetic and Language::lift where the body uses them.
std::string set_up(const Language& language, const std::string& body);

/// Learned names that the function's formulas use.
std::vector<const scheme::Learned*> learned_in(const scheme::Scheme& scheme, const Function& function);

}  // namespace farfield::exporting
