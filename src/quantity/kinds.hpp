// Declares the row of each kind of quantity, NAME_kind() of src/quantity/NAME.cpp. The list of kinds is in meson.build.
#pragma once

#include <farfield/quantity/kind.hpp>

namespace farfield::quantity {

#define KIND(name) const Kind& name##_kind();
#include "quantity/kinds.def"

}  // namespace farfield::quantity
