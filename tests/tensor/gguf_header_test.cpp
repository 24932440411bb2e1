// Headers of GGUF files, written here value by value as docs/gguf.md of ggml has them, and the limits of their parts.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/tensor/gguf.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/folder.hpp"

using namespace farfield;
using Catch::Contains;

namespace {

template <class Number>
std::string bytes(Number number) {
    return {reinterpret_cast<const char*>(&number), sizeof number};
}

std::string u32(std::uint32_t number) {
    return bytes(number);
}

std::string u64(std::uint64_t number) {
    return bytes(number);
}

std::string text(const std::string& characters) {
    return u64(characters.size()) + characters;
}

/// A key and its value of a type; what follows.
std::string pair(const std::string& key, std::uint32_t type, const std::string& value) {
    return text(key) + u32(type) + value;
}

std::string file_of(const std::vector<std::string>& pairs, const std::vector<std::string>& tensors = {},
                    std::uint32_t version = 3) {
    std::string file = "GGUF" + u32(version) + u64(tensors.size()) + u64(pairs.size());
    for (const std::string& each : pairs) file += each;
    for (const std::string& each : tensors) file += each;
    return file;
}

/// A tensor with its axes in GGUF's order, the fastest first.
std::string tensor_of(const std::string& name, const std::vector<std::uint64_t>& axes, std::uint32_t type,
                      std::uint64_t offset = 0) {
    std::string result = text(name) + u32(static_cast<std::uint32_t>(axes.size()));
    for (const std::uint64_t axis : axes) result += u64(axis);
    return result + u32(type) + u64(offset);
}

tensor::GgufHeader header_of(const std::string& file) {
    const tests::Folder folder;
    folder.write("x.gguf", file);
    return tensor::read_gguf_header(folder.path("x.gguf"));
}

/// What is wrong with the header; "" where it can be read.
std::string wrong_header(const std::string& file) {
    try {
        header_of(file);
    } catch (const core::UserError& error) {
        return core::format(error.diagnostics());
    }
    return {};
}

/// What is wrong with the header or with a tensor.
std::string wrong(const std::string& file) {
    const tests::Folder folder;
    folder.write("x.gguf", file);
    try {
        const tensor::GgufFile opened(folder.path("x.gguf"));
    } catch (const core::UserError& error) {
        return core::format(error.diagnostics());
    }
    return {};
}

constexpr std::uint32_t of_text = 8, of_array = 9;

struct Value {
    std::uint32_t type;
    std::string stored;
    double number;
    bool is_integer;
};

// Types 0 to 12: the least and the largest number of each, which no narrower type and no other sign holds.
const std::vector<Value> numbers = {
    {0, bytes<std::uint8_t>(255), 255, true},
    {1, bytes<std::int8_t>(-128), -128, true},
    {2, bytes<std::uint16_t>(65535), 65535, true},
    {3, bytes<std::int16_t>(-32768), -32768, true},
    {4, bytes<std::uint32_t>(4294967295U), 4294967295.0, true},
    {5, bytes<std::int32_t>(-2147483647 - 1), -2147483648.0, true},
    {6, bytes<float>(-0.1F), static_cast<double>(-0.1F), false},
    {10, bytes<std::uint64_t>(std::uint64_t{1} << 63), 0x1p63, true},
    {11, bytes<std::int64_t>(std::numeric_limits<std::int64_t>::min()), -0x1p63, true},
    {12, bytes<double>(-0.1), -0.1, false},
};

std::vector<std::string> every_pair() {
    std::vector<std::string> pairs;
    for (const Value& each : numbers) pairs.push_back(pair("n" + std::to_string(each.type), each.type, each.stored));
    pairs.push_back(pair("no", 7, bytes<std::uint8_t>(0)));
    pairs.push_back(pair("yes", 7, bytes<std::uint8_t>(1)));
    pairs.push_back(pair("word", of_text, text("Größe\n")));
    pairs.push_back(pair("empty", of_text, text("")));
    // Lists are passed over, those of texts and of lists too.
    for (const Value& each : numbers)
        pairs.push_back(pair("list" + std::to_string(each.type), of_array,
                             u32(each.type) + u64(3) + each.stored + each.stored + each.stored));
    pairs.push_back(pair("flags", of_array, u32(7) + u64(2) + bytes<std::uint16_t>(256)));
    pairs.push_back(pair("words", of_array, u32(of_text) + u64(3) + text("a") + text("") + text("bcd")));
    pairs.push_back(
        pair("lists", of_array,
             u32(of_array) + u64(2) + u32(0) + u64(1) + bytes<std::uint8_t>(7) + u32(of_text) + u64(1) + text("x")));
    pairs.push_back(pair("last", 0, bytes<std::uint8_t>(9)));
    return pairs;
}

}  // namespace

