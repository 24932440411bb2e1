// The best value of a formula of other quantities, whose settings use the variables.
#pragma once

#include <memory>

#include "quantity/grid.hpp"

namespace farfield::quantity {

/// Prepares the search by samples of an `optimum` with the key `quantities`. Null if a problem was added.
std::unique_ptr<Prepared> prepare_optimum_of(const Declaration& declaration, const Over& over, bool is_least,
                                             std::size_t samples, core::Problems& problems);

}  // namespace farfield::quantity
