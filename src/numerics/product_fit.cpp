// Linear fits from sums of products.
#include "numerics/product_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/fit_measures.hpp"
#include "numerics/precondition.hpp"

namespace farfield::numerics {

namespace {

/// A pivot below this share of its product is zero up to rounding errors.
constexpr double negligible = 0x1p-94;

using Triangle = std::vector<std::vector<DoubleDouble>>;

/// Solves an upper triangular system.
std::vector<DoubleDouble> solve(const Triangle& triangle, std::vector<DoubleDouble> right) {
    for (std::size_t i = right.size(); i-- > 0;) {
        for (std::size_t k = i + 1; k < right.size(); ++k) right[i] = right[i] - triangle[i][k] * right[k];
        right[i] = right[i] / triangle[i][i];
    }
    return right;
}

/// The lengths of the rows of the triangle's inverse. std::hypot would round differently from machine to machine.
std::vector<double> rows_of_inverse(const Triangle& triangle, std::size_t size) {
    Triangle columns;
    for (std::size_t j = 0; j < size; ++j) {
        std::vector<DoubleDouble> unit(size);
        unit[j] = {1, 0};
        columns.push_back(solve(triangle, std::move(unit)));
    }
    std::vector<double> lengths(size);
    for (std::size_t i = 0; i < size; ++i) {
        double largest = 0;
        for (const auto& column : columns) largest = std::max(largest, std::abs(column[i].hi));
        double squares = 0;
        for (const auto& column : columns) squares += column[i].hi / largest * (column[i].hi / largest);
        lengths[i] = largest * std::sqrt(squares);
    }
    return lengths;
}

}  // namespace

std::vector<std::vector<DoubleDouble>> factors_of(const FitProducts& products) {
    const std::size_t all = products.columns + 2;
    const std::size_t size = products.columns + 1;
    // The products also have a column of ones before the data, which is skipped here.
    const auto factor = [&](std::size_t i) { return i < products.columns ? i : i + 1; };
    const auto product = [&](std::size_t i, std::size_t j) -> const DoubleDouble& {
        const std::size_t a = factor(i);
        return products.entries[a * all - a * (a + 1) / 2 + factor(j)];
    };
    Triangle triangle(size, std::vector<DoubleDouble>(size));
    for (std::size_t i = 0; i < size; ++i) {
        const auto rest = [&](std::size_t j) {
            DoubleDouble left = product(i, j);
            for (std::size_t k = 0; k < i; ++k) left = left - triangle[k][i] * triangle[k][j];
            return left;
        };
        const DoubleDouble pivot = rest(i);
        if (!(pivot.hi > negligible * product(i, i).hi)) continue;
        triangle[i][i] = sqrt(pivot);
        for (std::size_t j = i + 1; j < size; ++j) triangle[i][j] = rest(j) / triangle[i][i];
    }
    return triangle;
}

bool all_finite(const FitProducts& products) {
    for (const DoubleDouble& entry : products.entries)
        if (!std::isfinite(entry.hi) || !std::isfinite(entry.lo)) return false;
    return true;
}

double weights_of(const FitProducts& products) {
    const std::size_t ones = products.columns;
    const DoubleDouble& weights = products.entries[ones * (ones + 2) - ones * (ones + 1) / 2 + ones];
    return weights.hi + weights.lo;
}

Fit fit_scaled(const FitProducts& products, const FitScales& scales,
               const std::function<FitResiduals(std::span<const double> parameters)>& residuals) {
    const std::size_t columns = products.columns;
    Fit fit;
    all_unknown(fit, columns);
    if (!all_finite(products)) {
        fit.condition = std::numeric_limits<double>::quiet_NaN();
        return fit;
    }
    const Triangle factors = factors_of(products);
    const auto size = static_cast<Eigen::Index>(columns);
    Matrix triangle = Matrix::Zero(size, size);
    std::vector<DoubleDouble> right(columns);
    for (std::size_t i = 0; i < columns; ++i) {
        for (std::size_t j = i; j < columns; ++j)
            triangle(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = factors[i][j].hi;
        right[i] = factors[i][columns];
    }
    measure_triangle(triangle, fit);
    if (fit.rank < columns) return fit;
    const std::vector<DoubleDouble> parameters = solve(factors, std::move(right));
    for (std::size_t j = 0; j < columns; ++j)
        fit.parameters[j] = std::ldexp(parameters[j].hi, scales.data - scales.columns[j]);
    const FitResiduals sums = residuals(fit.parameters);
    fit.points = sums.points;
    measure_residuals(sums, std::ldexp(weights_of(products), scales.weights), fit);
    const std::vector<double> lengths = rows_of_inverse(factors, columns);
    for (std::size_t j = 0; j < columns; ++j)
        fit.standard_errors[j] = fit.deviation * std::ldexp(lengths[j], -scales.columns[j] - scales.weights / 2);
    return fit;
}

Fit fit_linear(const FitProducts& products,
               const std::function<FitResiduals(std::span<const double> parameters)>& residuals) {
    const std::size_t columns = products.columns;
    const std::size_t wanted = (columns + 2) * (columns + 3) / 2;
    if (columns == 0) refuse("numerics::fit_linear", "columns", "0", "one column or more");
    if (products.entries.size() != wanted)
        refuse("numerics::fit_linear", "entries", std::to_string(products.entries.size()), std::to_string(wanted));
    return fit_scaled(products, {std::vector<int>(columns, 0), 0, 0}, residuals);
}

}  // namespace farfield::numerics
