#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "farfield/core/error.hpp"
#include "farfield/numerics/least_squares.hpp"
#include "numerics/nist.hpp"
#include "numerics/products.hpp"
#include "support/trials.hpp"

using namespace farfield::numerics;

namespace {

// A number with its derivatives by the parameters, so that no derivative is written by hand.
struct Dual {
    double value = 0;
    std::vector<double> slopes;
};

Dual constant(double value) {
    return {value, {}};
}

// f(x) where f'(x) is known.
Dual chained(const Dual& x, double value, double slope) {
    Dual result{value, x.slopes};
    for (double& s : result.slopes) s *= slope;
    return result;
}

// The combination a' u + b' v of both derivatives.
Dual combined(double value, const Dual& a, double u, const Dual& b, double v) {
    Dual result{value, std::vector<double>(std::max(a.slopes.size(), b.slopes.size()), 0.0)};
    for (std::size_t j = 0; j < a.slopes.size(); ++j) result.slopes[j] += a.slopes[j] * u;
    for (std::size_t j = 0; j < b.slopes.size(); ++j) result.slopes[j] += b.slopes[j] * v;
    return result;
}

Dual operator+(const Dual& a, const Dual& b) {
    return combined(a.value + b.value, a, 1, b, 1);
}
Dual operator-(const Dual& a, const Dual& b) {
    return combined(a.value - b.value, a, 1, b, -1);
}
Dual operator*(const Dual& a, const Dual& b) {
    return combined(a.value * b.value, a, b.value, b, a.value);
}
Dual operator/(const Dual& a, const Dual& b) {
    return combined(a.value / b.value, a, 1 / b.value, b, -a.value / b.value / b.value);
}
Dual operator+(const Dual& a, double b) {
    return a + constant(b);
}
Dual operator+(double a, const Dual& b) {
    return constant(a) + b;
}
Dual operator-(double a, const Dual& b) {
    return constant(a) - b;
}
Dual operator*(const Dual& a, double b) {
    return a * constant(b);
}
Dual operator*(double a, const Dual& b) {
    return constant(a) * b;
}
Dual operator/(double a, const Dual& b) {
    return constant(a) / b;
}
Dual operator/(const Dual& a, double b) {
    return a / constant(b);
}
Dual operator-(const Dual& a) {
    return constant(0) - a;
}
Dual exp(const Dual& x) {
    return chained(x, std::exp(x.value), std::exp(x.value));
}
Dual sin(const Dual& x) {
    return chained(x, std::sin(x.value), std::cos(x.value));
}
Dual cos(const Dual& x) {
    return chained(x, std::cos(x.value), -std::sin(x.value));
}
Dual atan(const Dual& x) {
    return chained(x, std::atan(x.value), 1 / (1 + x.value * x.value));
}
Dual square(const Dual& x) {
    return x * x;
}
Dual power(const Dual& x, const Dual& y) {
    const double value = std::pow(x.value, y.value);
    return combined(value, x, y.value * std::pow(x.value, y.value - 1), y, value * std::log(x.value));
}

using Parameters = std::vector<Dual>;
using Predictors = std::vector<double>;
using Model = std::function<Dual(const Parameters&, const Predictors&)>;

Dual three_exponentials(const Parameters& b, const Predictors& x) {
    return b[0] * exp(-b[1] * x[0]) + b[2] * exp(-b[3] * x[0]) + b[4] * exp(-b[5] * x[0]);
}

Dual two_bells(const Parameters& b, const Predictors& x) {
    return b[0] * exp(-b[1] * x[0]) + b[2] * exp(-square((x[0] - b[3]) / b[4])) +
           b[5] * exp(-square((x[0] - b[6]) / b[7]));
}

Dual decay_over_line(const Parameters& b, const Predictors& x) {
    return exp(-b[0] * x[0]) / (b[1] + b[2] * x[0]);
}

Dual cubic_over_cubic(const Parameters& b, const Predictors& x) {
    const double t = x[0];
    return (b[0] + b[1] * t + b[2] * (t * t) + b[3] * (t * t * t)) /
           (1.0 + b[4] * t + b[5] * (t * t) + b[6] * (t * t * t));
}

Dual seasons(const Parameters& b, const Predictors& x) {
    const double turn = 2 * 3.14159265358979323846 * x[0];
    return b[0] + b[1] * std::cos(turn / 12) + b[2] * std::sin(turn / 12) + b[4] * cos(turn / b[3]) +
           b[5] * sin(turn / b[3]) + b[7] * cos(turn / b[6]) + b[8] * sin(turn / b[6]);
}

struct Problem {
    std::string name;
    Model model;
};

const std::vector<Problem>& problems() {
    static const std::vector<Problem> rows{
        {"Misra1a", [](const Parameters& b, const Predictors& x) { return b[0] * (1.0 - exp(-b[1] * x[0])); }},
        {"Misra1b",
         [](const Parameters& b, const Predictors& x) { return b[0] * (1.0 - 1.0 / square(1.0 + b[1] * x[0] / 2)); }},
        {"Misra1c", [](const Parameters& b,
                       const Predictors& x) { return b[0] * (1.0 - power(1.0 + 2.0 * b[1] * x[0], constant(-0.5))); }},
        {"Misra1d", [](const Parameters& b, const Predictors& x) { return b[0] * b[1] * x[0] / (1.0 + b[1] * x[0]); }},
        {"Chwirut1", decay_over_line},
        {"Chwirut2", decay_over_line},
        {"DanWood", [](const Parameters& b, const Predictors& x) { return b[0] * power(constant(x[0]), b[1]); }},
        {"Lanczos1", three_exponentials},
        {"Lanczos2", three_exponentials},
        {"Lanczos3", three_exponentials},
        {"Gauss1", two_bells},
        {"Gauss2", two_bells},
        {"Gauss3", two_bells},
        {"Kirby2",
         [](const Parameters& b, const Predictors& x) {
             const double t = x[0];
             return (b[0] + b[1] * t + b[2] * (t * t)) / (1.0 + b[3] * t + b[4] * (t * t));
         }},
        {"Hahn1", cubic_over_cubic},
        {"Thurber", cubic_over_cubic},
        {"Nelson", [](const Parameters& b, const Predictors& x) { return b[0] - b[1] * x[0] * exp(-b[2] * x[1]); }},
        {"MGH17", [](const Parameters& b,
                     const Predictors& x) { return b[0] + b[1] * exp(-x[0] * b[3]) + b[2] * exp(-x[0] * b[4]); }},
        {"MGH09",
         [](const Parameters& b, const Predictors& x) {
             const double t = x[0];
             return b[0] * (t * t + t * b[1]) / (t * t + t * b[2] + b[3]);
         }},
        {"MGH10", [](const Parameters& b, const Predictors& x) { return b[0] * exp(b[1] / (x[0] + b[2])); }},
        {"Roszman1",
         [](const Parameters& b, const Predictors& x) {
             return b[0] - b[1] * x[0] - atan(b[2] / (x[0] - b[3])) / 3.14159265358979323846;
         }},
        {"ENSO", seasons},
        {"Rat42", [](const Parameters& b, const Predictors& x) { return b[0] / (1.0 + exp(b[1] - b[2] * x[0])); }},
        {"Rat43", [](const Parameters& b,
                     const Predictors& x) { return b[0] / power(1.0 + exp(b[1] - b[2] * x[0]), 1.0 / b[3]); }},
        {"Bennett5", [](const Parameters& b, const Predictors& x) { return b[0] * power(b[1] + x[0], -1.0 / b[2]); }},
        {"Eckerle4", [](const Parameters& b,
                        const Predictors& x) { return b[0] / b[1] * exp(-0.5 * square((x[0] - b[2]) / b[1])); }},
        {"BoxBOD", [](const Parameters& b, const Predictors& x) { return b[0] * (1.0 - exp(-b[1] * x[0])); }},
    };
    return rows;
}

Dual at(const Model& model, const nist::Dataset& set, std::span<const double> parameters, std::size_t point) {
    Parameters b;
    for (std::size_t j = 0; j < parameters.size(); ++j) {
        Dual parameter{parameters[j], std::vector<double>(parameters.size(), 0.0)};
        parameter.slopes[j] = 1;
        b.push_back(parameter);
    }
    Predictors x;
    for (const std::vector<double>& predictor : set.x) x.push_back(predictor[point]);
    return model(b, x);
}

NonlinearProblem to_problem(const Model& model, const nist::Dataset& set, std::size_t start) {
    NonlinearProblem problem;
    problem.data = set.y;
    for (const nist::Parameter& parameter : set.parameters) problem.start.push_back(parameter.starts.at(start));
    problem.model = [&](std::span<const double> parameters, std::span<double> values) {
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = at(model, set, parameters, i).value;
    };
    problem.jacobian = [&](std::span<const double> parameters, std::span<double> derivatives) {
        const std::size_t points = set.y.size();
        for (std::size_t i = 0; i < points; ++i) {
            const Dual value = at(model, set, parameters, i);
            for (std::size_t j = 0; j < parameters.size(); ++j) derivatives[j * points + i] = value.slopes[j];
        }
    };
    return problem;
}

// A problem as sums alone.
class Summed {
public:
    explicit Summed(const NonlinearProblem& problem) : problem_(problem) {}

