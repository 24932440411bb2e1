// The only user of Eigen's nonlinear module, which takes long to compile.
#include "numerics/nonlinear_search.hpp"

#include <Eigen/Dense>
#include <unsupported/Eigen/NonLinearOptimization>

#include <cmath>
#include <limits>
#include <utility>

#include "numerics/fit_measures.hpp"

namespace farfield::numerics {

namespace {

// The points in the form that MINPACK's search requires.
class MinpackFunction {
public:
    using Scalar = double;
    using InputType = Eigen::VectorXd;
    using ValueType = Eigen::VectorXd;
    using JacobianType = Eigen::MatrixXd;
    enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

    explicit MinpackFunction(SearchPoints& points) : points_(points) {}
    int inputs() const { return points_.inputs(); }
    int values() const { return points_.values(); }
    int operator()(const InputType& parameters, ValueType& residuals) {
        points_.residuals_at(parameters, residuals);
        return 0;
    }
    // A negative result ends the search.
    int df(const InputType& parameters, JacobianType& derivatives) {
        return points_.derivatives_at(parameters, derivatives) ? 0 : -1;
    }

private:
    SearchPoints& points_;
};

/// The largest change of a parameter relative to it.
double relative_step(const Fit& step, const Eigen::VectorXd& parameters) {
    double largest = 0;
    for (Eigen::Index j = 0; j < parameters.size(); ++j) {
        const double change = std::fabs(step.parameters[static_cast<std::size_t>(j)]);
        if (change > 0) largest = std::max(largest, change / std::fabs(parameters(j)));
    }
    return std::isnan(step.parameters.front()) ? std::numeric_limits<double>::quiet_NaN() : largest;
}

/// Takes Gauss-Newton steps from a point near the solution, where the steps shrink steadily; stops when they are
/// rounding errors.
Linearisation polish(const SearchPoints& points, Eigen::VectorXd& parameters, NonlinearFit& result) {
    Linearisation current = points.linearised(parameters);
    double size = relative_step(current.step, parameters);
    for (int round = 0; round < 50 && size > 1e-16 && size < 1e-3; ++round) {
        const Eigen::VectorXd next =
            parameters + Eigen::Map<const Eigen::VectorXd>(current.step.parameters.data(), parameters.size());
        Linearisation trial = points.linearised(next);
        ++result.evaluations;
        ++result.jacobian_evaluations;
        const double trial_size = relative_step(trial.step, next);
        if (!(trial_size < 0.9 * size) || !(trial.step.rmse <= current.step.rmse * (1 + 1e-9))) break;
        parameters = next;
        current = std::move(trial);
        size = trial_size;
    }
    return current;
}

/// The measures of the linear model, corrected for the model itself; `weights` is their sum.
Fit measured(const Linearisation& last, const Eigen::VectorXd& parameters, double weights) {
    Fit fit = last.step;
    fit.parameters.assign(parameters.begin(), parameters.end());
    fit.points = last.residuals.points;
    fit.r2 = fit.deviation = std::numeric_limits<double>::quiet_NaN();
    measure_residuals(last.residuals, weights, fit);
    return fit;
}

NonlinearFit not_finite(std::size_t parameters, std::size_t points) {
    NonlinearFit result;
    result.outcome = Outcome::not_finite;
    result.fit.points = points;
    all_unknown(result.fit, parameters);
    result.fit.condition = std::numeric_limits<double>::quiet_NaN();
    return result;
}

}  // namespace

NonlinearFit search(SearchPoints& points, const std::vector<double>& start, const NonlinearOptions& options) {
    Eigen::VectorXd parameters =
        Eigen::Map<const Eigen::VectorXd>(start.data(), static_cast<Eigen::Index>(start.size()));
    if (!points.is_finite_at(parameters)) return not_finite(start.size(), points.count());
    MinpackFunction function(points);
    Eigen::LevenbergMarquardt<MinpackFunction> minimiser(function);
    minimiser.parameters.maxfev = options.max_evaluations;
    minimiser.parameters.ftol = options.tolerance;
    minimiser.parameters.xtol = options.tolerance;
    // With MINPACK's default bound of the first step, 100, the fit of BoxBOD diverges from its first start. With 1, all
    // of NIST's problems converge, and faster.
    minimiser.parameters.factor = 1;
    const Eigen::LevenbergMarquardtSpace::Status status = minimiser.minimize(parameters);
    if (!points.is_finite_at(parameters)) return not_finite(start.size(), points.count());
    NonlinearFit result;
    result.evaluations = static_cast<int>(minimiser.nfev);
    result.jacobian_evaluations = static_cast<int>(minimiser.njev);
    if (status == Eigen::LevenbergMarquardtSpace::TooManyFunctionEvaluation) result.outcome = Outcome::evaluation_limit;
    if (status == Eigen::LevenbergMarquardtSpace::UserAsked) result.outcome = Outcome::not_finite;
    const Linearisation last = polish(points, parameters, result);
    result.fit = measured(last, parameters, points.weights());
    return result;
}

}  // namespace farfield::numerics
