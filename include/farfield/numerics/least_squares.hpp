// Least squares: models linear in their parameters, models that are not, and proven enclosures of linear fits.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "farfield/numerics/double_double.hpp"
#include "farfield/numerics/interval.hpp"

namespace farfield::numerics {

/// The results of every fit. With weights w_i (1 where none are given), residuals r_i = data_i - model_i and n points
/// of positive weight.
struct Fit {
    std::vector<double> parameters;  ///< NaN if the columns are dependent (rank below the number of parameters).
    std::vector<double>
        standard_errors;  ///< deviation times the root of (J' W J)^-1's diagonal; NaN without a spare point.
    double r2 = 0;    ///< 1 - sum w r^2 / sum w (data - mean)^2, about the weighted mean; NaN if all data are equal.
    double rmse = 0;  ///< Root of sum w r^2 / sum w.
    double deviation =
        0;  ///< Root of sum w r^2 / (n - parameters): the residual standard deviation. NaN for n = parameters.
    double max_error = 0;    ///< Largest |r_i|.
    double condition = 0;    ///< 2-norm condition number of the design (or Jacobian) with columns scaled to length 1.
    std::size_t rank = 0;    ///< How many singular values of it exceed 2^-52 times the number of columns.
    std::size_t points = 0;  ///< n.
};

/// A model linear in its parameters: model_i = offset_i + sum_j parameter_j columns[j][i].
struct LinearProblem {
    std::vector<std::span<const double>> columns;  ///< One a parameter, as long as data.
    std::span<const double> data;
    std::span<const double> offset = {};   ///< The part of the model without parameters; empty for none.
    std::span<const double> weights = {};  ///< Not negative; empty for 1.
};

/// The parameters that make sum w r^2 least. Up to two million rows times squared parameters, they are computed from
/// products with twice the digits of double: relative to the given doubles, they err by about 2^-53 plus squared
/// condition times 2^-98, on every machine alike. Longer fits use Householder QR in double and err by about condition
/// times 2^-53. Sums over blocks of rows are put together in a fixed order, so the digits do not depend on the number
/// of threads. A not finite input makes all NaN. Cost: rows times squared parameters, and two readings of the columns.
/// Throws core::PreconditionError for lengths that differ, no columns, fewer points than parameters or a negative
/// weight.
Fit fit_linear(const LinearProblem& problem);

/// The sums over the points that a linear fit needs, computed by the caller.
struct FitProducts {
    std::size_t columns = 0;
    /// sum w x_i x_j, i <= j, row after row, where the x are the columns, 1 and the data without the offset.
    std::vector<DoubleDouble> entries;
};

/// Sums over residuals r with given parameters.
struct FitResiduals {
    double squares = 0;      ///< sum w r^2
    double spread = 0;       ///< sum w (data - mean)^2, about their own weighted mean
    double largest = 0;      ///< Largest |r| of positive weight.
    std::size_t points = 0;  ///< Of positive weight.
};

/// The same fit by Cholesky's factors of the products, in 113 bits: where the products are good to 2^-100, parameters
/// err by about condition times 2^-53 as long as that is below 2^48. `residuals` is called once, or not at all where
/// the columns are dependent. Throws core::PreconditionError for no columns or products that are not theirs.
Fit fit_linear(const FitProducts& products,
               const std::function<FitResiduals(std::span<const double> parameters)>& residuals);

/// A model of any kind, by callbacks that fill their last argument.
struct NonlinearProblem {
    std::function<void(std::span<const double> parameters, std::span<double> values)> model;
    /// Derivatives of the values, column-major: [parameter][point].
    std::function<void(std::span<const double> parameters, std::span<double> derivatives)> jacobian;
    std::vector<double> start;
    std::span<const double> data;
    std::span<const double> weights = {};  ///< Not negative; empty for 1.
};

struct NonlinearOptions {
    int max_evaluations = 20000;  ///< Of the model; the derivatives are asked for less often.
    double tolerance = 1e-15;     ///< Relative change of parameters, or of the sum of squares, at which iteration ends.
};

/// Why iteration ended.
enum class Outcome {
    converged,         ///< No step makes the sum of squares relevantly smaller.
    evaluation_limit,  ///< max_evaluations were used up; the best parameters so far are given.
    not_finite,        ///< The model or its derivatives are not finite at the start, or at the end.
};

struct NonlinearFit {
    Fit fit;
    Outcome outcome = Outcome::converged;
    int evaluations = 0;  ///< Of the model.
    int jacobian_evaluations = 0;
};

/// The parameters at a least sum w r^2 near `start`, by Levenberg and Marquardt's method in More's form (MINPACK's
/// lmder) and, at the end, Gauss-Newton steps as long as they shrink. A trial point where the model is not finite is
/// rejected. Accuracy: 9 or more of the 11 certified digits of all 27 nonlinear problems of NIST, from both starts.
/// Errors as for fit_linear; standard errors and condition are those of the model linearized at the solution.
NonlinearFit fit_nonlinear(const NonlinearProblem& problem, const NonlinearOptions& options = {});

/// A model of any kind whose sums over the points are computed by the caller.
struct SummedModel {
    /// The products of the model linearized at the parameters: the columns are its derivatives, and the data are the
    /// data minus its values. Not finite where the model is not finite.
    std::function<FitProducts(std::span<const double> parameters)> linearise;
    /// The residuals after a step in the model that was linearized last: data - model - sum step_j derivative_j.
    std::function<FitResiduals(std::span<const double> step)> residuals;
    std::vector<double> start;
};

/// The same search from sums only. It uses only the products of residuals and derivatives, which are also sufficient
/// for the Cholesky factors. With products accurate to 2^-100, NIST's problems have the same digits as with their
/// points. Derivatives are computed at each trial point. Throws core::PreconditionError for an empty start, fewer
/// points than parameters or products that are not theirs.
NonlinearFit fit_nonlinear(const SummedModel& model, const NonlinearOptions& options = {});

/// Proven enclosures of a linear fit.
struct EnclosedFit {
    std::vector<Interval> parameters;
    Interval r2;
    Interval rmse;
    Interval max_error;
    Interval points;  ///< How many weights are positive.
};

/// A linear problem whose columns, data, offset and weights are known as enclosures.
struct EnclosedProblem {
    std::vector<std::span<const Interval>> columns;
    std::span<const Interval> data;
    std::span<const Interval> offset = {};   ///< The part of the model without parameters; empty for none.
    std::span<const Interval> weights = {};  ///< Empty for 1.
};

/// Intervals that contain the parameters, r2, rmse and largest residual of the least-squares fit of every real problem
/// inside the enclosures; rigorous. Nothing where that could not be proven: columns (nearly) dependent for some problem
/// inside, an input undefined or infinite, or a weight that may be negative. r2 is undefined where all data may be
/// equal. Krawczyk's operator on the normal equations about an approximate solution, at 192 bits; widths are about the
/// condition number squared times those of the inputs. Cost: rows times squared parameters, a microsecond each. Errors
/// as for fit_linear.
std::optional<EnclosedFit> enclosed_linear_fit(const EnclosedProblem& problem);

}  // namespace farfield::numerics