    SummedModel model() {
        return {[this](std::span<const double> parameters) { return linearise(parameters); },
                [this](std::span<const double> step) { return residuals_of(columns_, data_, whole(), step); },
                problem_.start};
    }

private:
    FitProducts linearise(std::span<const double> parameters) {
        const std::size_t points = problem_.data.size();
        std::vector<double> derivatives(points * parameters.size());
        data_.resize(points);
        problem_.model(parameters, data_);
        for (std::size_t i = 0; i < points; ++i) data_[i] = problem_.data[i] - data_[i];
        problem_.jacobian(parameters, derivatives);
        columns_.clear();
        for (auto at = derivatives.begin(); at != derivatives.end(); at += static_cast<std::ptrdiff_t>(points))
            columns_.emplace_back(at, at + static_cast<std::ptrdiff_t>(points));
        return products_of(columns_, data_);
    }
    std::vector<double> whole() const { return {problem_.data.begin(), problem_.data.end()}; }

    NonlinearProblem problem_;
    Columns columns_;
    std::vector<double> data_;
};

using FitOf = std::function<NonlinearFit(const NonlinearProblem&)>;

NonlinearFit fit_by_sums(const NonlinearProblem& problem) {
    return fit_nonlinear(Summed(problem).model());
}

void check_nist(const FitOf& fit_of) {
    for (const Problem& row : problems()) {
        nist::Dataset set = nist::read("nonlinear", row.name);
        // Nelson's model is one of log y.
        for (double& y : set.y) y = row.name == "Nelson" ? std::log(y) : y;
        for (const std::size_t start : {std::size_t{0}, std::size_t{1}}) {
            if (farfield::tests::is_sanitized && start == 0) continue;
            const NonlinearFit found = fit_of(to_problem(row.model, set, start));
            double parameters = 16;
            double errors = 16;
            for (std::size_t j = 0; j < set.parameters.size(); ++j) {
                parameters = std::min(parameters, nist::digits(found.fit.parameters[j], set.parameters[j].certified));
                errors = std::min(errors, nist::digits(found.fit.standard_errors[j], set.parameters[j].deviation));
            }
            INFO(row.name << " from start " << start + 1 << ": parameters " << parameters << ", standard errors "
                          << errors);
            CHECK(found.outcome == Outcome::converged);
            CHECK(parameters >= 9);
            // Lanczos1's residuals, 1e-13, are the rounding errors of its data and of double.
            CHECK((errors >= 9 || row.name == "Lanczos1"));
        }
    }
}

}  // namespace

