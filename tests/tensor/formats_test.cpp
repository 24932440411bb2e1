// Types of numbers and the headers of .npy, .npz and .safetensors, each at its limits. Files are written here, byte by
// byte, as numpy.lib.format, the README of safetensors and APPNOTE.TXT of the zip format have them.
#include <catch2/catch.hpp>

#include <sys/resource.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/tensor/tensor.hpp>
#include <filesystem>
#include <limits>
#include <string>

#include "support/folder.hpp"
#include "tensor/formats.hpp"

namespace farfield::tensor {
namespace {

using Catch::Contains;

template <class Number>
std::string bytes(Number number) {
    return {reinterpret_cast<const char*>(&number), sizeof number};
}

std::string u2(std::uint64_t number) {
    return bytes(static_cast<std::uint16_t>(number));
}

std::string u4(std::uint64_t number) {
    return bytes(static_cast<std::uint32_t>(number));
}

std::string dictionary(const std::string& type, const std::string& shape) {
    return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

std::string npy_with(const std::string& header, const std::string& numbers, char version = 1) {
    const std::string length = version == 1 ? u2(header.size()) : u4(header.size());
    return std::string("\x93NUMPY") + version + '\0' + length + header + numbers;
}

std::string npy_of(const std::string& type, const std::string& shape, const std::string& numbers) {
    return npy_with(dictionary(type, shape), numbers);
}

std::string safetensors_with(const std::string& header, const std::string& numbers) {
    return bytes<std::uint64_t>(header.size()) + header + numbers;
}

std::string entry(const std::string& name, const std::string& type, const std::string& shape, const std::string& ends) {
    return "\"" + name + R"(": {"dtype": ")" + type + R"(", "shape": )" + shape + R"(, "data_offsets": )" + ends + "}";
}

/// One member of an archive, with what its two headers say of it.
struct Member {
    std::string name;
    std::string content;                  ///< as it stands in the file
    std::uint64_t size = content.size();  ///< that the archive claims
    unsigned flags = 0;
    unsigned method = 0;  ///< 0 is stored, 8 deflated
    unsigned extra = 0;   ///< length of the extra field that the member's own header claims, and does not have
};

/// A zip archive: members, each after its header, then the directory of all and its place.
std::string zip(const std::vector<Member>& members) {
    std::string file, directory;
    for (const Member& each : members) {
        const std::string sizes = u4(each.content.size()) + u4(each.size);
        const std::string common =
            u2(20) + u2(each.flags) + u2(each.method) + u4(0) + u4(0) + sizes + u2(each.name.size());
        directory += "PK\1\2" + u2(20) + common + u2(0) + u2(0) + u2(0) + u2(0) + u4(0) + u4(file.size()) + each.name;
        file += "PK\3\4" + common + u2(each.extra) + each.name + each.content;
    }
    const std::string counts = u2(members.size()) + u2(members.size());
    return file + directory + "PK\5\6" + u2(0) + u2(0) + counts + u4(directory.size()) + u4(file.size()) + u2(0);
}

std::vector<double> numbers_of(const std::string& path, const std::string& name = {}) {
    const Tensor tensor = open_tensor(path, name);
    std::vector<double> numbers(tensor.description().count());
    tensor.read(0, numbers);
    return numbers;
}

/// What is wrong with the file; "" where its tensors can be listed and read.
std::string wrong(const std::string& name, const std::string& content) {
    const tests::Folder folder;
    folder.write(name, content);
    try {
        for (const Description& each : list_tensors(folder.path(name))) numbers_of(folder.path(name), each.name);
    } catch (const core::UserError& error) {
        return core::format(error.diagnostics());
    }
    return {};
}

/// A number of a format by its definition: sign, exponent, fraction. Of e4m3 ("fn") the last pattern alone is NaN.
double defined(unsigned pattern, int exponent_bits, int fraction_bits, bool has_infinity) {
    const unsigned fraction = pattern & ((1U << fraction_bits) - 1);
    const unsigned exponent = pattern >> fraction_bits & ((1U << exponent_bits) - 1);
    const bool is_negative = (pattern >> (exponent_bits + fraction_bits) & 1) != 0;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const unsigned last = (1U << exponent_bits) - 1;
    double size = std::ldexp(fraction + (exponent > 0 ? std::ldexp(1.0, fraction_bits) : 0),
                             static_cast<int>(std::max(exponent, 1U)) - bias - fraction_bits);
    if (has_infinity && exponent == last) size = fraction == 0 ? std::numeric_limits<double>::infinity() : NAN;
    if (!has_infinity && exponent == last && fraction == (1U << fraction_bits) - 1) size = NAN;
    return is_negative ? -size : size;
}

template <class Number>
std::pair<std::string, std::vector<double>> whole_numbers() {
    std::string stored;
    std::vector<double> expected;
    for (const Number number : {std::numeric_limits<Number>::min(), std::numeric_limits<Number>::max(), Number{0},
                                static_cast<Number>(-1), Number{77}}) {
        stored += bytes(number);
        expected.push_back(static_cast<double>(number));
    }
    return {stored, expected};
}

std::pair<std::string, std::vector<double>> all_patterns(unsigned count, int exponent_bits, int fraction_bits,
                                                         bool has_infinity) {
    std::string stored;
    std::vector<double> expected;
    for (unsigned pattern = 0; pattern < count; ++pattern) {
        stored += count == 256 ? std::string(1, static_cast<char>(pattern)) : u2(pattern);
        expected.push_back(defined(pattern, exponent_bits, fraction_bits, has_infinity));
    }
    return {stored, expected};
}

struct Type {
    const char* name;
    std::size_t size;
    const char* format;
    const char* npy;  ///< "" where numpy has none
    const char* safetensors;
    std::pair<std::string, std::vector<double>> numbers;
};

std::vector<Type> types() {
    const std::pair<std::string, std::vector<double>> floats = {bytes(1.5F) + bytes(-0.1F) + bytes(0x1p-149F),
                                                                {1.5, static_cast<double>(-0.1F), 0x1p-149}};
    const std::pair<std::string, std::vector<double>> doubles = {bytes(1.5) + bytes(-0.1) + bytes(0x1p-1074),
                                                                 {1.5, -0.1, 0x1p-1074}};
    return {
        {"float64", 8, "", "f8", "F64", doubles},
        {"float32", 4, "fp32", "f4", "F32", floats},
        {"float16", 2, "fp16", "f2", "F16", all_patterns(65536, 5, 10, true)},
        {"bfloat16", 2, "bf16", "V2", "BF16", all_patterns(65536, 8, 7, true)},
        {"float8_e4m3", 1, "e4m3", "", "F8_E4M3", all_patterns(256, 4, 3, false)},
        {"float8_e5m2", 1, "e5m2", "", "F8_E5M2", all_patterns(256, 5, 2, true)},
        {"int64", 8, "", "i8", "I64", whole_numbers<std::int64_t>()},
        {"int32", 4, "", "i4", "I32", whole_numbers<std::int32_t>()},
        {"int16", 2, "", "i2", "I16", whole_numbers<std::int16_t>()},
        {"int8", 1, "", "i1", "I8", whole_numbers<std::int8_t>()},
        {"uint8", 1, "", "u1", "U8", whole_numbers<std::uint8_t>()},
        {"boolean", 1, "", "b1", "BOOL", {std::string("\1\0\1", 3), {1, 0, 1}}},
    };
}

/// Equal, or both NaN.
bool are_same(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
        return std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
    });
}

