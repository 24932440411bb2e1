#include <farfield/core/input_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/size_text.hpp>
#include <utility>

namespace farfield::core {
namespace {

/// Another host replaced or removed the file while this process read it. Opening it again gives the new file.
class ReplacedError : public MissingError {
public:
    using MissingError::MissingError;
};

constexpr int most_openings = 8;

[[noreturn]] void fail(const char* doing, const std::string& path, int code) {
    const bool forbidden = code == EACCES || code == EPERM;
    const std::string call = std::string(doing) + " '" + path + "'";
    if (code == ESTALE) throw ReplacedError(call, std::strerror(code), "try again: another machine replaced the file");
    throw MissingError(call, std::strerror(code),
                       forbidden ? "are you allowed to read it?" : "check that the file is there and readable");
}

[[noreturn]] void refuse(const std::string& path, std::string found, std::string wanted) {
    Place place;
    place.file = path;
    throw UserError({Diagnostic{std::move(place), std::move(found), std::move(wanted), {}}});
}

std::string read_once(const std::string& path, std::uintmax_t most_bytes) {
    InputFile file(path);
    if (file.size() > most_bytes) refuse_size(path, most_bytes);
    // The buffer has one byte more than the file's size, so that read() reports the end of the file. The file may also
    // grow meanwhile.
    std::string text;
    std::size_t used = 0;
    for (;;) {
        text.resize(std::max(static_cast<std::size_t>(file.size()) + 1, used + (std::size_t{1} << 16)));
        const std::size_t got = file.read({text.data() + used, text.size() - used});
        used += got;
        if (got == 0) break;
        if (used > most_bytes) refuse_size(path, most_bytes);
    }
    text.resize(used);
    return text;
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
    // Opening a pipe without O_NONBLOCK waits until something is written into it.
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor_ < 0 && (errno == ENXIO || errno == ENODEV)) refuse(path_, "is not a regular file", "a file");
    if (descriptor_ < 0) fail("opening", path_, errno);
    struct stat status = {};
    const bool known = ::fstat(descriptor_, &status) == 0;
    const int code = errno;
    if (known && S_ISREG(status.st_mode)) {
        size_ = static_cast<std::uintmax_t>(status.st_size);
        return;
    }
    ::close(descriptor_);
    if (!known) fail("reading", path_, code);
    refuse(path_, S_ISDIR(status.st_mode) ? "is a folder" : "is not a regular file", "a file");
}

InputFile::~InputFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t InputFile::read(std::span<char> room) {
    for (;;) {
        const ssize_t got = ::read(descriptor_, room.data(), room.size());
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) fail("reading", path_, errno);
    }
}

int InputFile::release() {
    return std::exchange(descriptor_, -1);
}

std::string read_file(const std::string& path, std::uintmax_t most_bytes) {
    for (int attempt = 1;; ++attempt) {
        try {
            return read_once(path, most_bytes);
        } catch (const ReplacedError&) {
            if (attempt == most_openings) throw;
        }
    }
}

void refuse_size(const std::string& path, std::uintmax_t most_bytes) {
    refuse(path, "the file is over " + size_text(static_cast<double>(most_bytes)), "a smaller one");
}

}  // namespace farfield::core