TEST_CASE("NIST's 27 nonlinear problems are solved to 9 digits from both starts") {
    check_nist([](const NonlinearProblem& problem) { return fit_nonlinear(problem); });
}

TEST_CASE("NIST's 27 nonlinear problems are solved from sums of products as from their points") {
    check_nist(fit_by_sums);
}

namespace {

// y = a exp(-b x), with weights or a mischief.
struct Decay {
    std::vector<double> x{0, 1, 2, 3, 4, 5};
    std::vector<double> y{3.1, 1.8, 1.2, 0.6, 0.45, 0.2};

    NonlinearProblem problem(double a, double b) const {
        NonlinearProblem result;
        result.start = {a, b};
        result.data = y;
        result.model = [this](std::span<const double> p, std::span<double> values) {
            for (std::size_t i = 0; i < x.size(); ++i) values[i] = p[0] * std::exp(-p[1] * x[i]);
        };
        result.jacobian = [this](std::span<const double> p, std::span<double> derivatives) {
            for (std::size_t i = 0; i < x.size(); ++i) {
                derivatives[i] = std::exp(-p[1] * x[i]);
                derivatives[x.size() + i] = -p[0] * x[i] * derivatives[i];
            }
        };
        return result;
    }
};

}  // namespace

TEST_CASE("a weight of two is a point given twice, and of zero a point left out") {
    Decay twice;
    twice.x.push_back(2);
    twice.y.push_back(1.2);
    const Fit repeated = fit_nonlinear(twice.problem(1, 1)).fit;
    Decay weighted;
    weighted.x.push_back(7);
    weighted.y.push_back(100);
    const std::vector<double> weights{1, 1, 2, 1, 1, 1, 0};
    NonlinearProblem problem = weighted.problem(1, 1);
    problem.weights = weights;
    const Fit found = fit_nonlinear(problem).fit;
    for (std::size_t j = 0; j < 2; ++j) CHECK(found.parameters[j] == Approx(repeated.parameters[j]).epsilon(1e-12));
    CHECK(found.rmse == Approx(repeated.rmse).epsilon(1e-12));
    CHECK(found.r2 == Approx(repeated.r2).epsilon(1e-12));
    CHECK(found.max_error == Approx(repeated.max_error).epsilon(1e-12));
    CHECK(found.points == 6);
}