TEST_CASE("values of every type are read, lists are passed over") {
    for (const std::uint32_t version : {2, 3}) {
        const std::string file = file_of(every_pair(), {}, version);
        const tensor::GgufHeader header = header_of(file);
        CHECK(header.size == file.size());
        CHECK(header.values.size() == numbers.size() + 5);
        for (const Value& each : numbers) {
            INFO("type " << each.type);
            const tensor::GgufValue* value = header.find("n" + std::to_string(each.type));
            REQUIRE(value);
            CHECK(value->kind == tensor::GgufValue::Kind::number);
            CHECK(value->number == each.number);
            CHECK(value->is_integer == each.is_integer);
        }
        for (const double expected : {0, 1}) {
            const tensor::GgufValue* value = header.find(expected == 1 ? "yes" : "no");
            REQUIRE(value);
            CHECK(value->kind == tensor::GgufValue::Kind::boolean);
            CHECK(value->number == expected);
            CHECK_FALSE(value->is_integer);
        }
        REQUIRE(header.find("word"));
        CHECK(header.find("word")->kind == tensor::GgufValue::Kind::text);
        CHECK(header.find("word")->text == "Größe\n");
        CHECK(header.find("empty")->text.empty());
        REQUIRE(header.find("last"));
        CHECK(header.find("last")->number == 9);
        for (const char* list : {"list0", "list12", "flags", "words", "lists", "nothing"}) CHECK(!header.find(list));
    }
}

TEST_CASE("tensors are read with their axes in reverse order") {
    const std::string file = file_of({pair("a", 0, "\1")}, {tensor_of("x", {256, 3, 5}, 8, 64), tensor_of("", {}, 1),
                                                            tensor_of("eight", {1, 2, 3, 4, 5, 6, 7, 8}, 99, 1)});
    const tensor::GgufHeader header = header_of(file);
    CHECK(header.size == file.size());
    REQUIRE(header.tensors.size() == 3);
    CHECK(header.tensors[0].name == "x");
    CHECK(header.tensors[0].shape == std::vector<std::uint64_t>{5, 3, 256});
    CHECK(header.tensors[0].type == 8);
    CHECK(header.tensors[0].offset == 64);
    CHECK(header.tensors[1].shape.empty());
    CHECK(header.tensors[2].shape == std::vector<std::uint64_t>{8, 7, 6, 5, 4, 3, 2, 1});
    CHECK_THAT(wrong_header(file_of({}, {tensor_of("nine", {1, 2, 3, 4, 5, 6, 7, 8, 9}, 0)})),
               Contains("byte 36: a tensor of 9 axes"));
}

TEST_CASE("a header cut anywhere is refused at its end or before, and no byte more than it has is needed") {
    const std::string file = file_of(every_pair(), {tensor_of("x", {256, 3}, 8), tensor_of("yz", {1}, 0)});
    CHECK(wrong_header(file).empty());
    for (std::size_t length = 0; length < file.size(); ++length) {
        INFO(length << " of " << file.size() << " bytes");
        const std::string message = wrong_header(file.substr(0, length));
        CHECK_FALSE(message.empty());
        // What is wrong is placed within what was read.
        const std::size_t at = message.find("byte ");
        REQUIRE(at != std::string::npos);
        CHECK(std::stoul(message.substr(at + 5)) <= length);
    }
}

TEST_CASE("a header longer than the reader's buffer is read as a short one") {
    // Numbers around bytes 65536 and 131072 stand across two reads of the file, whatever their place.
    for (std::size_t before = 65536 - 60; before < 65536; before += 7) {
        const std::string file =
            file_of({pair("long", of_text, text(std::string(before, 'x'))), pair("f", 12, bytes(0.1)),
                     pair("list", of_array, u32(0) + u64(65530) + std::string(65530, 'y')), pair("g", 12, bytes(0.2)),
                     pair("h", 10, bytes(std::uint64_t{12345}))});
        INFO(before);
        const tensor::GgufHeader header = header_of(file);
        CHECK(header.size == file.size());
        CHECK(header.find("long")->text == std::string(before, 'x'));
        CHECK(header.find("f")->number == 0.1);
        CHECK(header.find("g")->number == 0.2);
        CHECK(header.find("h")->number == 12345);
    }
}

