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
    /// Whether parameters stand only where the model is linear in them, as the tree shows: in terms of sums, in one
    /// factor of a product, above a quotient's line, in the branches of a conditional.
    bool is_linear() const { return is_linear_; }

    const formula::Source& source() const { return source_; }
    const formula::Node& tree() const { return tree_; }
    const formula::Node& derivative(std::size_t parameter) const { return derivatives_[parameter]; }
    /// The model with every parameter this number, as it is written.
    formula::Node with_parameters(const std::string& decimal) const;
    /// The model with every parameter 0, simplified: of a linear one, what does not depend on them.
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

/// A fit, the model's values at the points, and enclosures of a linear one where these could be proved.
struct Fitted {
    numerics::Fit fit;
    evaluate::Array values;
    std::optional<numerics::EnclosedFit> enclosed;
    std::string method;
};

/// Both throw core::UserError at the model where it has no value (NaN), with the first point; the second also where the
/// search does not end.
Fitted fit_linear_model(const FitModel& model, const View& view, const Weights& weights);
Fitted fit_curved_model(const FitModel& model, const View& view, const evaluate::Array& weights,
                        const std::vector<double>& start);

/// The parameters of a linear model with weights of 1 without error, where the points, the values and what the
/// parameters are multiplied by are rational and few. `model` must be shown to have a value at every point.
std::optional<std::vector<numerics::Rational>> exact_parameters(const FitModel& model, const View& view);

/// A formula of the view's variable at its points. Throws core::UserError for a name it does not know.
evaluate::Array values_of(const Checked& formula, const View& view);

}  // namespace farfield::quantity
