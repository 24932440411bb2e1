// The smallest value of a formula over a box of reals, proved by interval subdivision.
#pragma once

#include <optional>
#include <vector>

#include <farfield/core/table.hpp>

#include "quantity/boxes.hpp"
#include "quantity/selection.hpp"

namespace farfield::quantity {

/// An extreme value, and for each variable the coordinate of the point found, with an enclosure that contains those of
/// all extreme points.
struct Extreme {
    core::Cell value;
    std::vector<core::Cell> point;
    std::vector<numerics::Rational> corner = {};  ///< the point of the extreme value, if it is a corner of the domain
};

/// min (or max) of the formula over the box. Boxes that cannot contain the extreme value are dropped, and the others
/// are halved along their widest side. Where the formula is Lipschitz-continuous, the mean value form f(m) + f'(X)(X -
/// m) also bounds it. A formula that is monotone in every variable has its extreme value at a corner, and at no other
/// value of a variable in which it is strictly monotone. Stops when the value is enclosed to 1e-12 of its magnitude or
/// after `most` boxes, with the enclosure reached. The formula must have a value on all of the domain. Throws
/// PreconditionError for a domain with a variable in steps. Source: Moore, Kearfott, Cloud 2009, chapter 5.
Extreme find_extreme(const Checked& formula, const Domain& domain, bool is_least, std::size_t most);

/// The extreme value of a formula that is monotone in every variable on the whole domain, which is at a corner; nothing
/// for other formulas, or if a variable is in steps.
std::optional<Extreme> extreme_at_corner(const Checked& formula, const Domain& domain, bool is_least);

/// The most operations of the search.
double box_search_cost(const formula::Node& tree, std::size_t most);

}  // namespace farfield::quantity
