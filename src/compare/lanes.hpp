// The values of the names in a model's formulas at given numbers of a tensor.
#pragma once

#include <array>
#include <cstddef>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/program.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "compare/model.hpp"

namespace farfield::compare {

/// Values of every name at numbers of a tensor, by their flat indexes.
class Lanes {
public:
    Lanes(const Case& all, const Pairing& pairing, std::span<const std::size_t> numbers);
    /// Distances from n0 downward in steps of one, at a head.
    Lanes(double head, double n0, std::size_t count);

    /// The same numbers as `other`, once for each place on an axis: as p, n, the head, or, along keys, a query at this
    /// distance from the key.
    Lanes(const Lanes& other, Axis axis, std::span<const double> places);

    std::size_t size() const { return count_; }
    /// Evaluates a formula of these names at every number.
    std::vector<double> evaluate(const formula::Node& tree, const evaluate::NumberSystem& system) const;

    static constexpr std::array<std::string_view, 10> names = {"head", "q", "k",         "n", "p",
                                                               "i",    "x", "component", "y", "turned"};

private:
    std::vector<double>& lane(std::string_view name);
    void fill_vectors(const Case& all, const Pairing& pairing, std::span<const std::size_t> numbers);

    std::size_t count_ = 0;
    std::array<std::vector<double>, names.size()> lanes_;
};

/// The value of a formula of only these names.
double value_of(const formula::Node& tree, const std::vector<formula::Replacement>& names);

}  // namespace farfield::compare
