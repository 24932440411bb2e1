// The number of nearest distances that have a share of a row's mass.
#pragma once

#include <farfield/core/table.hpp>

#include "quantity/convolution.hpp"
#include "quantity/scalar.hpp"

namespace farfield::quantity {

/// The smallest number of nearest distances whose sum (of `sums` from cumulate()) exceeds the mass; empty if none does.
core::Cell width_of(const Row& sums, const Scalar& mass);

/// 0.99, the share that the source uses: Chi et al. 2023, section 5.1.
Scalar usual_mass();

/// The key `mass`: a share between 0 and 1.
Scalar read_mass(const Declaration& declaration, core::Problems& problems);

/// The scalar under `key`, between 0 and 1.
Scalar read_share(const Declaration& declaration, std::string_view key, const Scalar& fallback,
                  core::Problems& problems);

/// The key `residual`: a number from 0 to below 1. At 1, no layer would mix anything. Reports problems otherwise.
Scalar read_residual(const Declaration& declaration, core::Problems& problems);

}  // namespace farfield::quantity
