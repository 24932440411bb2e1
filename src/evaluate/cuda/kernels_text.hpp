// The PTX of kernels.cu.
#pragma once

namespace farfield::evaluate::cuda {

const char* kernels_text();

}  // namespace farfield::evaluate::cuda
