#include "checkpoint/source.hpp"

#include <algorithm>
#include <farfield/core/sha256.hpp>
#include <filesystem>
#include <fstream>

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
    std::string identity() const override { return core::sha256(pieces_of(path(), file_.header().size)); }

private:
    tensor::GgufFile file_;
};

}  // namespace

std::shared_ptr<const Source> open_source(const std::string& path) {
    std::error_code failure;
    if (std::filesystem::is_directory(path, failure)) return open_folder(path);
    return std::make_shared<const GgufSource>(path);
}

std::string pieces_of(const std::string& path, std::uint64_t head) {
    constexpr std::uint64_t pieces = 64;
    constexpr std::uint64_t piece_bytes = 1 << 16;
    std::ifstream stream(path, std::ios::binary);
    stream.seekg(0, std::ios::end);
    const auto size = static_cast<std::uint64_t>(std::max<std::streamoff>(stream.tellg(), 0));
    std::string text = std::to_string(size);
    const auto add = [&](std::uint64_t from, std::uint64_t count) {
        std::string piece(std::min(count, size - from), '\0');
        stream.seekg(static_cast<std::streamoff>(from));
        stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        text += piece;
    };
    add(0, std::min(head, size));
    for (std::uint64_t piece = 0; piece < pieces; ++piece) add(size / pieces * piece, piece_bytes);
    return text;
}

}  // namespace farfield::checkpoint
