#include <farfield/core/size_text.hpp>

#include <cmath>

#include <fmt/format.h>

namespace farfield::core {

std::string size_text(double bytes) {
    if (bytes < 1 << 20) return fmt::format("{:.0f} KiB", std::ceil(bytes / (1 << 10)));
    if (bytes < 1 << 30) return fmt::format("{:.0f} MiB", bytes / (1 << 20));
    return fmt::format("{} GiB", std::round(10 * bytes / (1 << 30)) / 10);
}

}  // namespace farfield::core
