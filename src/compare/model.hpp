// What a scheme, with some variations, says of a tensor's numbers.
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

/// What stays the same under every variation.
struct Case {
    const scheme::Registry& schemes;
    const Question& question;
    std::string file;
    Layout layout;
    const numerics::Format* format = nullptr;  ///< null: float64 and whole numbers, which are not rounded
    double tolerance = 0;
};

using Params = std::vector<std::pair<std::string, std::string>>;

/// Formulas of the names that lanes.hpp fills: head, q, k, n, p, i, component, x, y, turned.
struct Model {
    formula::Node value;
    formula::Node magnitude;  ///< the same with every sum replaced by the sum of its terms' magnitudes
    formula::Node visible;    ///< a condition; null where all numbers are compared
    formula::Node slack;      ///< how far the value may be off beside its rounding; null: not at all
    evaluate::NumberSystem system;
    Pairing pairing;
    bool has_row_constant = false;
    bool moves_hidden = false;  ///< an edit changes which keys are hidden
};

/// Builds models of one case.
class Builder {
public:
    explicit Builder(const Case& all) : all_(all) {}

    /// Nothing where an edit has nothing to act on: a param or piece that the scheme lacks or that already is so.
    std::optional<Model> build(std::span<const Choice> choices);

    /// The numeric params that a piece of the scheme reads, and their values; none is 0.
    std::vector<std::pair<std::string, double>> params_in_use();

private:
    std::optional<Params> params_of(std::span<const Choice> choices);
    /// The angle at position 1, positions as declared.
    formula::Node frequency_without_places(std::span<const Choice> choices);
    /// `moves`: with the question's formulas of places.
    std::optional<scheme::Scheme> scheme_of(std::span<const Choice> choices, bool moves);
    const scheme::Scheme& with_params(const Params& params);

    const Case& all_;
    std::map<Params, scheme::Scheme> schemes_;  ///< reading one takes longer than trying it
};

}  // namespace farfield::compare
