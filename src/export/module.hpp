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
    std::string before = {};  ///< a line that changes the meaning of `p` from here on
};

/// The properties in which the functions of the parts differ.
struct Function {
    std::string name;
    std::string summary;                  ///< its docstring
    std::vector<std::string> positional;  ///< "heads", "queries", "keys"
    std::vector<Step> steps;
    std::string after = {};     ///< a line after them
    std::string result;         ///< what it returns
    std::string length;         ///< the default of L
    std::string width;          ///< d in plain numbers; "" if formulas do not use it
    std::string by_head;        ///< index that gives a value per head its axes: "[:, None, None]"
    std::string first = {};     ///< the default of `offset`, the position of the first query
    bool is_clamped = false;    ///< keys after the query are treated as the query's own key
    bool is_causal = false;     ///< `visible` tells which keys causality leaves visible, computed with integers
    bool needs_length = false;  ///< needed although formulas do not use it
};

/// The parts of a scheme as functions.
std::vector<Function> functions_of(const scheme::Scheme& scheme, const Language& language);

/// One function's source.
std::string function_text(const scheme::Scheme& scheme, const Language& language, const Function& function);

/// Source that needs no formula: the application of rotation tables, and relative vectors.
std::string application_text(const scheme::Scheme& scheme, const Language& language);

/// The docstring of the whole source: a description of the scheme, its formulas, parameters and conventions. `more` is
/// the part of the target.
std::string module_docstring(const scheme::Scheme& scheme, const std::string& target, const std::string& more);

/// The scheme in words: its sentence, source, formulas, variables and parameters.
std::string description(const scheme::Scheme& scheme);

/// A text, escaped for a docstring.
std::string in_docstring(const std::string& text);

/// The whole source: docstring, imports that it needs, helpers, body.
std::string assembled(const Language& language, const std::string& docstring, const std::string& body);

/// "KerpleLog" of "kerple-log".
std::string class_name(const std::string& scheme);

/// The shape of a learned name's array: "(layers, heads, 32)".
std::string learned_shape(const scheme::Learned& learned);

/// The lines that define the type of the arithmetic and Language::lift, if the body uses them.
std::string set_up(const Language& language, const std::string& body);

/// Learned names that the function's formulas use.
std::vector<const scheme::Learned*> learned_in(const scheme::Scheme& scheme, const Function& function);

}  // namespace farfield::exporting
