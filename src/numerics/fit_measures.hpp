// The measures of a linear fit, independent of how its triangle was computed.
#pragma once

#include <Eigen/Dense>

#include <cmath>
#include <limits>

#include "farfield/numerics/least_squares.hpp"

namespace farfield::numerics {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// The condition and rank of a square matrix whose columns have length 1 or 0.
void measure_columns(const Matrix& scaled, Fit& fit);

/// The condition and rank of the triangle with its columns scaled to length 1; a column of zeros stays.
inline void measure_triangle(const Matrix& triangle, Fit& fit) {
    Matrix scaled = triangle;
    for (Eigen::Index j = 0; j < scaled.cols(); ++j) {
        const double length = triangle.col(j).stableNorm();
        if (length > 0) scaled.col(j) = triangle.col(j) / length;
    }
    measure_columns(scaled, fit);
}

inline void all_unknown(Fit& fit, std::size_t parameters) {
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    fit.parameters.assign(parameters, unknown);
    fit.standard_errors.assign(parameters, unknown);
    fit.r2 = fit.rmse = fit.deviation = fit.max_error = unknown;
}

/// Whether a sum of squares has all digits of a double: it did not overflow, and its terms are not subnormal.
inline bool has_digits(double squares) {
    return squares >= 0x1p-960 && std::isfinite(squares);
}

/// All but the parameters; `weights` is their sum. Measures whose squares overflow or underflow stay unknown.
inline void measure_residuals(const FitResiduals& sums, double weights, Fit& fit) {
    const std::size_t parameters = fit.parameters.size();
    fit.max_error = sums.largest;
    if (sums.largest > 0 && !has_digits(sums.squares)) return;
    if (sums.points > parameters)
        fit.deviation = std::sqrt(sums.squares / static_cast<double>(sums.points - parameters));
    fit.rmse = std::sqrt(sums.squares / weights);
    if (has_digits(sums.spread)) fit.r2 = 1 - sums.squares / sums.spread;
}

}  // namespace farfield::numerics
