#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <farfield/core/error.hpp>
#include <farfield/train/checkpoint.hpp>

#include "support/folder.hpp"

using namespace farfield;
using namespace farfield::train;
using Catch::Contains;
using farfield::tests::Folder;

namespace {

Checkpoint sample() {
    return {{{"embed.weight", {2, 3}, std::vector<float>{1, -2, 0.5, 4, 5, 6}},
             {"step", {}, std::vector<std::int64_t>{1000}},
             {"loss", {2}, std::vector<double>{0.1, 1e300}},
             {"none", {0, 4}, std::vector<float>{}}},
            {{"model", "small \"quoted\""}, {"seed", "3"}}};
}

void check_equal(const Checkpoint& a, const Checkpoint& b) {
    CHECK(a.metadata == b.metadata);
    REQUIRE(a.tensors.size() == b.tensors.size());
    for (std::size_t i = 0; i < a.tensors.size(); ++i) {
        CHECK(a.tensors[i].name == b.tensors[i].name);
        CHECK(a.tensors[i].shape == b.tensors[i].shape);
        CHECK((a.tensors[i].data == b.tensors[i].data));
    }
}

}  // namespace

TEST_CASE("a checkpoint is read back unchanged") {
    check_equal(from_safetensors(to_safetensors(sample()), "x"), sample());
    const Folder folder;
    save_checkpoint(folder.path("deep/a.safetensors"), sample());
    check_equal(load_checkpoint(folder.path("deep/a.safetensors")), sample());
}

TEST_CASE("a checkpoint is what the format describes, byte for byte") {
    // 8 bytes of length, JSON padded by blanks to a multiple of 8, then the numbers in order.
    const std::string bytes = to_safetensors({{{"a", {1}, std::vector<float>{1}}}, {}});
    const auto length = static_cast<std::size_t>(static_cast<unsigned char>(bytes[0]));
    REQUIRE(length % 8 == 0);
    REQUIRE(bytes.size() == 8 + length + 4);
    CHECK_THAT(bytes.substr(8, length), Contains(R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})"));
    CHECK(bytes.substr(8 + length) == std::string("\x00\x00\x80\x3f", 4));
}

TEST_CASE("a checkpoint cut short anywhere is refused") {
    const std::string bytes = to_safetensors(sample());
    for (std::size_t length = 0; length < bytes.size(); ++length)
        CHECK_THROWS_AS(from_safetensors(bytes.substr(0, length), "cut"), core::MissingError);
    CHECK_THROWS_WITH(from_safetensors(bytes.substr(0, bytes.size() - 1), "cut"), Contains("'cut'"));
    CHECK_THROWS_AS(from_safetensors(bytes + "x", "long"), core::MissingError);
}

TEST_CASE("a checkpoint with any bit flipped is refused") {
    const std::string bytes = to_safetensors(sample());
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        std::string turned = bytes;
        turned[bit / 8] = static_cast<char>(turned[bit / 8] ^ (1 << bit % 8));
        bool refused = false;
        try {
            // A turned bit of the header may leave a file that is whole but has no digest by that name.
            refused = from_safetensors(turned, "turned").metadata.size() > sample().metadata.size();
        } catch (const core::MissingError&) {
            refused = true;
        }
        INFO("byte " << bit / 8 << " is '" << bytes[bit / 8] << "', then '" << turned[bit / 8] << "'");
        CHECK(refused);
    }
}

TEST_CASE("a file of another program is read without a digest, and a foreign one is refused") {
    const std::string header = R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    const std::string length(1, static_cast<char>(header.size()));
    const Checkpoint read =
        from_safetensors(length + std::string(7, '\0') + header + std::string("\0\0\x80\x3f", 4), "other");
    REQUIRE(floats(read, "w", {1}, "other").size() == 1);
    CHECK(floats(read, "w", {1}, "other")[0] == 1);
    CHECK_THROWS_WITH(from_safetensors("this is a text of some length", "text"), Contains("not a safetensors"));
}

