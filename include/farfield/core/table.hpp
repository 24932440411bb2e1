// The tables in which quantities, claims and reports meet. Standard library only.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <farfield/core/values.hpp>

namespace farfield::core {

/// A closed range of reals that is known to contain a value. Ends may be infinite; an unknown value is [-inf, inf].
struct Enclosure {
    double lo = 0;
    double hi = 0;

    static Enclosure exactly(double value) { return {value, value}; }
    double width() const { return hi - lo; }
    bool contains(double value) const { return lo <= value && value <= hi; }
    bool operator==(const Enclosure&) const = default;
};

/// How an enclosure came about; a claim is certified if every value it used is.
enum class Rigour {
    none,      ///< a plain floating-point result: no enclosure
    rounding,  ///< the printed rounding interval of a published number
    rigorous,  ///< interval arithmetic or a stated bound of the rounding error
    exact,     ///< exact integer, rational or enumerated
};

/// One number of a result. A number that does not exist (a width never reached) is empty: null in JSON.
struct Cell {
    std::optional<double> number;
    std::string printed;                 ///< as the source printed it; empty for computed numbers
    std::optional<Enclosure> enclosure;  ///< contains the true value, where known
    Rigour rigour = Rigour::none;
    /// The true value as "0.3" or "1/3", if it is known and `number` is only the nearest double.
    std::string rational = {};
    /// Why the number is only a lower bound ("1 of 2 seeds"); the enclosure then has no upper end. Empty if the number
    /// is not a lower bound.
    std::string censored = {};

    static Cell of(double number) { return {number, {}, std::nullopt, Rigour::none}; }
    static Cell exact(double number) { return {number, {}, Enclosure::exactly(number), Rigour::exact}; }
    static Cell rationally(double nearest, Enclosure enclosure, std::string text) {
        return {nearest, {}, enclosure, Rigour::exact, std::move(text)};
    }
    /// A number that is outside of its enclosure by more than usual rounding errors of doubles is replaced by the
    /// nearest in it.
    static Cell enclosed(double number, Enclosure enclosure) {
        const double nearest = number < enclosure.lo ? enclosure.lo : number > enclosure.hi ? enclosure.hi : number;
        const double apart = nearest > number ? nearest - number : number - nearest;
        const bool is_rounding = apart <= 1e-12 * (number < 0 ? -number : number);
        return {is_rounding ? number : nearest, {}, enclosure, Rigour::rigorous};
    }
    static Cell at_least(double number, std::string why) {
        return {number,       {}, Enclosure{number, std::numeric_limits<double>::infinity()},
                Rigour::none, {}, std::move(why)};
    }
    static Cell missing() { return {}; }
};

/// The coordinates from, from + step, ... as decimals or fractions, for coordinates that are not exact doubles.
struct Steps {
    std::string from;
    std::string step;
};

/// A column of a series; `enclosures` is empty or has an entry for each value.
struct Column {
    std::string name;
    Values values;
    std::vector<Enclosure> enclosures;
    std::optional<Steps> steps = {};  ///< of coordinates that are a grid
    /// A formula of the first column's variable. The numbers of this column approximate the true values of the formula.
    /// Empty if no formula is known.
    std::string formula = {};
};

/// Columns of equal length. The first column is the variable, and the other columns are functions of it (for a matrix:
/// the first two are q and k).
struct Series {
    std::vector<Column> columns;
    Rigour rigour = Rigour::none;  ///< of the enclosures
    std::size_t variables = 1;     ///< how many leading columns are coordinates: 1 for a curve, 2 for a matrix

    std::size_t rows() const { return columns.empty() ? 0 : columns.front().values.size(); }
    const Column* find(std::string_view name) const;
};

/// A published or computed table with named rows and columns; `cells` is row-major, [rows, columns].
struct Table {
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    std::vector<Cell> cells;

    const Cell* find(std::string_view row, std::string_view column) const;
};

/// The evidence for a result. It is complete: another program can compute the result again from it alone.
struct Evidence {
    /// The settings: "setting.KEY" as written in the study; "formula" and similar with all names except the variables
    /// substituted. The findings: "witness.x".
    std::vector<std::pair<std::string, std::string>> facts;
    /// Boxes of a proof by subdivision or of a counterexample, each with the result on this box.
    std::vector<std::pair<std::string, std::string>> boxes;

    void add(std::string key, std::string text) { facts.emplace_back(std::move(key), std::move(text)); }
    bool empty() const { return facts.empty() && boxes.empty(); }
};

/// The result of a quantity: named numbers in a fixed order, optionally a series or a table, and the time of the
/// computation.
struct Result {
    std::string name;                                  ///< of the quantity in its study
    std::string kind;                                  ///< "curve", "fit", ...
    std::vector<std::pair<std::string, Cell>> values;  ///< numbers by name; one that does not exist is empty
    std::optional<Series> series;
    std::optional<Table> table;
    std::vector<std::pair<std::string, std::string>> notes;  ///< method, first counterexample, terms of a bound: text
    Evidence evidence;
    double seconds = 0;  ///< evaluation alone, without reading or writing
    std::string scale;   ///< of the models behind it: "4 layers, width 64, 3 seeds"; empty if there are none
    std::string label;   ///< what figures call its series; "{w}" is the value of the swept key w. Empty: its name
    double trained_length = 0;  ///< tokens that the models it measures were trained on; 0 if it measures none

    void set(std::string value_name, Cell cell);
    const Cell* find(std::string_view value_name) const;
};

/// The interval of the numbers that round to `printed` ("5.50" is [5.495, 5.505]; "55.4", "-0.825", "1e-3", "162M" is
/// not a number). Empty if the text is not a decimal number.
std::optional<Enclosure> rounding_interval(std::string_view printed);

}  // namespace farfield::core
