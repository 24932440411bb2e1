// What the agreement tests share: every operator as a program, its inputs, and its exact value.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <farfield/formula/program.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/numerics/multiprecision.hpp>

#include "evaluate/interpreter.hpp"
#include "evaluate/multiprecision_arithmetic.hpp"

namespace farfield::tests {

using Columns = std::vector<std::vector<double>>;

/// The names of an operator's real arguments.
inline std::vector<std::string> argument_names(const formula::OperatorRow& row) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < row.arguments.size(); ++i) names.push_back(std::string(1, "xyz"[i]));
    return names;
}

/// The operator of its arguments; a boolean argument v is `v > 0`, which is false of NaN in every evaluator.
inline formula::Node operator_tree(const formula::OperatorRow& row) {
    std::vector<formula::Node> arguments;
    const std::vector<std::string> names = argument_names(row);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const formula::Node name = formula::make_name(names[i]);
        const bool boolean = row.arguments[i] == 'b';
        arguments.push_back(boolean ? formula::make(formula::Op::greater, {name, formula::make_number("0")}) : name);
    }
    return formula::make(row.op, arguments);
}

/// The operators that are no reductions.
inline std::vector<formula::OperatorRow> plain_operators() {
    std::vector<formula::OperatorRow> rows;
    for (const formula::OperatorRow& row : formula::operators()) {
        if (!row.reduction) rows.push_back(row);
    }
    return rows;
}

inline const std::vector<double>& special_values() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    static const std::vector<double> values{0.0,
                                            -0.0,
                                            infinity,
                                            -infinity,
                                            std::nan(""),
                                            0x1p-1074,
                                            -0x1p-1074,
                                            0x1.8p-1050,
                                            0x1p-1022,
                                            0x1p-149,
                                            0x1p-126,
                                            1e-300,
                                            1e-30,
                                            -1e-9,
                                            0.5,
                                            -0.5,
                                            1,
                                            -1,
                                            1.5,
                                            2,
                                            -2,
                                            2.5,
                                            3,
                                            -3,
                                            32,
                                            128,
                                            710,
                                            -745.5,
                                            709.75,
                                            -708.75,
                                            88.6875,
                                            -87.5,
                                            1023.9375,
                                            88.5,
                                            -104,
                                            65504,
                                            1e8,
                                            123456789.25,
                                            0x1p53,
                                            3e38,
                                            1e300,
                                            -1e300,
                                            1.7976931348623157e308};
    return values;
}

/// Every combination of `values` over `count` columns.
inline Columns combinations(const std::vector<double>& values, std::size_t count) {
    Columns columns(count);
    std::size_t total = 1;
    for (std::size_t i = 0; i < count; ++i) total *= values.size();
    for (std::size_t at = 0; at < total; ++at) {
        std::size_t rest = at;
        for (std::size_t i = 0; i < count; ++i, rest /= values.size())
            columns[i].push_back(values[rest % values.size()]);
    }
    return columns;
}

/// Random numbers: half of any magnitude, half within [-30, 30].
inline double random_value(std::mt19937_64& random) {
    const double fraction = 1 + static_cast<double>(random() >> 11) * 0x1p-53;
    const double sign = random() % 2 == 0 ? 1 : -1;
    if (random() % 2 == 0) return sign * std::ldexp(fraction, static_cast<int>(random() % 2098) - 1074);
    return sign * (fraction - 1) * 30;
}

/// Specials in every combination, then random ones.
inline Columns agreement_inputs(std::size_t arguments, std::size_t random_points, std::uint64_t seed) {
    std::vector<double> specials = special_values();
    if (arguments == 3)
        specials = {0, -0.0, special_values()[2], std::nan(""), 1, -1, 2.5, 16, 32, 128, 1e300, 0x1p-1074};
    Columns columns = combinations(specials, arguments);
    std::mt19937_64 random(seed);
    for (std::size_t point = 0; point < random_points; ++point) {
        for (std::vector<double>& column : columns) column.push_back(random_value(random));
    }
    return columns;
}

inline std::vector<std::span<const double>> spans(const Columns& columns) {
    return {columns.begin(), columns.end()};
}

/// The program's exact value (60 digits) at every point of the inputs; booleans are 1 and 0.
inline std::vector<numerics::Multiprecision> exact_values(const formula::Program& program, const Columns& columns,
                                                          int digits = 60) {
    evaluate::Interpreter<evaluate::MultiprecisionArithmetic, double> interpreter(program, {digits}, {});
    std::vector<numerics::Multiprecision> values;
    interpreter.run_uniform();
    for (std::size_t point = 0; point < columns[0].size(); ++point) {
        for (std::size_t i = 0; i < columns.size(); ++i) interpreter.set_input(i, columns[i][point]);
        interpreter.run_varying();
        values.push_back(program.type == formula::Type::boolean
                             ? numerics::Multiprecision(interpreter.boolean_result() ? 1 : 0, digits)
                             : interpreter.real_result());
    }
    return values;
}

/// How far `found` is from `exact`, in units of the last place of Real at `exact`; 0 for the same infinity or NaN,
/// infinite where one is and the other is not.
template <class Real>
double ulps(double found, const numerics::Multiprecision& exact) {
    using Limits = std::numeric_limits<Real>;
    const bool nan = std::isnan(found);
    if (nan || exact.is_nan()) return nan == exact.is_nan() ? 0 : std::numeric_limits<double>::infinity();
    const double nearest = exact.to_double();
    const bool overflows = std::fabs(nearest) > static_cast<double>(Limits::max());
    if (std::isinf(found)) return overflows && found * nearest > 0 ? 0 : std::numeric_limits<double>::infinity();
    if (exact.is_infinite()) return std::numeric_limits<double>::infinity();
    const int exponent = std::max(nearest == 0 ? -5000 : std::ilogb(nearest), Limits::min_exponent - 1);
    const numerics::Multiprecision error = numerics::abs(exact - numerics::Multiprecision(found, 60));
    return (error / numerics::Multiprecision(std::ldexp(1.0, exponent - Limits::digits + 1), 60)).to_double();
}

}  // namespace farfield::tests