TEST_CASE("invalid headers are refused, and so are parts beyond their limits") {
    CHECK_THAT(wrong_header("GGUX" + u32(3) + u64(0) + u64(0)), Contains("byte 0: this is not a GGUF file"));
    for (const std::uint32_t version : {0U, 1U, 4U, 0x03000000U})
        CHECK_THAT(wrong_header(file_of({}, {}, version)), Contains("byte 4: version " + std::to_string(version)));
    CHECK_THAT(wrong_header(file_of({pair("a", 13, "12345678")})), Contains("byte 33: a value of the unknown type 13"));
    CHECK_THAT(wrong_header(file_of({pair("a", of_array, u32(13) + u64(0))})),
               Contains("byte 37: an array of the unknown type 13"));
    CHECK_THAT(wrong_header(file_of({pair("a", 0, "\1"), pair("b", 0, "\1"), pair("a", 0, "\1")})),
               Contains("byte 52: duplicate key 'a'"));
    // Counts are refused before anything is made of them. A key takes 13 bytes at least, and so does a tensor.
    const auto counted = [](std::uint64_t tensors, std::uint64_t pairs, std::size_t left) {
        return wrong_header("GGUF" + u32(3) + u64(tensors) + u64(pairs) + std::string(left, '\0'));
    };
    CHECK_THAT(counted(3, 0, 3 * 13 - 1), Contains("0 keys and 3 tensors are announced, 38 bytes are left"));
    CHECK_THAT(counted(0, 3, 3 * 13 - 1), Contains("3 keys and 0 tensors are announced, 38 bytes are left"));
    CHECK_THAT(counted(~std::uint64_t{0}, 0, 100), Contains("are announced"));
    // Nameless keys of the type 0 and one byte: the second is there twice.
    CHECK_THAT(counted(0, 3, 3 * 13), Contains("duplicate key ''"));
    // Tensors without a name and axes take 24 bytes.
    CHECK(counted(1, 0, 24).empty());
    CHECK_THAT(counted(1, 0, 23), Contains("are wanted"));
    // Arrays: as many values as there are bytes for.
    for (const auto& [type, least] :
         {std::pair<std::uint32_t, std::uint64_t>{0, 1}, {3, 2}, {6, 4}, {12, 8}, {of_text, 8}, {of_array, 12}}) {
        INFO("type " << type);
        const auto array = [&, type = type](std::uint64_t count, std::uint64_t left) {
            return wrong_header(file_of({pair("a", of_array, u32(type) + u64(count) + std::string(left, '\0'))}));
        };
        CHECK(array(5, 5 * least).empty());
        CHECK(array(0, 0).empty());
        CHECK_THAT(array(5, 5 * least - 1), Contains("an array of 5 values, for which"));
        CHECK_THAT(array(~std::uint64_t{0} / 4, 100), Contains("an array of"));
    }
    // Arrays within arrays, up to four levels below the first.
    const auto nested = [](int levels) {
        std::string value = u32(0) + u64(1) + "\1";
        for (int level = 0; level < levels; ++level) value = u32(of_array) + u64(1) + value;
        return wrong_header(file_of({pair("a", of_array, value)}));
    };
    CHECK(nested(4).empty());
    CHECK_THAT(nested(5), Contains("arrays nested too deeply"));
    // Texts of 64 KiB are values, longer ones are passed over. Keys and names are shorter.
    const auto long_text = [](std::size_t length) {
        return header_of(file_of({pair("a", of_text, text(std::string(length, 'x'))), pair("b", 0, "\5")}));
    };
    CHECK(long_text(65536).find("a")->text.size() == 65536);
    CHECK(!long_text(65537).find("a"));
    CHECK(long_text(65537).find("b")->number == 5);
    CHECK(wrong_header(file_of({pair(std::string(65535, 'k'), 0, "\1")})).empty());
    CHECK_THAT(wrong_header(file_of({pair(std::string(65536, 'k'), 0, "\1")})),
               Contains("a key of 65536 bytes") && Contains("at most 65535 bytes"));
    CHECK(wrong_header(file_of({}, {tensor_of(std::string(65535, 't'), {1}, 0)})).empty());
    CHECK_THAT(wrong_header(file_of({}, {tensor_of(std::string(65536, 't'), {1}, 0)})),
               Contains("a tensor's name of 65536 bytes"));
    const auto keys = [](std::size_t count) {
        std::vector<std::string> pairs;
        for (std::size_t i = 0; i < count; ++i) pairs.push_back(pair(std::to_string(i), 0, "\1"));
        return wrong_header(file_of(pairs));
    };
    CHECK(keys(4096).empty());
    CHECK_THAT(keys(4097), Contains("4097 keys") && Contains("at most 4096"));
}