std::string turned(const std::string& numbers, std::size_t size) {
    std::string result = numbers;
    for (std::size_t at = 0; at < numbers.size(); at += size) std::reverse(&result[at], &result[at] + size);
    return result;
}

TEST_CASE("every type has its name, size and format, and its numbers are read from every file and from memory") {
    for (const Type& type : types()) {
        INFO(type.name);
        const std::optional<ElementType> found = find_type(type.name);
        REQUIRE(found);
        CHECK(type_name(*found) == type.name);
        CHECK(size_of(*found) == type.size);
        CHECK(format_of(*found) == type.format);
        // Lambdas of clang 14 take no names of a structured binding.
        const auto& stored = type.numbers.first;
        const auto& expected = type.numbers.second;
        const std::string count = std::to_string(expected.size());
        const tests::Folder folder;
        const auto check = [&](const std::string& name, const std::string& content) {
            INFO(name);
            folder.write(name, content);
            const Description description = open_tensor(folder.path(name)).description();
            CHECK(description.type == *found);
            CHECK(description.shape == std::vector<std::size_t>{expected.size()});
            CHECK(are_same(numbers_of(folder.path(name)), expected));
        };
        const std::string ends = "[0, " + std::to_string(stored.size()) + "]";
        check("x.safetensors",
              safetensors_with("{" + entry("x", type.safetensors, "[" + count + "]", ends) + "}", stored));
        const Tensor memory = tensor_in_memory({"", *found, {expected.size()}},
                                               std::as_bytes(std::span(stored.data(), stored.size())), nullptr, "m");
        std::vector<double> numbers(expected.size());
        memory.read(0, numbers);
        CHECK(are_same(numbers, expected));
        CHECK(memory.holds_floats() == (std::string(type.name) == "float32"));
        if (*type.npy == '\0') continue;
        const std::string shape = "(" + count + ",)", code = type.npy;
        for (const char* mark : {"", "<", "=", "|"}) check("x.npy", npy_of(mark + code, shape, stored));
        check("x.npy", npy_of(">" + code, shape, turned(stored, type.size)));
        check("x.npz", zip({{"a.npy", npy_of("<" + code, shape, stored)}}));
    }
}

