#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <farfield/core/error.hpp>
#include <farfield/report/report.hpp>
#include <filesystem>
#include <string_view>

namespace farfield::report {
namespace {

namespace fs = std::filesystem;

std::string advice_for(int code) {
    switch (code) {
        case ENOSPC:
        case EDQUOT: return "make room, or name another folder with -o";
        case EACCES:
        case EPERM:
        case EROFS: return "name a folder that you may write to with -o";
        default: return "name another folder with -o";
    }
}

[[noreturn]] void fail(const std::string& path, int code) {
    throw core::MissingError("writing '" + path + "'", std::strerror(code), advice_for(code));
}

/// An unnamed-to-the-user neighbour of the file: it takes the file's name when whole, and is removed when not.
class Draft {
public:
    explicit Draft(const fs::path& path)
        : path_(path.string()), name_((path.parent_path() / ("." + path.filename().string() + ".XXXXXX")).string()) {
        descriptor_ = ::mkostemp(name_.data(), O_CLOEXEC);
        if (descriptor_ < 0) fail(path_, errno);
    }
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    ~Draft() {
        if (descriptor_ >= 0) ::close(descriptor_);
        if (!landed_) ::unlink(name_.c_str());
    }

    void write(std::string_view content) {
        while (!content.empty()) {
            const ssize_t written = ::write(descriptor_, content.data(), content.size());
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) fail(path_, written < 0 ? errno : EIO);
            content.remove_prefix(static_cast<std::size_t>(written));
        }
    }

    void land() {
        // mkostemp lets nobody else read; the finished file gets what a plain open would have given it.
        const mode_t mask = ::umask(0);
        ::umask(mask);
        if (::fchmod(descriptor_, 0666 & ~mask) != 0 || ::fsync(descriptor_) != 0) fail(path_, errno);
        const int closed = ::close(descriptor_);
        descriptor_ = -1;
        if (closed != 0 || ::rename(name_.c_str(), path_.c_str()) != 0) fail(path_, errno);
        landed_ = true;
    }

private:
    std::string path_;
    std::string name_;
    int descriptor_ = -1;
    bool landed_ = false;
};

/// Without this the new name itself may be lost when the machine stops.
void sync_folder(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
}

}  // namespace

void write_file(const std::string& path, const std::string& content) {
    const fs::path target(path);
    if (!target.has_filename()) fail(path, EISDIR);
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) fail(path, failure.value());
    Draft draft(folder / target.filename());
    draft.write(content);
    draft.land();
    sync_folder(folder);
}

}  // namespace farfield::report