TEST_CASE("a header of over 64 MiB is refused") {
    // One list of bytes takes the header to its limit and one byte beyond.
    const std::size_t around = file_of({pair("a", of_array, u32(0) + u64(0))}).size();
    const std::size_t most = (std::size_t{64} << 20) - around;
    const auto list = [](std::size_t count) {
        return wrong_header(file_of({pair("a", of_array, u32(0) + u64(count) + std::string(count, '\0'))}));
    };
    CHECK(list(most).empty());
    CHECK_THAT(list(most + 1), Contains("the header is larger than 64 MiB"));
}

TEST_CASE("a file begins as GGUF or not") {
    const tests::Folder folder;
    const auto is = [&](const std::string& content) {
        folder.write("x", content);
        return tensor::is_gguf(folder.path("x"));
    };
    CHECK((is("GGUF") && is(file_of({}))));
    for (const char* other : {"", "GGU", "GGUX", "XGUF", " GGUF", "gguf"}) CHECK_FALSE(is(other));
}

TEST_CASE("a tensor that does not fit into its file is refused with the reason") {
    const std::string numbers_of(4 * 64, '\0');
    const auto of = [&](const std::string& tensor, const std::string& data) {
        std::string file = file_of({}, {tensor});
        file.resize((file.size() + 31) / 32 * 32);
        return wrong(file + data);
    };
    CHECK(of(tensor_of("x", {4}, 0), std::string(16, '\0')).empty());
    CHECK(of(tensor_of("x", {4, 3, 2}, 0), std::string(96, '\0')).empty());
    CHECK_THAT(of(tensor_of("x", {4, 3, 2}, 0), std::string(95, '\0')),
               Contains("tensor 'x' has 96 bytes from byte 0 of the data on, which has 95"));
    CHECK(of(tensor_of("x", {4}, 0, 32), std::string(48, '\0')).empty());
    CHECK_THAT(of(tensor_of("x", {4}, 0, 33), std::string(48, '\0')), Contains("has 16 bytes from byte 33"));
    CHECK_THAT(of(tensor_of("x", {4}, 0, 49), std::string(48, '\0')), Contains("has 16 bytes from byte 49"));
    CHECK_THAT(of(tensor_of("x", {4}, 0, ~std::uint64_t{0}), std::string(48, '\0')),
               Contains("has 16 bytes from byte"));
    CHECK_THAT(of(tensor_of("x", {4}, 5), ""), Contains("has the unknown type 5"));
    CHECK_THAT(of(tensor_of("x", {4}, 24), ""),
               Contains("has the type I8, which is not supported") &&
                   Contains("F32, F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, "
                            "BF16"));
    CHECK_THAT(of(tensor_of("x", {}, 0), ""), Contains("has no axes"));
    CHECK_THAT(of(tensor_of("x", {0}, 0), ""), Contains("has an axis of 0 numbers"));
    CHECK_THAT(of(tensor_of("x", {4, 0}, 0), ""), Contains("has an axis of 0 numbers"));
    // Blocks of 32 numbers lie along the fastest axis.
    CHECK(of(tensor_of("x", {64, 3}, 8), std::string(3 * 2 * 34, '\0')).empty());
    CHECK_THAT(of(tensor_of("x", {48, 32}, 8), std::string(3 * 2 * 34, '\0')),
               Contains("has rows of 48 numbers") && Contains("a multiple of 32, the block of Q8_0"));
    CHECK_THAT(of(tensor_of("x", {std::uint64_t{1} << 62, 4}, 0), ""), Contains("has more than 2^64 bytes"));
    CHECK_THAT(of(tensor_of("x", {4}, 0, 16), std::string(48, '\0')),
               Contains("tensor 'x' is at byte 16 of the data") && Contains("a multiple of the alignment, 32"));
    std::string shared = file_of({}, {tensor_of("x", {16}, 0), tensor_of("y", {1}, 0, 32)});
    shared.resize((shared.size() + 31) / 32 * 32 + 64);
    CHECK_THAT(wrong(shared), Contains("tensor 'y' begins within tensor 'x'") && Contains("byte 64 of the data"));
    // Two of one name.
    std::string twice = file_of({}, {tensor_of("x", {1}, 0), tensor_of("y", {1}, 0), tensor_of("x", {1}, 0)});
    twice.resize((twice.size() + 31) / 32 * 32 + 4);
    CHECK_THAT(wrong(twice), Contains("duplicate tensor 'x'"));
}

