// The least value of a formula over a box of reals, proved by interval subdivision.
#pragma once

#include <vector>

#include <farfield/core/table.hpp>

#include "quantity/grid.hpp"
#include "quantity/selection.hpp"

namespace farfield::quantity {

/// An extreme value: the best value met, an enclosure of the true one, the point met and, for each variable, the
/// stretch in which every extreme point lies.
struct Extreme {
    double value = 0;
    core::Enclosure enclosure;
    std::vector<double> point;
    std::vector<core::Enclosure> where;
};

/// min (or max) of the formula over the box. Boxes that cannot hold the extreme value are dropped, the others halved
/// along their widest side; smooth formulas are bounded by the mean value form f(m) + f'(X)(X - m) too. Stops when the
/// value is enclosed to 1e-12 of its magnitude or after 40,000 boxes, with the enclosure reached. Throws
/// core::UserError at the formula where it has no value at a point met. Source: Moore, Kearfott, Cloud 2009, chapter 5.
Extreme find_extreme(const Checked& formula, const std::vector<Stretch>& box, bool is_least);

/// Operations at most.
double box_search_cost(const formula::Node& tree);

}  // namespace farfield::quantity
