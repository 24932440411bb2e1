#include "core/zeros.hpp"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace farfield::core {
namespace {

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

std::vector<double> room_for(std::size_t count) {
    std::vector<double> values;
    values.reserve(count);
    if (count * sizeof(double) >= large_page) ask_for_large_pages(values.data(), count * sizeof(double));
    return values;
}

void provide_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_POPULATE_WRITE)
    constexpr std::uintptr_t page = 4096;
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const std::uintptr_t first = (address + page - 1) / page * page;
    const std::uintptr_t last = (address + bytes) / page * page;
    if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
#endif
}

}  // namespace farfield::core