TEST_CASE("a .npy cut in its header does not begin as one, or is cut short") {
    for (const char version : {'\1', '\2', '\3'}) {
        const std::string whole = npy_with(dictionary("<f8", "(1,)"), bytes(0.1), version);
        CHECK(wrong("a.npy", whole).empty());
        const std::size_t before = version == 1 ? 10 : 12;
        const std::size_t header = whole.size() - 8;
        for (std::size_t length = 0; length < whole.size(); ++length) {
            INFO("version " << int{version} << ", " << length << " bytes");
            const std::string message = wrong("a.npy", whole.substr(0, length));
            CHECK_THAT(message, Contains(length < 10       ? "does not begin as one"
                                         : length < before ? "cut short"
                                         : length < header ? "cut short"
                                                           : "takes 8 bytes, and there are"));
        }
        for (std::size_t at = 0; at < 6; ++at) {
            std::string other = whole;
            other[at] ^= 1;
            CHECK_THAT(wrong("a.npy", other), Contains("does not begin as one"));
        }
    }
    for (const char version : {'\0', '\4'})
        CHECK_THAT(wrong("a.npy", npy_with(dictionary("<f8", "(1,)"), bytes(0.1), version)),
                   Contains("version " + std::to_string(int{version}) + " of .npy"));
}

