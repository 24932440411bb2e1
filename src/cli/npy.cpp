#include "cli/npy.hpp"

#include <fmt/format.h>

#include <bit>

namespace farfield::cli {

static_assert(std::endian::native == std::endian::little, "numbers are written as little-endian");

std::string npy_header(const std::string& type, const std::vector<std::size_t>& shape) {
    std::string axes;
    for (const std::size_t axis : shape) axes += (axes.empty() ? "" : " ") + fmt::format("{},", axis);
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, axes);
    constexpr std::size_t before = 10;
    constexpr std::size_t alignment = 64;
    while ((before + text.size() + 1) % alignment != 0) text += ' ';
    text += '\n';
    const auto size = static_cast<unsigned>(text.size());
    std::string header("\x93NUMPY\x01\x00", 8);
    header += static_cast<char>(size & 255U);
    header += static_cast<char>(size >> 8);
    return header + text;
}

}  // namespace farfield::cli
