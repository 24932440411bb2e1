#include "numerics/zeros.hpp"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "numerics/parallel.hpp"

namespace farfield::numerics {
namespace {

constexpr std::size_t large_page = std::size_t{1} << 21;

/// Makes the system provide the whole pages within [begin, begin + bytes) now. Several threads may each do this with a
/// part.
void provide_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_POPULATE_WRITE)
    constexpr std::uintptr_t page = 4096;
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const std::uintptr_t first = (address + page - 1) / page * page;
    const std::uintptr_t last = (address + bytes) / page * page;
    if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
#endif
}

}  // namespace

void ask_for_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const std::uintptr_t first = (address + large_page - 1) / large_page * large_page;
    const std::uintptr_t last = (address + bytes) / large_page * large_page;
    // If the system refuses, the code is only slower.
    if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

std::vector<double> zeros(std::size_t count) {
    std::vector<double> values;
    values.reserve(count);
    const std::size_t size = count * sizeof(double);
    ask_for_large_pages(values.data(), size);
    auto* const bytes = reinterpret_cast<char*>(values.data());
    in_parallel(size, large_page,
                [&](std::size_t begin, std::size_t end) { provide_pages(bytes + begin, end - begin); });
    values.resize(count);
    return values;
}

}  // namespace farfield::numerics
