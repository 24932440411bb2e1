// Nonlinear fits from sums of products.
#include "numerics/nonlinear_search.hpp"
#include "numerics/precondition.hpp"
#include "numerics/product_fit.hpp"

namespace farfield::numerics {

namespace {

// The problem in one row more than there are parameters. The search uses only products of residuals and derivatives,
// and the Cholesky factors have the same products.
class SummedPoints final : public SearchPoints {
public:
    explicit SummedPoints(const SummedModel& model) : model_(model) {}

    int inputs() const override { return static_cast<int>(model_.start.size()); }
    int values() const override { return inputs() + 1; }
    std::size_t count() const override { return count_; }
    double weights() const override { return weights_of(products_); }

    void residuals_at(const Eigen::VectorXd& parameters, Eigen::VectorXd& residuals) override {
        look_at(parameters);
        if (is_finite_)
            residuals = -factors_.col(inputs());
        else
            residuals.setConstant(rejected);
    }

    bool derivatives_at(const Eigen::VectorXd& parameters, Eigen::MatrixXd& derivatives) override {
        look_at(parameters);
        derivatives = factors_.leftCols(inputs());
        return is_finite_;
    }

    bool is_finite_at(const Eigen::VectorXd& parameters) override {
        look_at(parameters);
        return is_finite_;
    }

    Linearisation linearised(const Eigen::VectorXd& parameters) const override {
        const FitProducts products = model_.linearise(view(parameters));
        const std::vector<double> no_step(model_.start.size());
        return {model_.residuals(no_step), fit_linear(products, model_.residuals)};
    }

    /// The number of points, which is known after the model was linearized.
    std::size_t count_points(const Eigen::VectorXd& parameters) {
        look_at(parameters);
        const std::vector<double> no_step(model_.start.size());
        return count_ = model_.residuals(no_step).points;
    }

private:
    // The search requests the derivatives at the point at which it has just requested the residuals.
    void look_at(const Eigen::VectorXd& parameters) {
        if (parameters_.size() == parameters.size() && parameters_ == parameters) return;
        parameters_ = parameters;
        products_ = model_.linearise(view(parameters));
        is_finite_ = all_finite(products_);
        if (!is_finite_) return;
        const std::vector<std::vector<DoubleDouble>> triangle = factors_of(products_);
        factors_.resize(values(), values());
        for (Eigen::Index i = 0; i < factors_.rows(); ++i) {
            for (Eigen::Index j = 0; j < factors_.cols(); ++j)
                factors_(i, j) = triangle[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].hi;
        }
    }

    const SummedModel& model_;
    std::size_t count_ = 0;
    Eigen::VectorXd parameters_;
    FitProducts products_;
    bool is_finite_ = false;
    Eigen::MatrixXd factors_;  ///< the factors of the derivatives and, in the last column, of data minus model
};

}  // namespace

NonlinearFit fit_nonlinear(const SummedModel& model, const NonlinearOptions& options) {
    const std::size_t parameters = model.start.size();
    if (parameters == 0) refuse("numerics::fit_nonlinear", "start", "empty", "one parameter or more");
    SummedPoints points(model);
    const std::size_t count = points.count_points(
        Eigen::Map<const Eigen::VectorXd>(model.start.data(), static_cast<Eigen::Index>(parameters)));
    if (count < parameters) {
        refuse("numerics::fit_nonlinear", "residuals", std::to_string(count) + " points",
               "as many as parameters, " + std::to_string(parameters));
    }
    return search(points, model.start, options);
}

}  // namespace farfield::numerics
