#include <fmt/format.h>

#include <farfield/core/error.hpp>
#include <farfield/train/memory.hpp>
#include <fstream>
#include <optional>

namespace farfield::train {

namespace {

/// MemAvailable: what can be had without swapping, caches given up.
std::optional<double> free_bytes() {
    std::ifstream stream("/proc/meminfo");
    for (std::string name, unit; stream >> name;) {
        double kibibytes = 0;
        if (name == "MemAvailable:" && stream >> kibibytes) return 1024 * kibibytes;
        std::getline(stream, unit);
    }
    return std::nullopt;
}

std::string size_text(double bytes) {
    return bytes < 1 << 30 ? fmt::format("{:.0f} MiB", bytes / (1 << 20))
                           : fmt::format("{:.0f} GiB", bytes / (1 << 30));
}

}  // namespace

double bytes_of_pass(const model::Config& config, double tokens, bool backward) {
    const auto C = static_cast<double>(config.width);
    const double block = 8 * C + 2 * static_cast<double>(config.ffn_width());
    const double kept = (backward ? static_cast<double>(config.layers) : 1) * block;
    return sizeof(float) * tokens * (kept + 2 * C + static_cast<double>(config.vocabulary));
}

void require_memory(double bytes, const std::string& what) {
    const std::optional<double> free = free_bytes();
    if (!free || bytes <= *free) return;
    throw core::MissingError("memory for " + what,
                             fmt::format("it needs about {}, {} are free", size_text(bytes), size_text(*free)),
                             "smaller lengths, fewer segments or a smaller batch");
}

}  // namespace farfield::train