TEST_CASE("the data begins at a multiple of the alignment") {
    struct Row {
        std::uint32_t type;
        std::string stored;
        std::uint64_t alignment;  ///< 0 where it is refused
    };
    const std::vector<Row> rows = {
        {4, u32(8), 8},
        {4, u32(48), 48},
        {4, u32(64), 64},
        {4, u32(1 << 20), 1 << 20},
        {10, u64(128), 128},
        {4, u32(0), 0},
        {4, u32(12), 0},
        {4, u32((1 << 20) + 1), 0},
        {5, bytes<std::int32_t>(-32), 0},
        {6, bytes(32.0F), 0},
        {7, "\1", 0},
        {of_text, text("32"), 0},
    };
    for (const Row& row : rows) {
        INFO("type " << row.type << ", alignment " << row.alignment);
        std::string file = file_of({pair("general.alignment", row.type, row.stored)}, {tensor_of("x", {2}, 0)});
        if (row.alignment == 0) {
            CHECK_THAT(wrong(file + std::string(100, '\0')), Contains("'general.alignment' is not usable"));
            continue;
        }
        while (file.size() % row.alignment != 0) file += '\0';
        file += bytes(1.5F) + bytes(-2.5F);
        const tests::Folder folder;
        folder.write("x.gguf", file);
        const tensor::GgufFile opened(folder.path("x.gguf"));
        std::vector<float> found(2);
        opened.read_rows(*opened.find("x"), 0, found);
        CHECK(found == std::vector<float>{1.5F, -2.5F});
        CHECK(opened.path() == folder.path("x.gguf"));
    }
}

TEST_CASE("the second of two tensors is found by name, at its own offset") {
    std::string file = file_of({}, {tensor_of("b", {2, 2}, 0, 32), tensor_of("a", {1}, 0, 0)});
    file.resize((file.size() + 31) / 32 * 32);
    file += bytes(7.0F) + std::string(28, '\0') + bytes(1.0F) + bytes(2.0F) + bytes(3.0F) + bytes(4.0F);
    const tests::Folder folder;
    folder.write("x.gguf", file);
    const tensor::GgufFile opened(folder.path("x.gguf"));
    std::vector<float> a(1), b(4), row(2);
    opened.read_rows(*opened.find("a"), 0, a);
    opened.read_rows(*opened.find("b"), 0, b);
    opened.read_rows(*opened.find("b"), 1, row);
    CHECK(a == std::vector<float>{7});
    CHECK(b == std::vector<float>{1, 2, 3, 4});
    CHECK(row == std::vector<float>{3, 4});
    CHECK_THROWS_AS(opened.read_rows(*opened.find("b"), 1, b), core::PreconditionError);
    CHECK_NOTHROW(opened.read_rows(*opened.find("b"), 2, {}));
    CHECK_THROWS_AS(opened.read_rows(*opened.find("b"), 3, {}), core::PreconditionError);
}

