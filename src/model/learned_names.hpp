// The learned names of a scheme: the places of their values, and formulas of positions that use them.
#pragma once

#include <cstddef>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/model/layout.hpp>
#include <farfield/scheme/scheme.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::model {

/// One name of `learn`: values [layers, heads, size] from `first` on among all values, and from `offset` on in the
/// arena.
struct LearnedName {
    scheme::Learned spec;
    std::size_t layers;
    std::size_t heads;
    std::size_t size;
    std::size_t first;
    std::size_t offset;

    std::size_t count() const { return layers * heads * size; }
    /// The index of the first value at a layer and head (from 0).
    std::size_t at(std::size_t layer, std::size_t head) const {
        return first + ((layers > 1 ? layer : 0) * heads + (heads > 1 ? head : 0)) * size;
    }
};

class LearnedNames {
public:
    /// Adds the slices scheme.NAME to the layout.
    LearnedNames(const scheme::Scheme& scheme, std::size_t layers, std::size_t heads, Layout& layout);

    const std::vector<LearnedName>& names() const { return names_; }
    const LearnedName* find(std::string_view name) const;
    std::size_t size() const { return size_; }

    /// Sets every name to its `init`.
    template <class Real>
    void start(std::span<Real> parameters) const;

    /// The values of all names, after positivity.
    template <class Real>
    std::vector<double> values(std::span<const Real> parameters) const;

    /// arena += scale * gradient, where the gradient is with respect to the values.
    template <class Real>
    void add_gradient(std::span<const Real> parameters, std::span<const double> gradient, double scale,
                      std::span<Real> arena) const;

private:
    std::vector<LearnedName> names_;
    std::size_t size_ = 0;
};

/// A formula of one layer and head over fixed points, with its derivatives with respect to the learned names that it
/// uses.
class LearnedFormula {
public:
    /// `tree` is a formula of `variables` and learned names; layer and head are counted from 0.
    LearnedFormula(const formula::Node& tree, std::vector<std::string> variables, const LearnedNames& names,
                   std::size_t layer, std::size_t head);

    /// Whether a learned name changes its values, and whether it has a slope with respect to one; floor(a) has none.
    bool uses_learned() const { return !scalars_.empty() || !tables_.empty(); }
    bool learns() const { return !derivatives_.empty(); }
    std::vector<double> evaluate(std::span<const double> values, const std::vector<evaluate::Lane>& lanes,
                                 std::size_t points) const;
    /// gradient[value] += sum over points of along[point] * d formula / d value. Keeps the constant parts of the
    /// derivatives for the next call with the same points.
    void add_gradient(std::span<const double> values, const std::vector<evaluate::Lane>& lanes,
                      std::span<const double> along, std::span<double> gradient);
    /// The same for some of the points, without keeping anything.
    void add_gradient_of_part(std::span<const double> values, const std::vector<evaluate::Lane>& lanes,
                              std::span<const double> along, std::span<double> gradient) const;

private:
    struct Derivative {
        formula::Program program;
        std::size_t value;
        bool fixed;                  ///< it uses no learned name: computed once
        std::vector<double> column;  ///< then its values at the points
    };

    evaluate::Inputs inputs(std::span<const double> values, const std::vector<evaluate::Lane>& lanes,
                            std::size_t points) const;
    void derive(const formula::Node& tree, const LearnedName& name, std::size_t layer, std::size_t head);
    void add_derivative(const formula::Node& derivative, std::size_t value);

    formula::Signature signature_;
    formula::Program program_;
    std::vector<std::size_t> scalars_;
    std::vector<std::pair<std::size_t, std::size_t>> tables_;  ///< first value and count
    std::vector<Derivative> derivatives_;
};

}  // namespace farfield::model
