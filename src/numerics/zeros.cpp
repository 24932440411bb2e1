#include "numerics/zeros.hpp"

#include "core/zeros.hpp"
#include "numerics/parallel.hpp"

namespace farfield::numerics {

std::vector<double> zeros(std::size_t count) {
    std::vector<double> values = core::room_for(count);
    auto* const bytes = reinterpret_cast<char*>(values.data());
    in_parallel(count * sizeof(double), core::large_page,
                [&](std::size_t begin, std::size_t end) { core::provide_pages(bytes + begin, end - begin); });
    values.resize(count);
    return values;
}

}  // namespace farfield::numerics
