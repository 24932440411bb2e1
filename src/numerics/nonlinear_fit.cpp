#include <algorithm>

#include "farfield/numerics/sum.hpp"
#include "numerics/nonlinear_search.hpp"
#include "numerics/precondition.hpp"

namespace farfield::numerics {

namespace {

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

// Weighted residuals, model minus data, and their derivatives.
class PointsAtHand final : public SearchPoints {
public:
    PointsAtHand(const NonlinearProblem& problem, std::size_t count) : problem_(problem), roots_(values()) {
        std::vector<double> weights(problem.weights.begin(), problem.weights.end());
        if (weights.empty()) weights.assign(problem.data.size(), 1);
        for (Eigen::Index i = 0; i < values(); ++i) roots_(i) = std::sqrt(weights[static_cast<std::size_t>(i)]);
        weights_ = compensated_sum(weights);
        sums_.points = count;
        const double mean = compensated_dot(weights, problem.data) / weights_;
        Accumulator spread;
        for (std::size_t i = 0; i < weights.size(); ++i)
            spread.add(weights[i] * (problem.data[i] - mean) * (problem.data[i] - mean));
        sums_.spread = spread.total();
    }

    int inputs() const override { return static_cast<int>(problem_.start.size()); }
    int values() const override { return static_cast<int>(problem_.data.size()); }
    std::size_t count() const override { return sums_.points; }
    double weights() const override { return weights_; }

    void residuals_at(const Eigen::VectorXd& parameters, Eigen::VectorXd& residuals) override {
        problem_.model(view(parameters), {residuals.data(), problem_.data.size()});
        const Eigen::Map<const Eigen::VectorXd> data(problem_.data.data(), values());
        residuals = (residuals - data).cwiseProduct(roots_).eval();
        if (!residuals.allFinite()) residuals.setConstant(rejected);
    }

    bool derivatives_at(const Eigen::VectorXd& parameters, Eigen::MatrixXd& derivatives) override {
        problem_.jacobian(view(parameters), {derivatives.data(), static_cast<std::size_t>(derivatives.size())});
        derivatives.array().colwise() *= roots_.array();
        return derivatives.allFinite();
    }

    bool is_finite_at(const Eigen::VectorXd& parameters) override {
        Eigen::VectorXd model(values());
        Eigen::MatrixXd derivatives(values(), inputs());
        problem_.model(view(parameters), {model.data(), problem_.data.size()});
        problem_.jacobian(view(parameters), {derivatives.data(), static_cast<std::size_t>(derivatives.size())});
        return model.allFinite() && derivatives.allFinite();
    }

    Linearisation linearised(const Eigen::VectorXd& parameters) const override {
        std::vector<double> residuals(problem_.data.size());
        std::vector<double> derivatives(residuals.size() * problem_.start.size());
        problem_.model(view(parameters), residuals);
        problem_.jacobian(view(parameters), derivatives);
        for (std::size_t i = 0; i < residuals.size(); ++i) residuals[i] = problem_.data[i] - residuals[i];
        LinearProblem linear{{}, residuals, {}, problem_.weights};
        const std::span<const double> all(derivatives);
        for (std::size_t j = 0; j < problem_.start.size(); ++j)
            linear.columns.push_back(all.subspan(j * residuals.size(), residuals.size()));
        return {sums_of(residuals), fit_linear(linear)};
    }

private:
    FitResiduals sums_of(const std::vector<double>& residuals) const {
        FitResiduals sums = sums_;
        Accumulator squares;
        for (std::size_t i = 0; i < residuals.size(); ++i) {
            const double weight = problem_.weights.empty() ? 1 : problem_.weights[i];
            squares.add(weight * residuals[i] * residuals[i]);
            if (weight > 0) sums.largest = std::max(sums.largest, std::fabs(residuals[i]));
        }
        sums.squares = squares.total();
        return sums;
    }

    const NonlinearProblem& problem_;
    Eigen::VectorXd roots_;
    double weights_ = 0;
    FitResiduals sums_;  ///< the part that does not depend on the parameters
};

}  // namespace

NonlinearFit fit_nonlinear(const NonlinearProblem& problem, const NonlinearOptions& options) {
    PointsAtHand points(problem, check(problem));
    return search(points, problem.start, options);
}

}  // namespace farfield::numerics
