// Files whose bytes are written here, and those of numpy under tests/references/compare.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <cmath>
#include <cstring>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/tensor/tensor.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>

#include "tensor/formats.hpp"

namespace farfield::tensor {
namespace {

namespace fs = std::filesystem;

const std::string references = FARFIELD_SOURCE "/tests/references/compare/tensors/";

/// A file that is removed with the object.
class File {
public:
    File(const std::string& name, const std::string& bytes)
        : path_((fs::temp_directory_path() / ("farfield-tensor-" + std::to_string(getpid()) + "-" + name)).string()) {
        std::ofstream(path_, std::ios::binary) << bytes;
    }
    ~File() { fs::remove(path_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

std::string npy(const std::string& header, const std::string& numbers, char version = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += version;
    bytes += '\0';
    bytes += static_cast<char>(header.size() & 0xff);
    bytes += static_cast<char>(header.size() >> 8);
    if (version > 1) bytes += std::string(2, '\0');
    return bytes + header + numbers;
}

std::string header(const std::string& type, const std::string& shape, const std::string& order = "False") {
    return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

template <class Number>
std::string bytes_of(std::initializer_list<Number> numbers) {
    std::string bytes(numbers.size() * sizeof(Number), '\0');
    std::memcpy(bytes.data(), std::data(numbers), bytes.size());
    return bytes;
}

std::vector<double> numbers_of(const std::string& path, const std::string& name = {}) {
    const Tensor tensor = open_tensor(path, name);
    std::vector<double> numbers(tensor.description().count());
    tensor.read(0, numbers);
    return numbers;
}

/// The message a refused file gets; "" if it was read.
std::string refusal(const std::string& name, const std::string& bytes, const std::string& tensor = {}) {
    const File file(name, bytes);
    try {
        numbers_of(file.path(), tensor);
    } catch (const core::UserError& error) {
        return core::format(error.diagnostics());
    }
    return {};
}

std::string content(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void check_npy(const std::string& type, const std::string& numbers, const std::vector<double>& expected) {
    INFO(type);
    const File file("a.npy", npy(header(type, "(" + std::to_string(expected.size()) + ",)"), numbers));
    CHECK(numbers_of(file.path()) == expected);
}

TEST_CASE("every type of .npy is read") {
    check_npy("<f8", bytes_of({1.5, -0.1}), {1.5, -0.1});
    check_npy("<f4", bytes_of({1.5f, -0.1f}), {1.5, static_cast<double>(-0.1f)});
    check_npy(">f4", std::string("\x3f\xc0\x00\x00", 4), {1.5});
    check_npy("<f2", std::string("\x00\x3e\x00\xfc", 4), {1.5, -std::numeric_limits<double>::infinity()});
    check_npy("|V2", std::string("\xc0\x3f\x80\xbf", 4), {1.5, -1});
    check_npy("<i8", bytes_of<std::int64_t>({-3, 4}), {-3, 4});
    check_npy("<i4", bytes_of<std::int32_t>({-3, 4}), {-3, 4});
    check_npy("<i2", bytes_of<std::int16_t>({-3, 4}), {-3, 4});
    check_npy("|i1", bytes_of<std::int8_t>({-3, 4}), {-3, 4});
    check_npy("|u1", bytes_of<std::uint8_t>({253, 4}), {253, 4});
    check_npy("|b1", std::string("\x01\x00", 2), {1, 0});
}

TEST_CASE("version 2 of .npy, complex numbers and column-major order are read") {
    const File second("a.npy", npy(header("<f4", "(1,)"), bytes_of({2.5f}), 2));
    CHECK(numbers_of(second.path()) == std::vector<double>{2.5});
    const File complex("b.npy", npy(header("<c8", "(1,)"), bytes_of({2.5f, -1.0f})));
    CHECK(open_tensor(complex.path()).description().shape == std::vector<std::size_t>{1, 2});
    CHECK(numbers_of(complex.path()) == std::vector<double>{2.5, -1});
    // [[1, 2, 3], [4, 5, 6]], the first axis fastest.
    const File column("c.npy", npy(header("<f4", "(2, 3)", "True"), bytes_of({1.0f, 4.0f, 2.0f, 5.0f, 3.0f, 6.0f})));
    CHECK(numbers_of(column.path()) == std::vector<double>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("memory of another program is read in place, like a file, and kept alive") {
    const auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4, 5, 6});
    Description description;
    description.type = *find_type("float32");
    description.shape = {2, 3};
    const auto bytes = std::as_bytes(std::span(*owner));
    const Tensor tensor = tensor_in_memory(description, bytes, owner, "array");
    CHECK(owner.use_count() == 2);
    CHECK(tensor.holds_floats());
    (*owner)[4] = 50;
    std::vector<double> found(3);
    tensor.read(3, found);
    CHECK(found == std::vector<double>{4, 50, 6});
    CHECK_THROWS_AS(tensor.read(4, found), core::PreconditionError);
    description.shape = {7};
    CHECK_THROWS_WITH(tensor_in_memory(description, bytes, owner, "array"),
                      Catch::Contains("array: the shape [7] of float32 takes 28 bytes, and there are 24"));
    CHECK(!find_type("float31"));
}
TEST_CASE("a stretch is read from any index on, over the pieces") {
    std::string bytes(4 * 100'000, '\0');
    for (int i = 0; i < 100'000; ++i) {
        const auto number = static_cast<float>(i);
        std::memcpy(bytes.data() + 4 * i, &number, 4);
    }
    const File file("a.npy", npy(header("<f4", "(100000,)"), bytes));
    const Tensor tensor = open_tensor(file.path());
    std::vector<double> some(50'000);
    tensor.read(30'001, some);
    CHECK(some.front() == 30'001);
    CHECK(some.back() == 80'000);
    CHECK_THROWS_AS(tensor.read(50'001, some), core::PreconditionError);
}

TEST_CASE("the part at an index of the first axis is read in place") {
    std::vector<float> numbers(24);
    std::iota(numbers.begin(), numbers.end(), 0.0F);
    for (const bool is_column_major : {false, true}) {
        INFO(is_column_major);
        Description description{"", ElementType::float32, {2, 3, 4}};
        description.is_column_major = is_column_major;
        const Tensor whole = tensor_in_memory(description, std::as_bytes(std::span(numbers)), nullptr, "array");
        const Tensor part = whole.at(1).at(2);
        CHECK(part.description().shape == std::vector<std::size_t>{4});
        for (std::size_t at = 0; at < 4; ++at) {
            double number = -1;
            part.read(at, std::span(&number, 1));
            // [1, 2, at]: the last axis runs fastest, or the first one does.
            CHECK(number == static_cast<double>(is_column_major ? 1 + 2 * 2 + 6 * at : 12 + 8 + at));
        }
        CHECK_THROWS_AS(whole.at(2), core::PreconditionError);
        CHECK_THROWS_AS(part.at(0).at(0), core::PreconditionError);
        std::vector<double> beyond(5);
        CHECK_THROWS_AS(part.read(0, beyond), core::PreconditionError);
    }
}

TEST_CASE("a column-major tensor of one axis longer than 1 is read in place") {
    const auto kept = std::make_shared<const std::vector<float>>(std::vector<float>{1, 2, 3, 4, 5, 6});
    const auto tensor_of = [&](std::vector<std::size_t> shape) {
        Description description{"", ElementType::float32, std::move(shape)};
        description.is_column_major = true;
        return tensor_in_memory(description, std::as_bytes(std::span(*kept)), kept, "array");
    };
    CHECK(tensor_of({6}).holds_floats());
    CHECK(tensor_of({1, 6, 1}).holds_floats());
    CHECK_FALSE(tensor_of({2, 3}).holds_floats());
    std::vector<float> floats(2);
    tensor_of({1, 6}).read(3, floats);
    CHECK(floats == std::vector<float>{4, 5});
    CHECK_THROWS_AS(tensor_of({2, 3}).read(3, floats), core::PreconditionError);
    CHECK_THROWS_AS(tensor_of({6}).read(5, floats), core::PreconditionError);
    CHECK_NOTHROW(tensor_of({6}).read(6, std::span<float>()));
    std::vector<double> doubles(6);
    tensor_of({2, 3}).read(0, doubles);
    CHECK(doubles == std::vector<double>{1, 3, 5, 2, 4, 6});
}

TEST_CASE("numbers of an archive are the same stored and deflated") {
    const std::vector<double> deflated = numbers_of(references + "rotary.npz", "cos");
    CHECK(deflated == numbers_of(references + "cos.npy"));
    CHECK(list_tensors(references + "rotary.npz").size() == 2);
    const std::vector<double> stored = numbers_of(references + "rotary-stored.npz", "sin");
    REQUIRE(stored.size() == 128);
    CHECK_FALSE(!(std::abs(stored[8] - std::sin(1.0)) < 1e-15));
}

TEST_CASE("a member of an archive is inflated up to a limit, stored ones have none") {
    // 128 doubles and a header of numpy's least size.
    const std::uint64_t size = 128 + 128 * sizeof(float);
    CHECK(open_npz_member(references + "rotary.npz", "cos", size)->size() == size);
    CHECK_THROWS_WITH(open_npz_member(references + "rotary.npz", "cos", size - 1),
                      Catch::Contains("'cos.npy' takes 640 bytes when inflated") && Catch::Contains("639 at most"));
    CHECK(open_npz_member(references + "rotary-stored.npz", "sin", 1)->size() == 128 + 128 * sizeof(double));
}

TEST_CASE("the tensors of a safetensors file are read by name") {
    const std::string path = references + "alibi.safetensors";
    CHECK(list_tensors(path).size() == 3);
    CHECK(numbers_of(path, "single") == numbers_of(references + "alibi.npy"));
    CHECK_THROWS_WITH(open_tensor(path), Catch::Contains("known here: rounded, stepwise, single"));
    CHECK_THROWS_AS(open_tensor(path, "double"), core::UserError);
}

TEST_CASE("a file cut short is refused, or read unchanged if the lost part does not concern the numbers") {
    for (const std::string name : {"cos.npy", "rotary.npz", "rotary-stored.npz", "alibi.safetensors"}) {
        const std::string whole = content(references + name);
        for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 97) {
            const File file("cut" + fs::path(name).extension().string(), whole.substr(0, length));
            INFO(name << " cut to " << length);
            bool is_refused = false;
            bool is_same = length + 8 > whole.size();
            try {
                for (const Description& each : list_tensors(file.path()))
                    is_same = is_same && numbers_of(file.path(), each.name) == numbers_of(references + name, each.name);
            } catch (const core::UserError&) {
                is_refused = true;
            }
            CHECK((is_refused || is_same));
        }
    }
}

TEST_CASE("headers with false statements are refused") {
    const std::string four = bytes_of({1.0f});
    CHECK_THAT(refusal("a.npy", npy(header("<f4", "(2,)"), four)), Catch::Contains("takes 8 bytes, and there are 4"));
    CHECK_THAT(refusal("a.npy", npy(header("<f4", "(1,)"), four + "x")),
               Catch::Contains("takes 4 bytes, and there are 5"));
    CHECK_THAT(refusal("a.npy", npy(header("<f4", "(4294967296, 4294967296, 4294967296)"), four)),
               Catch::Contains("beyond any file"));
    CHECK_THAT(refusal("a.npy", npy(header("<f4", "(-1,)"), four)), Catch::Contains("whole numbers"));
    CHECK_THAT(refusal("a.npy", npy(header("<f4", "(99999999999999999999,)"), four)), Catch::Contains("whole numbers"));
    CHECK_THAT(refusal("a.npy", npy(header("|O", "(1,)"), four)), Catch::Contains("nothing is run from data"));
    CHECK_THAT(refusal("a.npy", npy(header("<U8", "(1,)"), four)), Catch::Contains("the type '<U8'"));
    CHECK_THAT(refusal("a.npy", npy("{'descr': '<f4'}", four)), Catch::Contains("lacks one of the keys"));
    CHECK_THAT(refusal("a.npy", npy("{'descr': [('x', '<f4')], }", four)), Catch::Contains("records"));
    CHECK_THAT(refusal("a.npy", "hello, this is not a tensor"), Catch::Contains("does not begin as one"));
    CHECK_THAT(refusal("a.npz", "hello, this is not a tensor"), Catch::Contains("not a zip archive"));
    CHECK_THAT(refusal("a.safetensors", std::string("\x7f\0\0\0\0\0\0\0{}", 10)), Catch::Contains("cut short"));
    CHECK_THAT(refusal("a.pt", "PK"), Catch::Contains("torch.save writes a pickle"));
}

std::string safetensors(const std::string& header_text, const std::string& numbers) {
    const std::uint64_t length = header_text.size();
    return std::string(reinterpret_cast<const char*>(&length), 8) + header_text + numbers;
}

TEST_CASE("headers of safetensors with false statements are refused") {
    const auto entry = [](const std::string& type, const std::string& shape, const std::string& ends) {
        return R"({"a": {"dtype": ")" + type + R"(", "shape": )" + shape + R"(, "data_offsets": )" + ends + "}}";
    };
    const std::string four = bytes_of({1.0f});
    CHECK(refusal("a.safetensors", safetensors(entry("F32", "[1]", "[0, 4]"), four)).empty());
    CHECK_THAT(refusal("a.safetensors", safetensors(entry("F32", "[1]", "[0, 8]"), four)),
               Catch::Contains("ends at byte 8"));
    CHECK_THAT(refusal("a.safetensors", safetensors(entry("F32", "[2]", "[0, 4]"), four)),
               Catch::Contains("takes 8 bytes"));
    CHECK_THAT(refusal("a.safetensors", safetensors(entry("F32", "[1]", "[4, 0]"), four)),
               Catch::Contains("contradicts itself"));
    CHECK_THAT(refusal("a.safetensors", safetensors(entry("F31", "[1]", "[0, 4]"), four)), Catch::Contains("'F31'"));
    CHECK_THAT(refusal("a.safetensors", safetensors("{\"a\": 3}", four)), Catch::Contains("damaged"));
    // 'b' shares a number with 'a'; 'c', of no numbers, stands where 'a' begins.
    const auto two = [](const std::string& begin) {
        return R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, "c": {"dtype": "F32", "shape": [0], )"
               R"("data_offsets": [0, 0]}, "b": {"dtype": "F32", "shape": [1], "data_offsets": [)" +
               begin + "]}}";
    };
    CHECK(refusal("a.safetensors", safetensors(two("8, 12"), four + four + four), "a").empty());
    CHECK_THAT(refusal("a.safetensors", safetensors(two("4, 8"), four + four + four), "a"),
               Catch::Contains("'a' and 'b' overlap"));
    CHECK_THAT(refusal("a.safetensors", safetensors("[1, 2", four)), Catch::Contains("damaged"));
}

TEST_CASE("a header of safetensors with a key twice is refused, at any depth") {
    const auto entry = [](const std::string& shape, const std::string& more = "") {
        return R"({"dtype": "F32", "shape": )" + shape + R"(, "data_offsets": [0, 4])" + more + "}";
    };
    const auto refused = [&](const std::string& text) {
        return refusal("a.safetensors", safetensors("{" + text + "}", bytes_of({1.0f})), "a");
    };
    CHECK(refused(R"("a": )" + entry("[1]")).empty());
    CHECK_THAT(refused(R"("a": )" + entry("[1]") + R"(, "a": )" + entry("[1, 1]")),
               Catch::Contains("the key 'a' twice"));
    CHECK_THAT(refused(R"("a": )" + entry("[1]", R"(, "shape": [1, 1])")), Catch::Contains("the key 'shape' twice"));
    CHECK_THAT(refused(R"("__metadata__": {"x": "1", "x": "2"}, "a": )" + entry("[1]")),
               Catch::Contains("the key 'x' twice"));
    // The same key of two objects is none twice.
    CHECK(refused(R"("__metadata__": {"dtype": "1", "a": "2"}, "a": )" + entry("[1]")).empty());
}

TEST_CASE("a missing file is reported as missing, not as an input error") {
    CHECK_THROWS_AS(open_tensor("no-such-file.npy"), core::MissingError);
    CHECK_THROWS_AS(open_tensor("no-such-file.npz"), core::MissingError);
}

}  // namespace
}  // namespace farfield::tensor
