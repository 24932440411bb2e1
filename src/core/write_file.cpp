#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <farfield/core/error.hpp>
#include <farfield/core/write_file.hpp>
#include <filesystem>
#include <random>
#include <string_view>

#include "core/temporary.hpp"

namespace farfield::core {
namespace {

namespace fs = std::filesystem;

constexpr int most_drafts = 3;

/// The place of a write, and the option that names another place.
struct Target {
    std::string path;
    std::string option;
    std::string name;  ///< where the file is, if the path is a link to it
    mode_t mode = 0;   ///< permissions of the file that is replaced; 0 for a new one
};

std::string advice_for(int code, const std::string& option) {
    switch (code) {
        case ENOSPC:
        case EDQUOT: return "make room, or name another folder with " + option;
        case EACCES:
        case EPERM:
        case EROFS: return "name a folder that you may write to with " + option;
        case EISDIR: return "name a file with " + option;
        default: return "name another folder with " + option;
    }
}

[[noreturn]] void fail(const Target& target, int code) {
    throw MissingError("writing '" + target.path + "'", std::strerror(code), advice_for(code, target.option));
}

void write_all(const Target& target, int descriptor, std::string_view content) {
    while (!content.empty()) {
        const ssize_t written = ::write(descriptor, content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail(target, written < 0 ? errno : EIO);
        content.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// A temporary file next to the target. It is renamed to the target when it is complete, and removed otherwise.
class Draft {
public:
    Draft(const fs::path& folder, const Target& target)
        : target_(target), name_((folder / ("." + temporary_name())).string()) {
        remove_stale(folder);
        create();
    }
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    ~Draft() {
        if (descriptor_ >= 0) ::close(descriptor_);
        if (!landed_) ::unlink(name_.c_str());
    }

    void write(std::string_view content) { write_all(target_, descriptor_, content); }

    /// Returns whether the rename is known to have succeeded. If a file server's reply to a rename is lost, the client
    /// repeats the request and is told that the old name does not exist. Then the new file may exist or not, or may
    /// already be that of another writer.
    bool land(Syncing syncing) {
        // Until here only its owner can read the file. It gets the permissions of the file that it replaces, or of a
        // plain open.
        const mode_t mask = ::umask(0);
        ::umask(mask);
        if (::fchmod(descriptor_, target_.mode != 0 ? target_.mode : 0666 & ~mask) != 0) fail(target_, errno);
        if (syncing == Syncing::synced && ::fsync(descriptor_) != 0) fail(target_, errno);
        const int closed = ::close(descriptor_);
        descriptor_ = -1;
        if (closed != 0) fail(target_, errno);
        landed_ = ::rename(name_.c_str(), target_.name.c_str()) == 0;
        if (!landed_ && errno != ENOENT) fail(target_, errno);
        return landed_;
    }

private:
    /// Works like mkostemp, but removes an existing file of this name. Such a file comes from a call whose reply was
    /// lost. In the unlikely case that another process chose the same name, that process writes its file again.
    void create() {
        constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
        constexpr std::size_t random = 6;
        std::random_device device;
        std::uniform_int_distribution<std::size_t> chosen(0, letters.size() - 1);
        for (int left = most_drafts; descriptor_ < 0; --left) {
            for (std::size_t i = name_.size() - random; i < name_.size(); ++i) name_[i] = letters[chosen(device)];
            descriptor_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
            const int code = descriptor_ < 0 ? errno : 0;
            if (code == EEXIST) ::unlink(name_.c_str());
            if (code != 0 && (code != EEXIST || left == 0)) fail(target_, code);
        }
    }

    const Target& target_;
    std::string name_;
    int descriptor_ = -1;
    bool landed_ = false;
};

/// Whether the path names something that a new file must not replace, such as /dev/null, /dev/stdout or a pipe.
bool is_written_into(const std::string& path) {
    std::error_code failure;
    const fs::file_status status = fs::status(path, failure);
    if (!fs::exists(status)) return false;
    if (!fs::is_regular_file(status)) return true;
    // True for a standard output that is redirected to a file.
    return fs::is_symlink(path, failure) && fs::read_symlink(path, failure).string().starts_with("/proc/");
}

/// The file to which links lead, also if it does not exist yet.
std::string followed(const Target& target) {
    constexpr int most_links = 40;
    fs::path path = target.path;
    std::error_code failure;
    for (int links = 0; fs::is_symlink(path, failure); ++links) {
        if (links == most_links) fail(target, ELOOP);
        const fs::path to = fs::read_symlink(path, failure);
        if (failure) fail(target, failure.value());
        path = path.parent_path() / to;
    }
    return path.string();
}

/// The permissions of an existing file; 0 if it does not exist.
mode_t permissions_of(const Target& target) {
    struct stat status = {};
    return ::stat(target.name.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
}

/// An open file that is closed at the end.
class Opened {
public:
    explicit Opened(const Target& target)
        : target_(target), descriptor_(::open(target.path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)) {
        if (descriptor_ < 0) fail(target_, errno);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened() { ::close(descriptor_); }

    void write(std::string_view content) { write_all(target_, descriptor_, content); }

private:
    const Target& target_;
    int descriptor_;
};

/// Without this, the new name itself may be lost if the computer crashes.
void sync_folder(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
}

}  // namespace

void check_replaceable(const std::string& path, std::string_view option) {
    const bool is_there = ::access(path.c_str(), F_OK) == 0;
    if (is_there && ::access(path.c_str(), W_OK) != 0) fail({path, std::string(option), path}, errno);
}

void write_file(const std::string& path, std::string_view content, std::string_view option) {
    write_file(path, {&content, 1}, option);
}

void write_file(const std::string& path, std::span<const std::string_view> parts, std::string_view option,
                Syncing syncing) {
    write_pieces(
        path,
        [parts](const auto& write) {
            for (const std::string_view part : parts) write(part);
        },
        option, syncing);
}

void write_pieces(const std::string& path,
                  const std::function<void(const std::function<void(std::string_view)>&)>& produce,
                  std::string_view option, Syncing syncing) {
    Target target{path, std::string(option), path};
    if (!fs::path(path).has_filename()) fail(target, EISDIR);
    if (is_written_into(path)) {
        Opened opened(target);
        produce([&opened](std::string_view piece) { opened.write(piece); });
        return;
    }
    target.name = followed(target);
    target.mode = permissions_of(target);
    const fs::path parent = fs::path(target.name).parent_path();
    const fs::path folder = parent.empty() ? fs::path(".") : parent;
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) fail(target, failure.value());
    const auto attempt = [&] {
        Draft draft(folder, target);
        produce([&draft](std::string_view piece) { draft.write(piece); });
        return draft.land(syncing);
    };
    int attempts = 1;
    while (!attempt())
        if (++attempts > most_drafts) fail(target, ENOENT);
    if (syncing == Syncing::synced) sync_folder(folder);
}

}  // namespace farfield::core
