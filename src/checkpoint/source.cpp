#include "checkpoint/source.hpp"

#include <algorithm>
#include <farfield/core/sha256.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

namespace farfield::checkpoint {
namespace {

class GgufSource final : public Source {
public:
    explicit GgufSource(const std::string& path) : file_(path) {}

    const std::string& path() const override { return file_.path(); }
    const tensor::GgufValue* value(std::string_view key) const override { return file_.header().find(key); }
    void read_list(std::string_view key, const std::function<void(const tensor::GgufValue&)>& take) const override {
        tensor::read_gguf_array(path(), key, take);
    }
    std::span<const tensor::GgufTensor> tensors() const override { return file_.header().tensors; }
    const tensor::GgufTensor* find(std::string_view name) const override { return file_.find(name); }
    void read_rows(const tensor::GgufTensor& tensor, std::size_t row, std::span<float> result) const override {
        file_.read_rows(tensor, row, result);
    }
    scheme::Pairs pairs(const Architecture& architecture) const override { return architecture.pairs; }
    std::string identity() const override { return core::sha256(digest_of_weights(path())); }

private:
    tensor::GgufFile file_;
};

}  // namespace

std::shared_ptr<const Source> open_source(const std::string& path) {
    std::error_code failure;
    if (std::filesystem::is_directory(path, failure)) return open_folder(path);
    return std::make_shared<const GgufSource>(path);
}

namespace {

/// The first `head` bytes of a file, and pieces spread over the rest.
std::string pieces_of(std::ifstream& stream, std::uint64_t size) {
    constexpr std::uint64_t head = 1 << 20;
    constexpr std::uint64_t pieces = 64;
    constexpr std::uint64_t piece_bytes = 1 << 16;
    std::string text;
    const auto add = [&](std::uint64_t from, std::uint64_t count) {
        std::string piece(std::min(count, size - from), '\0');
        stream.seekg(static_cast<std::streamoff>(from));
        stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        text += piece;
    };
    add(0, std::min(head, size));
    for (std::uint64_t piece = 0; piece < pieces; ++piece) add(size / pieces * piece, piece_bytes);
    return core::sha256(text);
}

std::string whole_of(std::ifstream& stream, std::uint64_t size) {
    constexpr std::uint64_t at_once = std::uint64_t{64} << 20;
    std::string digests;
    std::string block;
    for (std::uint64_t at = 0; at < size; at += block.size()) {
        block.resize(std::min(at_once, size - at));
        stream.read(block.data(), static_cast<std::streamsize>(block.size()));
        digests += core::sha256(block);
    }
    return core::sha256(digests);
}

}  // namespace

std::string digest_of_weights(const std::string& path) {
    // A study opens its checkpoint once for each quantity.
    static std::mutex mutex;
    static std::map<std::string, std::string> known;
    std::error_code failure;
    const std::uint64_t size = std::filesystem::file_size(path, failure);
    const auto written = std::filesystem::last_write_time(path, failure).time_since_epoch().count();
    const std::string version = std::to_string(size) + " " + std::to_string(static_cast<long long>(written));
    const std::lock_guard lock(mutex);
    std::string& digest = known[path + "\n" + version];
    if (!digest.empty()) return digest;
    std::ifstream stream(path, std::ios::binary);
    digest = size <= most_hashed_bytes ? std::to_string(size) + " " + whole_of(stream, size)
                                       : version + " " + pieces_of(stream, size);
    return digest;
}

}  // namespace farfield::checkpoint
