// Linear fits from sums of products.
#include "numerics/product_fit.hpp"

#include "numerics/fit_measures.hpp"
#include "numerics/precondition.hpp"

namespace farfield::numerics {

namespace {

/// A pivot below this share of its product is zero up to rounding errors.
constexpr double negligible = 0x1p-94;

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
    std::vector<std::vector<DoubleDouble>> triangle(size, std::vector<DoubleDouble>(size));
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

Fit fit_linear(const FitProducts& products,
               const std::function<FitResiduals(std::span<const double> parameters)>& residuals) {
    const std::size_t columns = products.columns;
    const std::size_t wanted = (columns + 2) * (columns + 3) / 2;
    if (columns == 0) refuse("numerics::fit_linear", "columns", "0", "one column or more");
    if (products.entries.size() != wanted)
        refuse("numerics::fit_linear", "entries", std::to_string(products.entries.size()), std::to_string(wanted));
    Fit fit;
    all_unknown(fit, columns);
    if (!all_finite(products)) {
        fit.condition = std::numeric_limits<double>::quiet_NaN();
        return fit;
    }
    const auto size = static_cast<Eigen::Index>(columns);
    const std::vector<std::vector<DoubleDouble>> factors = factors_of(products);
    Matrix<long double> triangle = Matrix<long double>::Zero(size, size);
    Vector<long double> right(size);
    for (std::size_t i = 0; i < columns; ++i) {
        for (std::size_t j = i; j < columns; ++j)
            triangle(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
                static_cast<long double>(factors[i][j].hi) + factors[i][j].lo;
        right(static_cast<Eigen::Index>(i)) = static_cast<long double>(factors[i][columns].hi) + factors[i][columns].lo;
    }
    measure_triangle(triangle, fit);
    if (fit.rank < columns) return fit;
    const auto upper = triangle.template triangularView<Eigen::Upper>();
    const Vector<long double> parameters = upper.solve(right);
    const std::vector<double> rounded(parameters.begin(), parameters.end());
    const FitResiduals sums = residuals(rounded);
    fit.points = sums.points;
    measure_residuals(sums, weights_of(products), fit);
    set_parameters<long double>(parameters, upper.solve(Matrix<long double>::Identity(size, size)), fit);
    return fit;
}

}  // namespace farfield::numerics
