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

/// How tightly an expression holds together, in Python's grammar.
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

/// Which arguments must be arrays, where Python's own numbers would not do: they raise where a formula has inf or NaN,
/// and the library's functions may not take them.
enum class Arrays : std::uint8_t { none, one, all };

/// One operator in one library: the text with #1 #2 #3 for the arguments (of a reduction: body, variable, range), how
/// tightly it holds together, how tightly each argument must, and which must be arrays.
struct Translation {
    std::string_view text;
    Precedence precedence = an_atom;
    Precedence left = a_comparison;
    Precedence right = a_comparison;
    Arrays arrays = Arrays::none;
};

/// An array library; its file has the table, a row for each operator of operators.def.
struct Language {
    std::string_view target;  ///< "numpy", for messages
    std::string_view module;  ///< "np": the name of the library in the source
    std::string_view import_line;
    std::span<const Translation> translations;
    std::string_view pi;
    std::string_view e;
    std::string_view inf;
    std::string_view arange;      ///< #1 first, #2 end: numbers of the arithmetic
    std::string_view lift;        ///< what turns a number into an array of the right type
    std::string_view arithmetic;  ///< the line that makes `wide`, the type of the arithmetic, from `dtype`
    std::string_view set_up;      ///< the line that makes `lift`, if it must be made
    std::string_view extra;       ///< further keyword arguments of each function: "dtype=..."
    std::string_view widened;     ///< #1: integers as numbers of the arithmetic
    std::string_view cast;        ///< #1: a value as the result has it
    std::string_view learned;     ///< #1: the values of a learned name as an array
    std::string_view positive;    ///< #1: the values of a positive one, from `learned`
    bool has_parameters = false;  ///< learned names come as one dictionary, `parameters`
    std::string_view integers;    ///< the integers from 0 to #1 - 1: positions and indexes
    std::string_view helpers;     ///< functions that translations call, two empty lines between them
};

/// numpy's, PyTorch's and JAX's.
const Language& numpy_language();
const Language& torch_language();
const Language& jax_language();

/// Those helpers that the source calls, themselves or through each other.
std::string helpers_in(const Language& language, const std::string& source);

/// Names of a scheme as Python's: words of Python, and names that the source has for its own, get an underscore.
class Identifiers {
public:
    std::string operator[](const std::string& name);

private:
    std::map<std::string, std::string> known_;
};

/// A number as Python reads it back to the same double.
std::string python_number(const std::string& decimal);

/// `text` with #1, #2, ... replaced.
std::string filled(std::string_view text, const std::vector<std::string>& values);

struct Expression {
    std::string text;
    Precedence precedence = an_atom;
    bool is_number = false;   ///< Python's own number, no array
    bool is_boolean = false;  ///< of numbers: True or False, which libraries take beside arrays
};

/// The text, in parentheses where it holds together less tightly than `least`.
std::string within(const Expression& expression, Precedence least);

/// Ranges of reductions, and the edges of buckets: what a loop runs over must be known before any array is.
struct Hoisted {
    std::string name;
    std::string text;
};

/// Writes expressions for one function of the source.
class PythonWriter {
public:
    /// What to put in place of a subtree; nothing: it is written as usual.
    using Instead = std::function<std::optional<Expression>(const formula::Node&)>;
    /// What a bound or a bucket's edges may depend on: Python expressions of plain numbers by formula name.
    using Plain = std::map<std::string, std::string>;

    PythonWriter(const Language& language, Identifiers& names, Plain plain);

    Expression write(const formula::Node& tree, const Instead& instead = {});
    const std::vector<Hoisted>& hoisted() const { return hoisted_; }
    /// Lets put in, so that bounds are formulas of plain names.
    void set_tables_by_head(std::vector<std::string> tables) { tables_by_head_ = std::move(tables); }
    /// The name of the index that chooses a head's table.
    void set_row(std::string row) { row_ = std::move(row); }
    /// The target whose closures are written, where no loop runs over what differs from place to place; "": none.
    void set_closures_of(std::string_view target) { closures_of_ = target; }
    void set_lets(std::vector<formula::Replacement> lets) { lets_ = std::move(lets); }

private:
    /// A loop on whose variable bounds within it depend.
    struct Loop {
        std::string variable;
        std::string whole;  ///< its name as a plain number
        std::string terms;  ///< what that runs over
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
    /// The name of a value that is computed before any array is.
    std::string hoist(const std::string& stem, const std::string& text);
    /// The same for what depends on `depends_on`: where these mention variables of loops around, a dictionary with an
    /// entry for each round of them.
    std::string hoist_for_rounds(const std::string& stem, const std::string& text,
                                 const std::vector<formula::Node>& depends_on);
    /// An expression of plain Python numbers; nothing where there is none.
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
    std::vector<Loop> loops_;  ///< around what is being written, the outermost first
    std::size_t wholes_ = 0;
};

}  // namespace farfield::exporting
