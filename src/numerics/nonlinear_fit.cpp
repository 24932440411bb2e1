#include <Eigen/Dense>
#include <unsupported/Eigen/NonLinearOptimization>

#include "farfield/numerics/least_squares.hpp"
#include "farfield/numerics/sum.hpp"
#include "numerics/precondition.hpp"

namespace farfield::numerics {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// Far worse than any start, and its square is finite: a point that is always turned down.
constexpr double rejected = 1e150;

std::span<const double> view(const Eigen::VectorXd& vector) {
    return {vector.data(), static_cast<std::size_t>(vector.size())};
}

std::size_t check(const NonlinearProblem& problem) {
    const std::size_t rows = problem.data.size();
    if (problem.start.empty()) refuse("numerics::fit_nonlinear", "start", "empty", "one parameter or more");
    if (!problem.weights.empty() && problem.weights.size() != rows) {
        refuse("numerics::fit_nonlinear", "weights", std::to_string(problem.weights.size()) + " numbers",
               std::to_string(rows));
    }
    std::size_t points = problem.weights.empty() ? rows : 0;
    for (const double weight : problem.weights) {
        if (weight < 0) refuse("numerics::fit_nonlinear", "weights", std::to_string(weight), "0 or more");
        points += weight > 0 ? 1 : 0;
    }
    if (points < problem.start.size()) {
        refuse("numerics::fit_nonlinear", "data", std::to_string(points) + " points",
               "as many as parameters, " + std::to_string(problem.start.size()));
    }
    return points;
}

// The problem as MINPACK sees it: weighted residuals, model minus data, and their derivatives.
class Residuals {
public:
    using Scalar = double;
    using InputType = Eigen::VectorXd;
    using ValueType = Eigen::VectorXd;
    using JacobianType = Eigen::MatrixXd;
    enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

    explicit Residuals(const NonlinearProblem& problem) : problem_(problem), roots_(values()) {
        for (Eigen::Index i = 0; i < values(); ++i) {
            roots_(i) = problem.weights.empty() ? 1 : std::sqrt(problem.weights[static_cast<std::size_t>(i)]);
        }
    }

    int inputs() const { return static_cast<int>(problem_.start.size()); }
    int values() const { return static_cast<int>(problem_.data.size()); }

    int operator()(const InputType& parameters, ValueType& residuals) const {
        problem_.model(view(parameters), {residuals.data(), problem_.data.size()});
        const Eigen::Map<const Eigen::VectorXd> data(problem_.data.data(), values());
        residuals = (residuals - data).cwiseProduct(roots_).eval();
        if (!residuals.allFinite()) residuals.setConstant(rejected);
        return 0;
    }

    int df(const InputType& parameters, JacobianType& derivatives) const {
        problem_.jacobian(view(parameters), {derivatives.data(), static_cast<std::size_t>(derivatives.size())});
        derivatives.array().colwise() *= roots_.array();
        // A negative answer ends the search.
        return derivatives.allFinite() ? 0 : -1;
    }

private:
    const NonlinearProblem& problem_;
    Eigen::VectorXd roots_;
};

// The model made linear at `parameters`, fitted: its parameters are the Gauss-Newton step.
class Linearisation {
public:
    Linearisation(const NonlinearProblem& problem, const Eigen::VectorXd& parameters)
        : residuals(problem.data.size()), derivatives_(problem.data.size() * problem.start.size()) {
        problem.model(view(parameters), residuals);
        problem.jacobian(view(parameters), derivatives_);
        for (std::size_t i = 0; i < residuals.size(); ++i) residuals[i] = problem.data[i] - residuals[i];
        LinearProblem linear{{}, residuals, {}, problem.weights};
        const std::span<const double> all(derivatives_);
        for (std::size_t j = 0; j < problem.start.size(); ++j) {
            linear.columns.push_back(all.subspan(j * residuals.size(), residuals.size()));
        }
        step = fit_linear(linear);
    }

    /// Largest change of a parameter relative to it.
    double relative_step(const Eigen::VectorXd& parameters) const {
        double largest = 0;
        for (Eigen::Index j = 0; j < parameters.size(); ++j) {
            const double change = std::fabs(step.parameters[static_cast<std::size_t>(j)]);
            if (change > 0) largest = std::max(largest, change / std::fabs(parameters(j)));
        }
        return std::isnan(step.parameters.front()) ? unknown : largest;
    }

