// A formula on a box: its value by natural interval evaluation, and its derivatives by forward differentiation.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "recheck/number.hpp"
#include "recheck/tree.hpp"

namespace farfield::recheck {

/// A value with enclosures of its derivatives in one variable. Where the function is not differentiable (at a kink),
/// `first` contains the slopes on both sides, so that the mean value theorem holds with it if the function is
/// continuous.
struct Jet {
    Number value;
    Interval first;
    Interval second;
    bool is_continuous = true;  ///< certainly has a value everywhere and is continuous in the variable
    bool is_smooth = true;      ///< certainly `second` is its second derivative everywhere
};

class Evaluator {
public:
    /// The value of a name that is not a variable; for a lookup, with the values of its indexes.
    using Lookup = std::function<Number(const Tree& node, const std::vector<Number>& indexes)>;
    using Box = std::vector<std::pair<std::string, Number>>;

    /// Integrals within an integrand have fewer parts.
    explicit Evaluator(Lookup lookup = {}, bool is_within_integral = false)
        : lookup_(std::move(lookup)), is_within_integral_(is_within_integral) {}

    /// Evaluates at the precision of the thread, which must not change meanwhile, because values that depend on no
    /// variable are kept. Throws Unprovable for an unknown name and for a reduction over too many values.
    Number value(const Node& tree, const Box& box);
    Truth truth(const Node& tree, const Box& box);
    Jet jet(const Node& tree, const Box& box, const std::string& variable);

    /// The number of parts of integrals in all formulas so far.
    std::size_t parts_of_integrals() const { return parts_of_integrals_; }
    /// Whether an all() or exists() outside of other reductions had no number between its bounds.
    bool has_empty_range() const { return has_empty_range_; }

private:
    const Number* find(const std::string& name) const;
    Number value(const Node& node);
    Number fresh_value(const Tree& node);
    Truth truth(const Node& node);
    Jet jet(const Node& node);
    Jet fresh_jet(const Tree& node);
    Jet power_jet(const Tree& node);
    Jet reduction_jet(const Tree& node);
    Number reduction(const Tree& node);
    Number choice(const Tree& node);
    Number integral(const Tree& node);
    Jet name_jet(const Tree& node);
    Jet integral_jet(const Tree& node);
    Truth logical_reduction(const Tree& node);
    /// False if the bounds are not integers.
    bool bounds(const Tree& node, long& from, long& to);

    Lookup lookup_;
    Box variables_;                                    ///< of the box
    std::string along_;                                ///< variable of the derivative
    Box bound_;                                        ///< variables of reductions around the node, the innermost last
    std::vector<std::pair<std::size_t, Jet>> moving_;  ///< those of these variables, by their places, that depend on it
    std::unordered_map<const Tree*, Number> constants_;
    std::unordered_map<const Tree*, std::unordered_map<long, Number>> by_bound_;  ///< values by one such variable
    std::size_t parts_of_integrals_ = 0;
    bool is_within_integral_ = false;
    bool has_empty_range_ = false;
    std::vector<Node> kept_;  ///< keeps trees alive whose parts are keys above
};

}  // namespace farfield::recheck
