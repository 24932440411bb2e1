// The measures of a linear fit, independent of how its triangle was computed.
#pragma once

#include <Eigen/Dense>

#include <cmath>
#include <limits>

#include "farfield/numerics/least_squares.hpp"

namespace farfield::numerics {

template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
template <class Scalar>
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

/// The condition and rank of a square matrix whose columns have length 1 or 0.
void measure_columns(const Eigen::MatrixXd& scaled, Fit& fit);

/// The condition and rank of the triangle with its columns scaled to length 1; a column of zeros stays.
template <class Scalar>
void measure_triangle(const Matrix<Scalar>& triangle, Fit& fit) {
    Eigen::MatrixXd scaled = triangle.template cast<double>();
    for (Eigen::Index j = 0; j < scaled.cols(); ++j) {
        const Scalar length = triangle.col(j).stableNorm();
        if (length > 0) scaled.col(j) = (triangle.col(j) / length).template cast<double>();
    }
    measure_columns(scaled, fit);
}

inline void all_unknown(Fit& fit, std::size_t parameters) {
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    fit.parameters.assign(parameters, unknown);
    fit.standard_errors.assign(parameters, unknown);
    fit.r2 = fit.rmse = fit.deviation = fit.max_error = unknown;
}

/// All but the parameters; `weights` is their sum.
inline void measure_residuals(const FitResiduals& sums, double weights, Fit& fit) {
    const std::size_t parameters = fit.parameters.size();
    if (sums.points > parameters)
        fit.deviation = std::sqrt(sums.squares / static_cast<double>(sums.points - parameters));
    fit.rmse = std::sqrt(sums.squares / weights);
    if (sums.spread > 0) fit.r2 = 1 - sums.squares / sums.spread;
    fit.max_error = sums.largest;
}

/// `inverse` is that of the triangle.
template <class Scalar>
void set_parameters(const Vector<Scalar>& parameters, const Matrix<Scalar>& inverse, Fit& fit) {
    for (Eigen::Index j = 0; j < parameters.size(); ++j) {
        fit.parameters[static_cast<std::size_t>(j)] = static_cast<double>(parameters(j));
        fit.standard_errors[static_cast<std::size_t>(j)] =
            fit.deviation * static_cast<double>(inverse.row(j).stableNorm());
    }
}

}  // namespace farfield::numerics
