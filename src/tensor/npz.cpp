// The members of .npz, a zip archive of .npy files.
#include <minizip/unzip.h>

#include <algorithm>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>

#include "tensor/formats.hpp"
#include "tensor/refuse.hpp"

namespace farfield::tensor {

namespace {

constexpr std::string_view ending = ".npy";
constexpr std::size_t most_members = 100'000;
constexpr std::size_t piece = 1 << 18;
constexpr unsigned long encrypted = 1;
constexpr unsigned short longest_name = 65535;  // the limit of the zip format

/// An open archive; its current member is the one next() or find() stopped at.
class Archive {
public:
    explicit Archive(const std::string& path) : path_(path), file_(open(path)) {
        if (!file_) refuse(path, "this is not a .npz: it is not a zip archive", "a file that numpy.savez wrote");
    }
    ~Archive() {
        unzCloseCurrentFile(file_);
        unzClose(file_);
    }
    /// The library itself would block on a pipe.
    static unzFile open(const std::string& path) {
        const core::InputFile regular(path);
        return unzOpen64(path.c_str());
    }

    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;

    struct Member {
        std::string name;
        std::uint64_t size;
        bool is_stored;
    };

    bool first() { return unzGoToFirstFile(file_) == UNZ_OK; }
    bool next() { return unzGoToNextFile(file_) == UNZ_OK; }

    Member member() {
        unz_file_info64 info{};
        std::string name(longest_name, '\0');
        if (unzGetCurrentFileInfo64(file_, &info, name.data(), longest_name, nullptr, 0, nullptr, 0) != UNZ_OK)
            refuse(path_, "this .npz is damaged: a member has no description", "a whole file");
        name.resize(info.size_filename);
        if ((info.flag & encrypted) != 0)
            refuse(path_, "the member '" + name + "' is encrypted", "an archive without a password");
        return {name, info.uncompressed_size, info.compression_method == 0};
    }

    void open() {
        if (unzOpenCurrentFile(file_) != UNZ_OK)
            refuse(path_, "this .npz is damaged: the member '" + member().name + "' cannot be opened", "a whole file");
    }
    std::uint64_t offset() { return unzGetCurrentFileZStreamPos64(file_); }

    /// Reads the available bytes, at most result.size().
    std::size_t read(std::span<std::byte> result) {
        std::size_t done = 0;
        while (done < result.size()) {
            const std::size_t wanted = std::min(result.size() - done, piece);
            const int got = unzReadCurrentFile(file_, result.data() + done, static_cast<unsigned>(wanted));
            if (got < 0)
                refuse(path_, "this .npz is damaged: the member '" + member().name + "' cannot be inflated",
                       "a whole file");
            if (got == 0) break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    }

private:
    std::string path_;
    unzFile file_;
};

std::string tensor_name(const std::string& member, const std::string& path) {
    if (!member.ends_with(ending))
        refuse(path, "the archive's member '" + member + "' is not a .npy", "a file that numpy.savez wrote");
    return member.substr(0, member.size() - ending.size());
}

/// Reads the header of the current member from its beginning.
Found read_header(Archive& archive, const Archive::Member& member, const std::string& path) {
    archive.open();
    std::string begun;
    const Head head = [&](std::uint64_t offset, std::span<std::byte> result) -> std::size_t {
        const std::size_t wanted = offset + result.size();
        if (begun.size() < wanted) {
            const std::size_t before = begun.size();
            begun.resize(wanted);
            const std::size_t got = archive.read(std::as_writable_bytes(std::span(begun)).subspan(before));
            begun.resize(before + got);
        }
        const std::size_t there =
            begun.size() > offset ? std::min<std::size_t>(begun.size() - offset, result.size()) : 0;
        std::copy_n(reinterpret_cast<const std::byte*>(begun.data()) + offset, there, result.data());
        return there;
    };
    Found found = read_npy_header(head, member.size, path + ":" + member.name);
    found.description.name = tensor_name(member.name, path);
    return found;
}

std::shared_ptr<const Bytes> inflate(Archive& archive, const Archive::Member& member, const std::string& path,
                                     std::uint64_t most_inflated) {
    if (member.size > most_inflated)
        refuse(path, "the member '" + member.name + "' takes " + std::to_string(member.size) + " bytes when inflated",
               std::to_string(most_inflated) + " at most, or an archive without compression, as numpy.savez writes it");
    auto bytes = Bytes::temporary(path);
    std::vector<std::byte> buffer(piece);
    while (const std::size_t got = archive.read(buffer)) {
        if (bytes->size() + got > member.size)
            refuse(path, "the member '" + member.name + "' is longer than the archive says", "a whole file");
        bytes->append(std::span(buffer).first(got));
    }
    if (bytes->size() != member.size)
        refuse(path, "the member '" + member.name + "' is shorter than the archive says", "a whole file");
    return bytes;
}

}  // namespace

std::vector<Description> list_npz(const std::string& path) {
    Archive archive(path);
    std::vector<Description> found;
    for (bool more = archive.first(); more; more = archive.next()) {
        if (found.size() == most_members) refuse(path, "an archive of over 100000 members", "fewer");
        found.push_back(read_header(archive, archive.member(), path).description);
    }
    if (found.empty()) refuse(path, "this .npz is empty or cut short: it lists no member", "a whole file");
    return found;
}

std::shared_ptr<const Bytes> open_npz_member(const std::string& path, const std::string& name,
                                             std::uint64_t most_inflated) {
    Archive archive(path);
    bool more = archive.first();
    while (more && archive.member().name != name + std::string(ending)) more = archive.next();
    if (!more) throw core::PreconditionError("tensor::open_npz_member", "name", name, "a member of the archive");
    const Archive::Member member = archive.member();
    archive.open();
    if (!member.is_stored) return inflate(archive, member, path, most_inflated);
    const auto whole = Bytes::open(path);
    if (archive.offset() > whole->size() || member.size > whole->size() - archive.offset())
        refuse(path, "the member '" + member.name + "' reaches beyond the archive's end", "a whole file");
    return Bytes::part(whole, archive.offset(), member.size);
}

}  // namespace farfield::tensor
