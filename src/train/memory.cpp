#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <farfield/core/error.hpp>
#include <farfield/core/size_text.hpp>
#include <farfield/train/memory.hpp>
#include <fstream>

namespace farfield::train {

namespace {

/// The number of kibibytes after a name in a file of /proc, in bytes.
std::optional<double> proc_bytes(const char* path, const std::string& wanted) {
    std::ifstream stream(path);
    for (std::string name, rest; stream >> name;) {
        double kibibytes = 0;
        if (name == wanted && stream >> kibibytes) return 1024 * kibibytes;
        std::getline(stream, rest);
    }
    return std::nullopt;
}

/// No value if the file has "max", which means no limit.
std::optional<double> number_in(const char* path) {
    std::ifstream stream(path);
    double number = 0;
    return stream >> number ? std::optional(number) : std::nullopt;
}

/// The number behind a name in a file of lines "NAME NUMBER".
std::optional<double> number_after(const char* path, const std::string& wanted) {
    std::ifstream stream(path);
    double number = 0;
    for (std::string name; stream >> name >> number;)
        if (name == wanted) return number;
    return std::nullopt;
}

std::optional<double> left_to_group() {
    const auto most = number_in("/sys/fs/cgroup/memory.max");
    const auto taken = number_in("/sys/fs/cgroup/memory.current");
    if (!most || !taken) return std::nullopt;
    // The kernel reclaims cached files before it refuses memory.
    return *most - *taken + number_after("/sys/fs/cgroup/memory.stat", "inactive_file").value_or(0);
}

std::optional<double> left_of_address_space() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
    return static_cast<double>(limit.rlim_cur) - proc_bytes("/proc/self/status", "VmSize:").value_or(0);
}

void add(std::vector<MemoryPart>& parts, const char* name, double bytes) {
    if (bytes > 0) parts.push_back({name, bytes});
}

}  // namespace

double total_bytes(const std::vector<MemoryPart>& parts) {
    double total = 0;
    for (const MemoryPart& part : parts) total += part.bytes;
    return total;
}

std::optional<double> available_bytes() {
    std::optional<double> least;
    for (const std::optional<double>& each :
         {proc_bytes("/proc/meminfo", "MemAvailable:"), left_to_group(), left_of_address_space()}) {
        if (each) least = std::max(0.0, std::min(*each, least.value_or(*each)));
    }
    return least;
}

double peak_bytes() {
    return proc_bytes("/proc/self/status", "VmHWM:").value_or(0);
}

void require_memory(const std::vector<MemoryPart>& parts, const std::string& what, const std::string& remedy) {
    const std::optional<double> available = available_bytes();
    const double needed = total_bytes(parts);
    if (!available || needed <= *available) return;
    std::vector<MemoryPart> largest_first = parts;
    std::stable_sort(largest_first.begin(), largest_first.end(),
                     [](const MemoryPart& a, const MemoryPart& b) { return a.bytes > b.bytes; });
    std::string list;
    for (const MemoryPart& part : largest_first)
        if (part.bytes >= 0.01 * needed)
            list += (list.empty() ? "" : ", ") + part.name + " " + core::size_text(part.bytes);
    throw core::MissingError(
        "memory for " + what,
        fmt::format("it needs {} ({}), {} are available", core::size_text(needed), list, core::size_text(*available)),
        remedy);
}

std::vector<MemoryPart> parts_of(const model::Footprint& footprint, std::size_t count) {
    const auto times = static_cast<double>(count);
    std::vector<MemoryPart> parts;
    add(parts, "activations", times * static_cast<double>(footprint.activations));
    add(parts, "tables of positions", times * static_cast<double>(footprint.tables));
    add(parts, "packed weights", times * static_cast<double>(footprint.packed));
    add(parts, "gradients of groups", times * static_cast<double>(footprint.gradients));
    return parts;
}

std::vector<MemoryPart> parts_of(const Training& training, std::size_t threads) {
    model::Footprints footprints;
    return parts_of(training, threads, footprints);
}

std::vector<MemoryPart> parts_of(const Training& training, std::size_t threads, model::Footprints& footprints) {
    const auto work = training.accumulate > 1 ? model::Work::accumulated_step : model::Work::step;
    const model::Footprint footprint =
        footprints.of(training.config, training.scheme, work, {training.batch, training.config.train_length, threads});
    std::vector<MemoryPart> parts = parts_of(footprint);
    add(parts, "parameters, gradient and moments", 4 * static_cast<double>(footprint.parameters));
    return parts;
}

}  // namespace farfield::train
