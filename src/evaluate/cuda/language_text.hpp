// The headers that generated kernels include, for a compiler that reads no files.
#pragma once

#include <array>

namespace farfield::evaluate::cuda {

struct Header {
    const char* name;  ///< as kernels include it
    const char* text;
};

const std::array<Header, 7>& language_headers();

}  // namespace farfield::evaluate::cuda
