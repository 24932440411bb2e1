// Error messages for a tensor that cannot be compared, in the form of those for one that cannot be read.
#pragma once

#include "tensor/refuse.hpp"

namespace farfield::compare {

using tensor::refuse;

}  // namespace farfield::compare
