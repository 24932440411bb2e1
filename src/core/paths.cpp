#include "core/paths.hpp"

#include <map>

namespace farfield::core {

std::filesystem::path full_path(const std::string& path) {
    std::error_code failure;
    // weakly_canonical() keeps a relative path to a new file relative.
    const std::filesystem::path absolute = std::filesystem::absolute(path, failure);
    const std::filesystem::path full = std::filesystem::weakly_canonical(absolute, failure);
    return failure ? absolute.lexically_normal() : full;
}

void report_repeated_paths(const std::vector<std::string>& paths, Problems& problems) {
    std::map<std::filesystem::path, std::string> known;
    for (const std::string& path : paths) {
        const auto [at, is_new] = known.emplace(full_path(path), path);
        if (is_new) continue;
        problems.add({},
                     at->second == path ? "'" + path + "' is listed twice"
                                        : "'" + at->second + "' and '" + path + "' are the same path",
                     "each of them once");
    }
}

}  // namespace farfield::core
