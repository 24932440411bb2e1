// A formula as a Python expression of an array library.
#pragma once

#include <cstdint>
#include <farfield/formula/tree.hpp>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::exporting {

/// The precedence of an expression in Python's grammar.
enum Precedence : std::uint8_t {
    a_comparison = 1,
    a_conjunction,  ///< |
    a_bitwise_and,
    a_sum,
    a_product,
    a_sign,
    a_power,
    an_atom,
};

/// Which arguments must be arrays. Python's own numbers raise exceptions where a formula has inf or NaN, and the
/// library's functions may not accept them.
enum class Arrays : std::uint8_t { none, one, all };

/// One operator in one library: the text with #1 #2 #3 for the arguments (for a reduction: body, variable, range), its
/// precedence, the precedence that each argument needs, and which arguments must be arrays.
struct Translation {
    std::string_view text;
    Precedence precedence = an_atom;
    Precedence left = a_comparison;
    Precedence right = a_comparison;
    Arrays arrays = Arrays::none;
};

/// An array library; its file has the table, with one row for each operator of operators.def.
struct Language {
    std::string_view target;  ///< "numpy", for messages
    std::string_view module;  ///< "np": the name of the library in the source
    std::string_view import_line;
    std::span<const Translation> translations;
    std::string_view pi;
    std::string_view e;
    std::string_view inf;
    std::string_view arange;      ///< #1 first, #2 end: numbers of the arithmetic
    std::string_view lift;        ///< converts a number to an array of the right type
    std::string_view arithmetic;  ///< the line that defines `wide`, the type of the arithmetic, from `dtype`
    std::string_view set_up;      ///< the line that defines `lift`, if it needs a definition
    std::string_view extra;       ///< further keyword arguments of each function: "dtype=..."
    std::string_view widened;     ///< #1: integers as numbers of the arithmetic
    std::string_view cast;        ///< #1: a value with the type of the result
    std::string_view learned;     ///< #1: the values of a learned name as an array
    std::string_view positive;    ///< #1: the values of a positive one, from `learned`
    bool has_parameters = false;  ///< learned names are passed as one dictionary, `parameters`
    bool has_gradients = false;   ///< of the computed values, by all branches of a conditional
    std::string_view integers;    ///< the integers from 0 to #1 - 1: positions and indexes
    std::string_view helpers;     ///< functions that translations call, separated by two empty lines
};

/// The languages of numpy, PyTorch and JAX.
const Language& numpy_language();
const Language& torch_language();
const Language& jax_language();

/// The helpers that the source calls, directly or indirectly.
std::string helpers_in(const Language& language, const std::string& source);

/// Names of a scheme as Python identifiers. Python's keywords, and names that the source itself uses, get an
/// underscore.
class Identifiers {
public:
    std::string operator[](const std::string& name);

private:
    std::map<std::string, std::string> known_;
};

/// A number in Python's notation that reads back to the same double.
std::string python_number(const std::string& decimal);

/// `text` with #1, #2, ... replaced.
std::string filled(std::string_view text, const std::vector<std::string>& values);

struct Expression {
    std::string text;
    Precedence precedence = an_atom;
    bool is_number = false;   ///< a number of Python, not an array
    bool is_boolean = false;  ///< of numbers: True or False, which libraries accept together with arrays
};

/// The text, in parentheses if its precedence is below `least`.
std::string within(const Expression& expression, Precedence least);

/// Ranges of reductions, and the edges of buckets, which must be known before any array.
struct Hoisted {
    std::string name;
    std::string text;
};

/// Writes expressions for one function of the source.
class PythonWriter {
public:
    /// The replacement of a subtree; nothing if it is written as usual.
    using Instead = std::function<std::optional<Expression>(const formula::Node&)>;
    /// The names on which a bound or a bucket's edges may depend: Python expressions of plain numbers by formula name.
    using Plain = std::map<std::string, std::string>;

    PythonWriter(const Language& language, Identifiers& names, Plain plain);

    Expression write(const formula::Node& tree, const Instead& instead = {});
    const std::vector<Hoisted>& hoisted() const { return hoisted_; }
    /// Substitutes lets, so that bounds are formulas of plain names.
    void set_tables_by_head(std::vector<std::string> tables) { tables_by_head_ = std::move(tables); }
    /// The name of the index that selects a head's table.
    void set_row(std::string row) { row_ = std::move(row); }
    /// The target whose closures are written, in which the ranges of loops must not differ between positions; "": none.
    void set_closures_of(std::string_view target) { closures_of_ = target; }
    void set_lets(std::vector<formula::Replacement> lets) { lets_ = std::move(lets); }

private:
    /// A loop with nested bounds that depend on its variable.
    struct Loop {
        std::string variable;
        std::string whole;  ///< its name as a plain number
        std::string terms;  ///< the range of that number
    };

    Expression operation(const formula::Node& tree, const Instead& instead);
    Expression entry(const formula::Node& tree, const Instead& instead);
    std::string as_array(const Expression& expression) const;
    // In loops.cpp.
    Expression reduction(const formula::Node& tree, const Instead& instead);
    Expression bucket(const formula::Node& tree, const Instead& instead);
    Expression fold(const formula::Node& tree, const Instead& instead);
    /// Refuses an operator that the library lacks, by its name.
    const Translation& translation_of(formula::Op op) const;
    [[noreturn]] void refuse_varying(const formula::Node& bound, const formula::Node& whole) const;
    /// The name of a value that is computed before any array.
    std::string hoist(const std::string& stem, const std::string& text);
    /// The same for a value that depends on `depends_on`: if these contain variables of enclosing loops, a dictionary
    /// with an entry for each iteration.
    std::string hoist_for_rounds(const std::string& stem, const std::string& text,
                                 const std::vector<formula::Node>& depends_on);
    /// An expression of plain Python numbers; nothing if there is none.
    std::optional<std::string> plain_text(const formula::Node& written, Precedence least) const;
    std::optional<std::string> plain_name(const std::string& name) const;

    const Language& language_;
    Identifiers& names_;
    Plain plain_;
    std::vector<std::string> tables_by_head_;
    std::vector<Hoisted> hoisted_;
    std::vector<formula::Replacement> lets_;
    std::string row_ = "row";
    std::string_view closures_of_;
    std::vector<Loop> loops_;  ///< the loops around the current expression, the outermost first
    std::size_t wholes_ = 0;
};

}  // namespace farfield::exporting