TEST_CASE("a header of .npy has each key once, and up to a limit of bytes and axes") {
    const auto of = [](const std::string& header) { return wrong("a.npy", npy_with(header, bytes(0.1))); };
    const std::string descr = "'descr': '<f8'", order = "'fortran_order': False", shape = "'shape': (1,)";
    // Any order of the keys, any quotes and spaces, a comma at the end or none.
    CHECK(of("{" + descr + ", " + order + ", " + shape + "}").empty());
    CHECK(of("{" + shape + "," + order + "," + descr + ",}\n").empty());
    CHECK(of(" {\"descr\" :\t\"<f8\" ,\n 'fortran_order':False,'shape' : ( 1 ) }").empty());
    for (const std::string& key : {descr, order, shape})
        CHECK_THAT(of("{" + descr + ", " + order + ", " + shape + ", " + key + "}"),
                   Contains("damaged: the key '" + key.substr(1, key.find('\'', 1) - 1) + "'"));
    for (const auto& pair : {descr + ", " + order, descr + ", " + shape, order + ", " + shape})
        CHECK_THAT(of("{" + pair + "}"), Contains("lacks one of the keys 'descr', 'fortran_order', 'shape'"));
    CHECK_THAT(of("{" + descr + ", " + order + ", " + shape + ", 'other': 3}"), Contains("damaged: the key 'other'"));
    const std::string name = "0123456789012345678901234567890123456789";
    CHECK_THAT(of("{'" + name + "': 3}"), Contains("the key '" + name + "'"));
    CHECK_THAT(of("{'" + name + "x': 3}"), Contains("the key '" + name + "'"));
    CHECK_THAT(of("{'descr': '<" + name + "'}"),
               Contains("the type '<" + name.substr(1)) || Contains(name.substr(0, 39)));
    CHECK_THAT(of("{" + descr + ", 'fortran_order': None, " + shape + "}"), Contains("fortran_order is not a boolean"));
    CHECK_THAT(of("{'descr': '<f8}"), Contains("a text that does not end"));
    CHECK_THAT(of("{'descr' '<f8'}"), Contains("no ':' where one belongs"));
    CHECK_THAT(of("{'descr': '<f8' 'shape'"), Contains("no '}' where one belongs"));
    CHECK_THAT(of("['descr']"), Contains("no '{' where one belongs"));
    CHECK_THAT(of("{descr: '<f8'}"), Contains("no ''' where one belongs"));
    CHECK_THAT(of("{" + descr + ", " + order + ", 'shape': 1}"), Contains("no '(' where one belongs"));
    CHECK_THAT(of("{" + descr + ", " + order + ", 'shape': (1 1)}"), Contains("no ')' where one belongs"));
    CHECK_THAT(of("{" + descr + ", " + order + ", 'shape': (x,)}"), Contains("not a list of whole numbers"));
    // Each byte of the length counts: headers are filled with spaces.
    const auto filled = [](std::size_t length) {
        std::string header = dictionary("<f8", "(1,)");
        header.resize(length, ' ');
        return wrong("a.npy", npy_with(header, bytes(0.1), 2));
    };
    for (const std::size_t length : {100, 255, 256, 300, 65535, 65536, 70000, 200001, 1 << 20})
        CHECK(filled(length).empty());
    CHECK_THAT(filled((1 << 20) + 1), Contains("a header of 1048577 bytes") && Contains("at most 1048576"));
    CHECK_THAT(filled(1 << 24), Contains("a header of 16777216 bytes"));
    const auto axes = [&](int count) {
        std::string list;
        for (int i = 0; i < count; ++i) list += "1,";
        return of("{" + descr + ", " + order + ", 'shape': (" + list + ")}");
    };
    CHECK(axes(0).empty());
    CHECK(axes(32).empty());
    CHECK_THAT(axes(33), Contains("a shape of over 32 axes"));
}

TEST_CASE("a shape of up to 2^62 bytes is compared with the file's size, and a larger one exceeds any file") {
    const auto of = [](const std::string& type, const std::string& shape) {
        return wrong("a.npy", npy_of(type, shape, "12345678"));
    };
    CHECK_THAT(of("|u1", "(4611686018427387904,)"), Contains("takes 4611686018427387904 bytes, and there are 8"));
    CHECK_THAT(of("|u1", "(4611686018427387905,)"), Contains("[4611686018427387905] is beyond any file"));
    CHECK_THAT(of("<f8", "(576460752303423488,)"), Contains("takes 4611686018427387904 bytes"));
    CHECK_THAT(of("<f8", "(1073741824, 1073741824)"), Contains("beyond any file"));
    // The product overflows and comes back to 8, or to 0.
    CHECK_THAT(of("|u1", "(4294967296, 4294967296, 8)"), Contains("beyond any file"));
    CHECK_THAT(of("<f8", "(2305843009213693952, 1)"), Contains("beyond any file"));
    CHECK_THAT(of("<f8", "(2,)"), Contains("takes 16 bytes, and there are 8") && Contains("a whole file"));
    CHECK_THAT(of("<f4", "(1,)"), Contains("takes 4 bytes, and there are 8") && Contains("a file with one tensor"));
    CHECK(of("<f4", "(2,)").empty());
    CHECK_THAT(of("<f4", "(0,)"), Contains("the shape [0] of float32 takes 0 bytes, and there are 8"));
    CHECK(wrong("a.npy", npy_of("<f4", "(0, 3)", "")).empty());
    CHECK(wrong("a.npy", npy_of("<f4", "()", bytes(1.5F))).empty());
}

