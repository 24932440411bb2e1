#include "core/zeros.hpp"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace farfield::core {
namespace {

constexpr std::size_t large_page = std::size_t{1} << 21;

/// Of the memory [begin, begin + bytes) the whole pages.
void ask_for_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const std::uintptr_t first = (address + large_page - 1) / large_page * large_page;
    const std::uintptr_t last = (address + bytes) / large_page * large_page;
    // A refusal costs nothing but time.
    if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

}  // namespace

std::vector<double> zeros(std::size_t count) {
    std::vector<double> values;
    values.reserve(count);
    if (count * sizeof(double) >= large_page) ask_for_large_pages(values.data(), count * sizeof(double));
    values.resize(count);
    return values;
}

}  // namespace farfield::core