TEST_CASE("offsets, types and shapes that do not fit the numbers are reported with the tensor") {
    const auto read = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
        const std::string header =
            R"({"w":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
        const std::string length(1, static_cast<char>(header.size()));
        return from_safetensors(length + std::string(7, '\0') + header + std::string(8, '\0'), "p");
    };
    CHECK(read("F32", "[2]", "[0,8]").tensors.size() == 1);
    CHECK(read("F64", "[1]", "[0,8]").tensors.size() == 1);
    CHECK(read("I64", "[]", "[0,8]").tensors.size() == 1);
    CHECK_THROWS_WITH(read("F32", "[4]", "[0,16]"),
                      Contains("'w' ends at byte 16 of the numbers, of which there are 8"));
    CHECK_THROWS_WITH(read("F32", "[2]", "[8,0]"), Contains("the offsets of 'w' are invalid"));
    CHECK_THROWS_WITH(read("F32", "[2]", "[0,8,8]"), Contains("the offsets of 'w' are invalid"));
    CHECK_THROWS_WITH(read("F32", "[1]", "[0,8]"), Contains("'w' has 8 bytes, not those of its shape"));
    CHECK_THROWS_WITH(read("F64", "[2]", "[0,8]"), Contains("'w' has 8 bytes, not those of its shape"));
    CHECK_THROWS_WITH(read("F32", "[1]", "[0,4]"), Contains("4 bytes follow its last tensor"));
    CHECK_THROWS_WITH(read("F16", "[1]", "[0,8]"), Contains("'w' holds F16; F32, F64 and I64 are read"));
}

TEST_CASE("a header longer than the file or than any model's is refused") {
    const auto read = [](std::uint64_t length) {
        std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
        return from_safetensors(bytes + "{}", "p");
    };
    CHECK(read(2).tensors.empty());
    CHECK_THROWS_WITH(from_safetensors(std::string(7, '\0'), "p"), Contains("it has no header"));
    CHECK_THROWS_WITH(from_safetensors(std::string(8, '\0'), "p"), Contains("its header is damaged"));
    CHECK_THROWS_WITH(read(3), Contains("its header is not whole"));
    CHECK_THROWS_WITH(read(100'000'000), Contains("its header is not whole"));
    CHECK_THROWS_WITH(read(100'000'001), Contains("not a safetensors file"));
}

TEST_CASE("a header with a key twice is refused") {
    const std::string entry = R"("w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
    const std::string header = "{" + entry + "," + entry + "}";
    const std::string length(1, static_cast<char>(header.size()));
    CHECK_THROWS_WITH(
        from_safetensors(length + std::string(7, '\0') + header + std::string("\0\0\x80\x3f", 4), "other"),
        Contains("the key 'w' twice"));
}

TEST_CASE("a tensor of another shape is reported with both shapes") {
    const Checkpoint checkpoint = sample();
    CHECK(floats(checkpoint, "embed.weight", {2, 3}, "p").size() == 6);
    CHECK_THROWS_WITH(floats(checkpoint, "embed.weight", {3, 2}, "p"), Contains("[2, 3]") && Contains("[3, 2]"));
    CHECK_THROWS_WITH(floats(checkpoint, "head", {1}, "p"), Contains("no tensor 'head'"));
    CHECK_THROWS_WITH(floats(checkpoint, "loss", {2}, "p"), Contains("F64"));
}

TEST_CASE("a shape that does not match its numbers violates a precondition") {
    CHECK_THROWS_AS(to_safetensors({{{"a", {2}, std::vector<float>{1}}}, {}}), core::PreconditionError);
    CHECK_THROWS_AS(to_safetensors({{{"a", {0}, std::vector<float>{}}, {"a", {0}, std::vector<float>{}}}, {}}),
                    core::PreconditionError);
}

TEST_CASE("a file beyond 64 GiB is not a checkpoint") {
    const Folder folder;
    folder.write("large", "");
    std::error_code failure;
    std::filesystem::resize_file(folder.path("large"), (std::uintmax_t{1} << 36) + 1, failure);
    if (failure) return;  // the file system has no files of such a size
    CHECK_THROWS_WITH(load_checkpoint(folder.path("large")), Contains("the file is over 64 GiB;"));
}

TEST_CASE("a full disk loses nothing written before") {
    const Folder folder;
    const std::string path = folder.path("a.safetensors");
    save_checkpoint(path, sample());
    Checkpoint larger = sample();
    larger.tensors.push_back({"large", {100000}, std::vector<float>(100000, 1)});
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    CHECK_THROWS_WITH(save_checkpoint(path, larger), Contains(path) && Contains("--cache"));
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    check_equal(load_checkpoint(path), sample());
}
