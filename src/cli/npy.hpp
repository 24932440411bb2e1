// The beginning of a .npy file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace farfield::cli {

/// The first bytes of a .npy file of version 1 in row-major order; `type` is numpy's, such as "<f4".
std::string npy_header(const std::string& type, const std::vector<std::size_t>& shape);

}  // namespace farfield::cli
