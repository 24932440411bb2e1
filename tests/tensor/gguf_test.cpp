// Quantized rows of GGUF files against the `gguf` package of ggml's authors, to the bit.
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/tensor/gguf.hpp>
#include <span>
#include <string>
#include <vector>

#include "support/folder.hpp"

using namespace farfield;

namespace {

struct Row {
    std::uint32_t type;
    std::string hexadecimal;
    std::vector<std::uint32_t> bits;
};

// Written by tests/references/tensor/gguf_rows.py.
const std::vector<Row> rows = {
#include "references/tensor/gguf_rows.inc"
};

std::string bytes_of(const std::string& hexadecimal) {
    std::string bytes;
    for (std::size_t i = 0; i < hexadecimal.size(); i += 2)
        bytes += static_cast<char>(std::stoi(hexadecimal.substr(i, 2), nullptr, 16));
    return bytes;
}

template <class Number>
void add(std::string& to, Number number) {
    to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// One tensor "x" [count, 256] whose rows are all the same.
std::string file_of(const Row& row, std::size_t count) {
    std::string file = "GGUF";
    add<std::uint32_t>(file, 3);
    add<std::uint64_t>(file, 1);
    add<std::uint64_t>(file, 0);
    add<std::uint64_t>(file, 1);
    file += 'x';
    add<std::uint32_t>(file, 2);
    add<std::uint64_t>(file, 256);
    add<std::uint64_t>(file, count);
    add<std::uint32_t>(file, row.type);
    add<std::uint64_t>(file, 0);
    file.resize((file.size() + 31) / 32 * 32);
    for (std::size_t i = 0; i < count; ++i) file += bytes_of(row.hexadecimal);
    return file;
}

}  // namespace

TEST_CASE("rows of every readable type are those of the gguf package") {
    const tests::Folder folder;
    std::size_t readable = 0;
    for (const tensor::GgufType& type : tensor::gguf_types()) readable += type.block != nullptr ? 1 : 0;
    CHECK(rows.size() == readable);
    for (const Row& row : rows) {
        INFO("type " << row.type);
        // 300 rows are more than one piece of the file.
        folder.write("x.gguf", file_of(row, 300));
        const tensor::GgufFile file(folder.path("x.gguf"));
        // Nothing is written before or after what is asked for.
        std::vector<float> around(299 * 256 + 2, 77);
        const std::span<float> numbers = std::span(around).subspan(1, 299 * 256);
        file.read_rows(*file.find("x"), 1, numbers);
        CHECK(around.front() == 77);
        CHECK(around.back() == 77);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const auto expected = std::bit_cast<float>(row.bits[i % 256]);
            wrong += numbers[i] == expected ? 0 : 1;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("rows beyond a tensor and parts of rows are refused") {
    const tests::Folder folder;
    folder.write("x.gguf", file_of(rows.front(), 3));
    const tensor::GgufFile file(folder.path("x.gguf"));
    CHECK(file.find("y") == nullptr);
    std::vector<float> row(256);
    CHECK_NOTHROW(file.read_rows(*file.find("x"), 2, row));
    CHECK_THROWS_AS(file.read_rows(*file.find("x"), 3, row), core::PreconditionError);
    CHECK_THROWS_AS(file.read_rows(*file.find("x"), ~std::size_t{0}, row), core::PreconditionError);
    row.resize(128);
    CHECK_THROWS_AS(file.read_rows(*file.find("x"), 0, row), core::PreconditionError);
}

TEST_CASE("a tensor whose last byte is missing is refused") {
    const tests::Folder folder;
    for (const Row& row : rows) {
        std::string whole = file_of(row, 2);
        whole.pop_back();
        folder.write("x.gguf", whole);
        CHECK_THROWS_AS(tensor::GgufFile(folder.path("x.gguf")), core::UserError);
    }
}
