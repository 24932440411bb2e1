// The search of a nonlinear fit, with its points in memory or only their sums.
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <vector>

#include "farfield/numerics/least_squares.hpp"

namespace farfield::numerics {

/// The residual of a point that must be rejected. It is far worse than that of any start, and its square is finite.
constexpr double rejected = 1e150;

inline std::span<const double> view(const Eigen::VectorXd& vector) {
    return {vector.data(), static_cast<std::size_t>(vector.size())};
}

/// A model at some parameters: the sums of its residuals, and the fit of the model linearized there, whose parameters
/// are the Gauss-Newton step.
struct Linearisation {
    FitResiduals residuals;
    Fit step;
};

/// The points of a fit as MINPACK's search uses them.
class SearchPoints {
public:
    SearchPoints() = default;
    SearchPoints(const SearchPoints&) = delete;
    SearchPoints& operator=(const SearchPoints&) = delete;
    virtual ~SearchPoints() = default;

    virtual int inputs() const = 0;  ///< parameters
    virtual int values() const = 0;  ///< rows of residuals and derivatives
    /// The residuals at these parameters, all `rejected` where the model is not finite.
    virtual void residuals_at(const Eigen::VectorXd& parameters, Eigen::VectorXd& residuals) = 0;
    /// The derivatives of the residuals, and whether they are finite.
    virtual bool derivatives_at(const Eigen::VectorXd& parameters, Eigen::MatrixXd& derivatives) = 0;
    /// Whether the model and its derivatives are finite.
    virtual bool is_finite_at(const Eigen::VectorXd& parameters) = 0;
    virtual Linearisation linearised(const Eigen::VectorXd& parameters) const = 0;
    virtual double weights() const = 0;     ///< their sum
    virtual std::size_t count() const = 0;  ///< points that have a weight
};

/// Runs Levenberg-Marquardt from `start`, then Gauss-Newton steps until the steps are rounding errors.
NonlinearFit search(SearchPoints& points, const std::vector<double>& start, const NonlinearOptions& options);

}  // namespace farfield::numerics