TEST_CASE("a number of a file that was cut after it was opened is not read") {
    const tests::Folder folder;
    folder.write("a.npy", npy_of("<f8", "(2,)", bytes(0.1) + bytes(0.2)));
    const Tensor tensor = open_tensor(folder.path("a.npy"));
    std::filesystem::resize_file(folder.path("a.npy"), folder.read("a.npy").size() - 8);
    double number = 0;
    tensor.read(0, std::span(&number, 1));
    CHECK(number == 0.1);
    CHECK_THROWS_WITH(tensor.read(1, std::span(&number, 1)), Contains("the file ended while it was read"));
}

TEST_CASE("an error number that an earlier call left does not matter") {
    const tests::Folder folder;
    folder.write("a.npy", npy_of("<f8", "(2,)", bytes(0.1) + bytes(0.2)));
    errno = EINTR;
    CHECK(numbers_of(folder.path("a.npy")) == std::vector<double>{0.1, 0.2});
    // Inflating writes a temporary file, no more than a megabyte of it here.
    const std::vector<double> expected = numbers_of(FARFIELD_SOURCE "/tests/references/compare/tensors/cos.npy");
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{1 << 20, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    errno = EINTR;
    const std::vector<double> inflated =
        numbers_of(FARFIELD_SOURCE "/tests/references/compare/tensors/rotary.npz", "cos");
    ::setrlimit(RLIMIT_FSIZE, &before);
    CHECK(inflated == expected);
}

TEST_CASE("a temporary file that cannot be written is reported") {
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{100, before.rlim_max};  // of the 640 bytes that are inflated
    ::setrlimit(RLIMIT_FSIZE, &small);
    std::string message;
    try {
        numbers_of(FARFIELD_SOURCE "/tests/references/compare/tensors/rotary.npz", "cos");
    } catch (const core::MissingError& error) {
        message = error.what();
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    CHECK_THAT(message, Contains("inflating into a temporary file") && Contains(std::strerror(EFBIG)));
}

TEST_CASE("a part of a file keeps it open, and leaves it open for others") {
    const tests::Folder folder;
    folder.write("a", "0123456789");
    std::shared_ptr<const Bytes> whole = Bytes::open(folder.path("a"));
    const auto read = [](const Bytes& bytes, std::uint64_t offset, std::size_t count) {
        std::string text(count, ' ');
        bytes.read(offset, std::as_writable_bytes(std::span(text)));
        return text;
    };
    auto part = Bytes::part(whole, 2, 5);
    const auto inner = Bytes::part(part, 1, 3);
    CHECK(inner->size() == 3);
    CHECK(inner->path() == folder.path("a"));
    CHECK(read(*part, 0, 5) == "23456");
    part.reset();
    CHECK(read(*inner, 0, 3) == "345");
    Bytes::part(whole, 0, 1).reset();
    CHECK(read(*whole, 0, 10) == "0123456789");
    whole.reset();
    CHECK(read(*inner, 2, 1) == "5");
    const std::string memory = "abcdef";
    const auto in_memory = Bytes::in_memory(std::as_bytes(std::span(memory)), nullptr, "m");
    CHECK(read(*Bytes::part(Bytes::part(in_memory, 1, 5), 2, 2), 1, 1) == "e");
}

TEST_CASE("the header of safetensors lies within the file, and its numbers after it") {
    const std::string header = "{" + entry("a", "F64", "[1]", "[0, 8]") + "}";
    const std::string whole = safetensors_with(header, bytes(0.1));
    CHECK(wrong("a.safetensors", whole).empty());
    for (std::size_t length = 0; length < whole.size(); ++length) {
        INFO(length);
        CHECK_THAT(wrong("a.safetensors", whole.substr(0, length)),
                   Contains(length < 8                   ? "does not begin as one"
                            : length < 8 + header.size() ? "cut short: its header is not whole"
                                                         : "'a' ends at byte 8 of the numbers, of which there are"));
    }
    const auto announced = [&](std::uint64_t length) {
        return wrong("a.safetensors", bytes(length) + header + bytes(0.1));
    };
    // The header takes the numbers for a part of itself, or is longer than the file, or than any.
    CHECK_THAT(announced(header.size() + 8), Contains("damaged"));
    CHECK_THAT(announced(header.size() + 9), Contains("cut short"));
    CHECK_THAT(announced(100'000'000), Contains("cut short"));
    CHECK_THAT(announced(100'000'001), Contains("does not begin as one"));
    const auto of = [&](const std::string& entries, std::size_t count = 8) {
        return wrong("a.safetensors", safetensors_with("{" + entries + "}", std::string(count, '\0')));
    };
    CHECK_THAT(of(entry("a", "", "[1]", "[0, 8]")), Contains("'a' holds numbers of the type ''"));
    CHECK_THAT(of(entry("a", "F64", "[1]", "[0, 4, 8]")), Contains("has no beginning and end"));
    CHECK_THAT(of(entry("a", "F64", "[1]", "[0]")), Contains("has no beginning and end"));
    CHECK(of(entry("a", "F64", "[0]", "[0, 0]"), 0).empty());
    // safetensors 0.8.0 refuses holes: "invalid offset for tensor", "incomplete metadata, file not fully covered".
    CHECK_THAT(of(entry("a", "F64", "[0]", "[8, 8]")), Contains("8 bytes before 'a' belong to no tensor"));
    CHECK_THAT(of(entry("a", "F64", "[0]", "[0, 0]")), Contains("8 bytes behind the last tensor belong to no tensor"));
    CHECK_THAT(of(entry("a", "F64", "[0]", "[9, 9]")), Contains("ends at byte 9 of the numbers, of which there are 8"));
    const std::string first = entry("a", "F32", "[2]", "[0, 8]") + ", ";
    CHECK_THAT(of(first + entry("b", "F32", "[1]", "[4, 8]")), Contains("the tensors 'a' and 'b' overlap"));
    CHECK_THAT(of(first + entry("b", "F32", "[2]", "[0, 8]")), Contains("overlap"));
    CHECK(of(first + entry("b", "F32", "[1]", "[8, 12]"), 12).empty());
    // The header may list them in another order than the file has them.
    const std::string two = "{" + entry("b", "F64", "[1]", "[8, 16]") + ", " + entry("a", "F64", "[1]", "[0, 8]") +
                            R"(, "__metadata__": {"a": "b"}})";
    const tests::Folder folder;
    folder.write("x.safetensors", safetensors_with(two, bytes(0.1) + bytes(0.3)));
    CHECK(numbers_of(folder.path("x.safetensors"), "a") == std::vector<double>{0.1});
    CHECK(numbers_of(folder.path("x.safetensors"), "b") == std::vector<double>{0.3});
    // A file without tensors lists none.
    CHECK(of(R"("__metadata__": {})", 0).empty());
}

TEST_CASE("members of an archive are checked one by one") {
    const std::string array = npy_of("<f8", "(2,)", bytes(0.1) + bytes(0.2));
    CHECK(wrong("a.npz", zip({{"x.npy", array}, {"y.npy", array}})).empty());
    CHECK_THAT(wrong("a.npz", zip({{"x.npy", array}, {"readme", array}})),
               Contains("the archive's member 'readme' is not a .npy"));
    CHECK_THAT(wrong("a.npz", zip({{"x.npy", array}, {"y.npy", array, array.size(), 1}})),
               Contains("the member 'y.npy' is encrypted"));
    CHECK(wrong("a.npz", zip({{"x.npy", array, array.size(), 2}})).empty());
    CHECK_THAT(wrong("a.npz", "no member" + zip({})), Contains("it lists no member"));
    // A name may be as long as the format lets it be.
    for (const std::size_t length : {1000, 1023, 1024, 1025, 5000, 65531}) {
        const std::string name(length, 'n');
        const tests::Folder folder;
        folder.write("a.npz", zip({{"x.npy", array}, {name + ".npy", array}}));
        CHECK(list_tensors(folder.path("a.npz"))[1].name == name);
        CHECK(numbers_of(folder.path("a.npz"), name) == std::vector<double>{0.1, 0.2});
    }
    // A member cut in its header, wherever.
    const std::size_t header = array.size() - 16;
    for (std::size_t length = 0; length < array.size(); length += 3) {
        INFO(length);
        CHECK_THAT(wrong("a.npz", zip({{"x.npy", array.substr(0, length)}, {"y.npy", array}})),
                   Contains(length < 10       ? "does not begin as one"
                            : length < header ? "cut short"
                                              : "takes 16 bytes, and there are"));
    }
}

TEST_CASE("a stored member lies within the archive, and a deflated one has the stated length") {
    const std::string array = npy_of("<f8", "(1,)", bytes(0.1));
    const tests::Folder folder;
    const auto opened = [&](const Member& member) {
        folder.write("a.npz", zip({member}));
        return open_npz_member(folder.path("a.npz"), "x");
    };
    // Up to the very end of the archive, whose directory it would then hold.
    const std::size_t after = zip({{"x.npy", array}}).size() - 30 - 5;
    CHECK(opened({"x.npy", array, after})->size() == after);
    CHECK_THROWS_WITH(opened({"x.npy", array, after + 1}), Contains("reaches beyond the archive's end"));
    // It begins where its own header ends, at the very end at most.
    const unsigned rest = static_cast<unsigned>(after);
    CHECK(opened({"x.npy", array, 0, 0, 0, rest})->size() == 0);
    CHECK_THROWS_WITH(opened({"x.npy", array, 0, 0, 0, rest + 1}), Contains("reaches beyond the archive's end"));
    CHECK_THROWS_WITH(opened({"x.npy", array, 1, 0, 0, rest}), Contains("reaches beyond the archive's end"));
    // One block of deflate that is stored: its end mark, its length and the complement.
    const std::string block = "\1" + u2(array.size()) + u2(~array.size()) + array;
    CHECK(opened({"x.npy", block, array.size(), 0, 8})->size() == array.size());
    CHECK_THROWS_WITH(opened({"x.npy", block, array.size() + 1, 0, 8}), Contains("is shorter than the archive says"));
    CHECK_THROWS_AS(open_npz_member(folder.path("a.npz"), "y"), core::PreconditionError);
}

TEST_CASE("the last axis of complex numbers is the real and the imaginary part") {
    const tests::Folder folder;
    folder.write("a.npy", npy_of("<c16", "(2,)", bytes(1.0) + bytes(2.0) + bytes(3.0) + bytes(4.0)));
    const Tensor tensor = open_tensor(folder.path("a.npy"));
    CHECK(tensor.description().is_complex);
    CHECK(tensor.description().shape == std::vector<std::size_t>{2, 2});
    CHECK(numbers_of(folder.path("a.npy")) == std::vector<double>{1, 2, 3, 4});
    CHECK_THAT(wrong("a.npy", npy_with("{'descr': '<c8', 'fortran_order': True, 'shape': (1,)}", bytes(0.1))),
               Contains("complex numbers in column-major order"));
}

}  // namespace
}  // namespace farfield::tensor