    std::vector<double> residuals;
    Fit step;

private:
    std::vector<double> derivatives_;
};

// Gauss-Newton steps from a point so near the solution that they shrink steadily; stops at rounding errors.
Linearisation polish(const NonlinearProblem& problem, Eigen::VectorXd& parameters, NonlinearFit& result) {
    Linearisation current(problem, parameters);
    double size = current.relative_step(parameters);
    for (int round = 0; round < 50 && size > 1e-16 && size < 1e-3; ++round) {
        const Eigen::VectorXd next =
            parameters + Eigen::Map<const Eigen::VectorXd>(current.step.parameters.data(), parameters.size());
        Linearisation trial(problem, next);
        ++result.evaluations;
        ++result.jacobian_evaluations;
        const double trial_size = trial.relative_step(next);
        if (!(trial_size < 0.9 * size) || !(trial.step.rmse <= current.step.rmse * (1 + 1e-9))) break;
        parameters = next;
        current = std::move(trial);
        size = trial_size;
    }
    return current;
}

double spread_of(const NonlinearProblem& problem, const std::vector<double>& weights) {
    const double mean = compensated_dot(weights, problem.data) / compensated_sum(weights);
    Accumulator spread;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        spread.add(weights[i] * (problem.data[i] - mean) * (problem.data[i] - mean));
    }
    return spread.total();
}

// What fit_linear measured of the linear model, put right for the model itself.
Fit measured(const NonlinearProblem& problem, const Eigen::VectorXd& parameters, const Linearisation& last) {
    Fit fit = last.step;
    fit.parameters.assign(parameters.begin(), parameters.end());
    std::vector<double> weights(problem.weights.begin(), problem.weights.end());
    if (weights.empty()) weights.assign(problem.data.size(), 1);
    Accumulator squares;
    fit.max_error = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double residual = last.residuals[i];
        squares.add(weights[i] * residual * residual);
        if (weights[i] > 0) fit.max_error = std::max(fit.max_error, std::fabs(residual));
    }
    const double spread = spread_of(problem, weights);
    fit.rmse = std::sqrt(squares.total() / compensated_sum(weights));
    fit.r2 = spread > 0 ? 1 - squares.total() / spread : unknown;
    const std::size_t spare = fit.points - problem.start.size();
    fit.deviation = spare > 0 ? std::sqrt(squares.total() / static_cast<double>(spare)) : unknown;
    return fit;
}

bool is_finite_at(const NonlinearProblem& problem, const Eigen::VectorXd& parameters) {
    Eigen::VectorXd values(static_cast<Eigen::Index>(problem.data.size()));
    Eigen::MatrixXd derivatives(values.size(), parameters.size());
    problem.model(view(parameters), {values.data(), problem.data.size()});
    problem.jacobian(view(parameters), {derivatives.data(), static_cast<std::size_t>(derivatives.size())});
    return values.allFinite() && derivatives.allFinite();
}

NonlinearFit not_finite(const NonlinearProblem& problem, std::size_t points) {
    NonlinearFit result;
    result.outcome = Outcome::not_finite;
    result.fit.points = points;
    result.fit.parameters.assign(problem.start.size(), unknown);
    result.fit.standard_errors = result.fit.parameters;
    result.fit.r2 = result.fit.rmse = result.fit.deviation = result.fit.max_error = result.fit.condition = unknown;
    return result;
}

}  // namespace

NonlinearFit fit_nonlinear(const NonlinearProblem& problem, const NonlinearOptions& options) {
    const std::size_t points = check(problem);
    Eigen::VectorXd parameters =
        Eigen::Map<const Eigen::VectorXd>(problem.start.data(), static_cast<Eigen::Index>(problem.start.size()));
    if (!is_finite_at(problem, parameters)) return not_finite(problem, points);
    Residuals residuals(problem);
    Eigen::LevenbergMarquardt<Residuals> search(residuals);
    search.parameters.maxfev = options.max_evaluations;
    search.parameters.ftol = options.tolerance;
    search.parameters.xtol = options.tolerance;
    // MINPACK's own first step bound, 100, throws BoxBOD off its first start; 1 reaches all of NIST's problems, and
    // sooner.
    search.parameters.factor = 1;
    const Eigen::LevenbergMarquardtSpace::Status status = search.minimize(parameters);
    if (!is_finite_at(problem, parameters)) return not_finite(problem, points);
    NonlinearFit result;
    result.evaluations = static_cast<int>(search.nfev);
    result.jacobian_evaluations = static_cast<int>(search.njev);
    if (status == Eigen::LevenbergMarquardtSpace::TooManyFunctionEvaluation) result.outcome = Outcome::evaluation_limit;
    if (status == Eigen::LevenbergMarquardtSpace::UserAsked) result.outcome = Outcome::not_finite;
    const Linearisation last = polish(problem, parameters, result);
    result.fit = measured(problem, parameters, last);
    return result;
}

}  // namespace farfield::numerics
