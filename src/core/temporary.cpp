#include "core/temporary.hpp"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is of POSIX
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <farfield/core/sha256.hpp>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

namespace farfield::core {
namespace {

namespace fs = std::filesystem;

/// Processes of other hosts may write into the same folder, and their process numbers have no meaning on this host.
const std::string& host() {
    static const std::string digest = [] {
        std::array<char, 256> name = {};
        ::gethostname(name.data(), name.size() - 1);
        return sha256(name.data()).substr(0, 8);
    }();
    return digest;
}

/// The process to which a temporary name of this host belongs; 0 if the name is not of this form.
pid_t process_of(std::string_view name) {
    if (name.starts_with('.')) name.remove_prefix(1);
    const std::string start = "farfield-" + host() + "-";
    if (!name.starts_with(start)) return 0;
    name.remove_prefix(start.size());
    pid_t process = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), process);
    constexpr std::size_t random = 7;  // "-XXXXXX"
    const auto rest = static_cast<std::size_t>(name.data() + name.size() - end);
    return failure == std::errc() && process > 0 && rest == random && *end == '-' ? process : 0;
}

bool is_own(const fs::path& path) {
    struct stat status = {};
    return ::lstat(path.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

}  // namespace

std::string temporary_name() {
    return "farfield-" + host() + "-" + std::to_string(::getpid()) + "-XXXXXX";
}

void remove_stale(const fs::path& folder) {
    static std::mutex mutex;
    static std::set<fs::path> seen;
    {
        const std::lock_guard lock(mutex);
        if (!seen.insert(folder).second) return;
    }
    std::error_code failure;
    std::vector<fs::path> stale;
    fs::directory_iterator each(folder, failure);
    for (const fs::directory_iterator end; !failure && each != end; each.increment(failure)) {
        const pid_t process = process_of(each->path().filename().string());
        const bool has_ended = process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
        if (has_ended && is_own(each->path())) stale.push_back(each->path());
    }
    for (const fs::path& path : stale) fs::remove_all(path, failure);
}

}  // namespace farfield::core
