// Results of quantities as Python holds them.
#pragma once

#include <farfield/core/table.hpp>
#include <memory>

#include "bindings.hpp"

namespace farfield::python {

/// Shared with the arrays that look into it, and with the quantities that read it.
using Result = std::shared_ptr<core::Result>;

}  // namespace farfield::python