TEST_CASE("sums give the measures of a fit that its points give") {
    const Decay decay;
    const Fit wanted = fit_nonlinear(decay.problem(1, 1)).fit;
    const Fit found = fit_by_sums(decay.problem(1, 1)).fit;
    for (std::size_t j = 0; j < 2; ++j) {
        CHECK(found.parameters[j] == Approx(wanted.parameters[j]).epsilon(1e-13));
        CHECK(found.standard_errors[j] == Approx(wanted.standard_errors[j]).epsilon(1e-12));
    }
    CHECK(found.rmse == Approx(wanted.rmse).epsilon(1e-13));
    CHECK(found.r2 == Approx(wanted.r2).epsilon(1e-13));
    CHECK(found.deviation == Approx(wanted.deviation).epsilon(1e-13));
    CHECK(found.max_error == Approx(wanted.max_error).epsilon(1e-13));
    CHECK(found.condition == Approx(wanted.condition).epsilon(1e-12));
    CHECK(found.points == 6);
}

TEST_CASE("the share of the spread that a fit explains does not depend on where the data lie") {
    // y = a + b x of data moved by 2^30, where the mean, a third more, is rounded to 2^-23.
    const std::vector<double> x{0, 1, 2};
    const auto fit_of = [&](double shift) {
        const std::vector<double> data{shift, shift + 1, shift + 3};
        NonlinearProblem line;
        line.start = {shift, 1};
        line.data = data;
        line.model = [&](std::span<const double> p, std::span<double> values) {
            for (std::size_t i = 0; i < x.size(); ++i) values[i] = p[0] + p[1] * x[i];
        };
        line.jacobian = [&](std::span<const double>, std::span<double> derivatives) {
            for (std::size_t i = 0; i < x.size(); ++i) {
                derivatives[i] = 1;
                derivatives[x.size() + i] = x[i];
            }
        };
        return fit_nonlinear(line).fit;
    };
    // By hand: b = 3/2, sum r^2 = 1/6 and the spread 14/3.
    CHECK(fit_of(0).r2 == Approx(1 - 1.0 / 28).epsilon(1e-14));
    CHECK(fit_of(0x1p30).r2 == Approx(1 - 1.0 / 28).epsilon(1e-5));
    CHECK(fit_of(0).rmse == Approx(std::sqrt(1.0 / 18)).epsilon(1e-14));
}

TEST_CASE("a start where the model is not finite is reported, and one evaluation is a limit") {
    const Decay decay;
    for (const NonlinearFit& lost : {fit_nonlinear(decay.problem(1, -1e4)), fit_by_sums(decay.problem(1, -1e4))}) {
        CHECK(lost.outcome == Outcome::not_finite);
        CHECK(std::isnan(lost.fit.parameters[0]));
    }
    NonlinearOptions options;
    options.max_evaluations = 3;
    CHECK(fit_nonlinear(decay.problem(1, 1), options).outcome == Outcome::evaluation_limit);
}

TEST_CASE("steps to points where the model is not finite are rejected") {
    // log(b x) of a start far above: full steps would make b negative, where the logarithm is NaN.
    const std::vector<double> x{1, 2, 3, 4};
    std::vector<double> y;
    for (const double t : x) y.push_back(std::log(0.01 * t));
    NonlinearProblem problem;
    problem.start = {50};
    problem.data = y;
    problem.model = [&](std::span<const double> p, std::span<double> values) {
        for (std::size_t i = 0; i < x.size(); ++i) values[i] = std::log(p[0] * x[i]);
    };
    problem.jacobian = [&](std::span<const double> p, std::span<double> derivatives) {
        for (double& derivative : derivatives) derivative = 1 / p[0];
    };
    for (const NonlinearFit& found : {fit_nonlinear(problem), fit_by_sums(problem)}) {
        CHECK(found.outcome == Outcome::converged);
        CHECK(found.fit.parameters[0] == Approx(0.01).epsilon(1e-12));
    }
}

TEST_CASE("nonlinear fits refuse fewer points than parameters and weights of another length") {
    Decay decay;
    decay.x.resize(1);
    decay.y.resize(1);
    CHECK_THROWS_AS(fit_nonlinear(decay.problem(1, 1)), farfield::core::PreconditionError);
    CHECK_THROWS_AS(fit_by_sums(decay.problem(1, 1)), farfield::core::PreconditionError);
    CHECK_THROWS_AS(fit_nonlinear(SummedModel{}), farfield::core::PreconditionError);
    const Decay whole;
    const std::vector<double> weights{1, 1};
    NonlinearProblem problem = whole.problem(1, 1);
    problem.weights = weights;
    CHECK_THROWS_AS(fit_nonlinear(problem), farfield::core::PreconditionError);
}