TEST_CASE("types have the numbers and names of ggml's public header, blocks the sizes of its structures") {
    struct Type {
        std::uint32_t id;
        const char* name;
        std::size_t numbers = 0;  ///< of a block; 0 where it cannot be read
        std::size_t bytes = 0;
    };
    // enum ggml_type of ggml.h; sizes by ggml-common.h: halfs for scales, then minima, high bits and quants.
    const std::vector<Type> types = {
        {0, "F32", 1, 4},
        {1, "F16", 1, 2},
        {2, "Q4_0", 32, 2 + 16},
        {3, "Q4_1", 32, 4 + 16},
        {6, "Q5_0", 32, 2 + 4 + 16},
        {7, "Q5_1", 32, 4 + 4 + 16},
        {8, "Q8_0", 32, 2 + 32},
        {9, "Q8_1"},
        {10, "Q2_K"},
        {11, "Q3_K"},
        {12, "Q4_K", 256, 4 + 12 + 128},
        {13, "Q5_K", 256, 4 + 12 + 32 + 128},
        {14, "Q6_K", 256, 128 + 64 + 16 + 2},
        {15, "Q8_K"},
        {16, "IQ2_XXS"},
        {17, "IQ2_XS"},
        {18, "IQ3_XXS"},
        {19, "IQ1_S"},
        {20, "IQ4_NL"},
        {21, "IQ3_S"},
        {22, "IQ2_S"},
        {23, "IQ4_XS"},
        {24, "I8"},
        {25, "I16"},
        {26, "I32"},
        {27, "I64"},
        {28, "F64"},
        {29, "IQ1_M"},
        {30, "BF16", 1, 2},
        {34, "TQ1_0"},
        {35, "TQ2_0"},
        {39, "MXFP4"},
    };
    REQUIRE(tensor::gguf_types().size() == types.size());
    for (std::size_t i = 0; i < types.size(); ++i) {
        const tensor::GgufType& found = tensor::gguf_types()[i];
        INFO(types[i].name);
        CHECK(found.id == types[i].id);
        CHECK(found.name == types[i].name);
        CHECK((found.block != nullptr) == (types[i].numbers > 0));
        if (!found.block) continue;
        CHECK(found.block_numbers == types[i].numbers);
        CHECK(found.block_bytes == types[i].bytes);
    }
}

TEST_CASE("every half is the number of its sign, exponent and fraction") {
    std::string file = file_of({}, {tensor_of("x", {256, 256}, 1)});
    file.resize((file.size() + 31) / 32 * 32);
    for (unsigned pattern = 0; pattern < 65536; ++pattern) file += bytes(static_cast<std::uint16_t>(pattern));
    const tests::Folder folder;
    folder.write("x.gguf", file);
    const tensor::GgufFile opened(folder.path("x.gguf"));
    std::vector<float> found(65536);
    opened.read_rows(*opened.find("x"), 0, found);
    std::size_t wrong_ones = 0;
    for (unsigned pattern = 0; pattern < 65536; ++pattern) {
        const int exponent = static_cast<int>(pattern >> 10 & 31);
        const unsigned fraction = pattern & 1023;
        const float number = found[pattern];
        const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
        const double expected = exponent < 31 ? size : std::numeric_limits<double>::infinity();
        const bool is_nan = exponent == 31 && fraction != 0;
        const bool is_right = is_nan ? std::isnan(number) : static_cast<double>(std::abs(number)) == expected;
        wrong_ones += is_right && (is_nan || std::signbit(number) == (pattern >= 32768)) ? 0 : 1;
    }
    CHECK(wrong_ones == 0);
}

TEST_CASE("a list is read value by value, whatever precedes it") {
    const tests::Folder folder;
    folder.write("x.gguf", file_of(every_pair()));
    const auto list_of = [&folder](const std::string& key) {
        std::vector<tensor::GgufValue> list;
        tensor::read_gguf_array(folder.path("x.gguf"), key,
                                [&list](const tensor::GgufValue& value) { list.push_back(value); });
        return list;
    };
    for (const Value& each : numbers) {
        CAPTURE(each.type);
        const auto list = list_of("list" + std::to_string(each.type));
        REQUIRE(list.size() == 3);
        for (const tensor::GgufValue& value : list) {
            CHECK(value.number == each.number);
            CHECK(value.is_integer == each.is_integer);
        }
    }
    const auto words = list_of("words");
    REQUIRE(words.size() == 3);
    CHECK(words[0].text == "a");
    CHECK(words[1].text.empty());
    CHECK(words[2].text == "bcd");
    for (const char* other : {"lists", "word", "n0", "none"}) CHECK(list_of(other).empty());
    CHECK(list_of("flags").size() == 2);
    const std::string whole = file_of({pair("words", of_array, u32(of_text) + u64(2) + text("a") + text("bcd"))});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        folder.write("x.gguf", whole.substr(0, size));
        CHECK_THROWS_AS(list_of("words"), core::UserError);
    }
    folder.write("x.gguf", file_of({pair("words", of_array, u32(of_text) + u64(1) + text(std::string(65537, 'x')))}));
    CHECK_THROWS_WITH(list_of("words"), Contains("a text of an array of 65537 bytes"));
}
