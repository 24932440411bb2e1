// The numbers of a tensor that a scheme predicts, with some variations.
#pragma once

#include <farfield/evaluate/number_system.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/numerics/format.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compare/edits.hpp"
#include "compare/layout.hpp"

namespace farfield::compare {

/// The data that no variation changes.
struct Case {
    const scheme::Registry& schemes;
    const Question& question;
    std::string file;
    Layout layout;
    const numerics::Format* format = nullptr;  ///< null: float64 and integers, which are not rounded
    double tolerance = 0;
};

using Params = std::vector<std::pair<std::string, std::string>>;

/// Formulas of the names that lanes.hpp fills: head, q, k, n, p, i, component, x, y, turned.
struct Model {
    formula::Node value;
    formula::Node magnitude;  ///< the same with every sum replaced by the sum of its terms' magnitudes
    formula::Node visible;    ///< a condition; null if all numbers are compared
    formula::Node slack;      ///< the allowed error in addition to rounding; null: none
    evaluate::NumberSystem system;
    Pairing pairing;
    bool has_row_constant = false;
    bool moves_hidden = false;  ///< an edit changes which keys are masked
};

/// Builds models of one case.
class Builder {
public:
    explicit Builder(const Case& all) : all_(all) {}

    /// Nothing if an edit has no effect: the scheme lacks the param or piece, or already has this value.
    std::optional<Model> build(std::span<const Choice> choices);

    /// The numeric params that a piece of the scheme reads, and their values; none is 0.
    std::vector<std::pair<std::string, double>> params_in_use();

private:
    std::optional<Params> params_of(std::span<const Choice> choices);
    /// The angle at position 1, positions as declared.
    formula::Node frequency_without_places(std::span<const Choice> choices);
    /// `moves`: with the question's formulas of places.
    std::optional<scheme::Scheme> scheme_of(std::span<const Choice> choices, bool moves);
    /// Null if the scheme does not allow these values. Throws core::UserError if they are the question's own.
    const scheme::Scheme* with_params(const Params& params);

    const Case& all_;
    std::map<Params, std::optional<scheme::Scheme>>
        schemes_;  ///< cached, because reading a scheme takes longer than trying it
};

}  // namespace farfield::compare
