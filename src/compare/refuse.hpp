// What is said of a tensor that cannot be compared: as of one that cannot be read.
#pragma once

#include "tensor/refuse.hpp"

namespace farfield::compare {

using tensor::refuse;

}  // namespace farfield::compare
