// A model with parameters, and its least-squares fit to a curve.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <farfield/formula/program.hpp>
#include <farfield/numerics/least_squares.hpp>

#include "quantity/selection.hpp"
#include "quantity/series_input.hpp"

namespace farfield::quantity {

/// A formula of variables whose other free names are parameters, with its derivative with respect to each.
class FitModel {
public:
    FitModel(const Checked& model, const std::vector<std::string>& variables);

    const std::vector<std::string>& parameters() const { return parameters_; }
    bool has_parameter(const std::string& name) const;
    bool uses_variable() const { return uses_variable_; }
    /// Whether the tree shows that the model is linear in its parameters: they occur only in terms of sums, in one
    /// factor of a product, in the numerator of a quotient, and in the branches of a conditional.
    bool is_linear() const { return is_linear_; }

    const formula::Source& source() const { return source_; }
    const formula::Node& tree() const { return tree_; }
    const formula::Node& derivative(std::size_t parameter) const { return derivatives_[parameter]; }
    /// The model with every parameter set to this number, as written.
    formula::Node with_parameters(const std::string& decimal) const;
    /// The model with every parameter set to 0, simplified; for a linear model, the part that does not depend on the
    /// parameters.
    formula::Node at_zero() const;

private:
    formula::Source source_;
    formula::Node tree_;
    std::vector<std::string> parameters_;
    std::vector<formula::Node> derivatives_;
    bool uses_variable_ = false;
    bool is_linear_ = false;
};

/// The weights of a fit's points, and their formula; both empty for 1.
struct Weights {
    evaluate::Array values;
    formula::Node tree;
};

/// A fit, the model's values at the points, and for a linear model the enclosures that could be proved.
struct Fitted {
    numerics::Fit fit;
    evaluate::Array values;
    std::optional<numerics::EnclosedFit> enclosed;
    std::string method;
};

/// Both throw core::UserError at the place of the model if it has no value (NaN), with the first such point; the second
/// also throws if the search does not converge.
Fitted fit_linear_model(const FitModel& model, const View& view, const Weights& weights);
Fitted fit_curved_model(const FitModel& model, const View& view, const evaluate::Array& weights,
                        const std::vector<double>& start);

/// The exact parameters of a linear model with weights of 1, if the points, the values and the factors of the
/// parameters are rational and few. `model` must be proved to have a value at every point.
std::optional<std::vector<numerics::Rational>> exact_parameters(const FitModel& model, const View& view);

/// The values of a formula of the view's variable at its points. Throws core::UserError for an unknown name.
evaluate::Array values_of(const Checked& formula, const View& view);

}  // namespace farfield::quantity
