// The header of .npy: a magic word, a version, a length, and a Python dictionary of three keys.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include "tensor/formats.hpp"
#include "tensor/refuse.hpp"

namespace farfield::tensor {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t most_npy_header_bytes = 1 << 20;
constexpr std::size_t most_axes = 32;  // the limit of numpy

struct NpyKind {
    std::string_view code;  ///< without the byte order
    ElementType type;
    bool is_complex = false;
};

// V2 is how numpy saves the bfloat16 of the package ml_dtypes, which it does not know itself.
constexpr std::array<NpyKind, 12> npy_kinds = {{
    {"f8", ElementType::float64},
    {"f4", ElementType::float32},
    {"f2", ElementType::float16},
    {"V2", ElementType::bfloat16},
    {"i8", ElementType::int64},
    {"i4", ElementType::int32},
    {"i2", ElementType::int16},
    {"i1", ElementType::int8},
    {"u1", ElementType::uint8},
    {"b1", ElementType::boolean},
    {"c8", ElementType::float32, true},
    {"c16", ElementType::float64, true},
}};

/// Reads the dictionary word by word.
class Dictionary {
public:
    Dictionary(std::string_view text, const std::string& path) : text_(text), path_(path) {}

    Description read() {
        expect('{');
        while (!accept('}')) {
            const std::string key = read_quoted();
            expect(':');
            read_value(key);
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        if (!has_type_ || !has_order_ || !has_shape_)
            damaged("it lacks one of the keys 'descr', 'fortran_order', 'shape'");
        if (is_complex_ && description_.is_column_major)
            refuse(path_, "complex numbers in column-major order (fortran_order)", "row-major order",
                   "numpy.save(file, numpy.ascontiguousarray(array))");
        if (is_complex_) description_.shape.push_back(2);
        description_.is_complex = is_complex_;
        return description_;
    }

private:
    [[noreturn]] void damaged(const std::string& what) const {
        refuse(path_, "the header of this .npy is damaged: " + what, "what numpy.save writes");
    }

    void skip_spaces() {
        while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n' || text_[0] == '\t')) text_.remove_prefix(1);
    }

    bool accept(char letter) {
        skip_spaces();
        if (text_.empty() || text_[0] != letter) return false;
        text_.remove_prefix(1);
        return true;
    }

    void expect(char letter) {
        if (!accept(letter)) damaged(fmt::format("no '{}' where one belongs", letter));
    }

    bool accept_word(std::string_view word) {
        skip_spaces();
        if (!text_.starts_with(word)) return false;
        text_.remove_prefix(word.size());
        return true;
    }

    std::string read_quoted() {
        const char quote = accept('"') ? '"' : '\'';
        if (quote == '\'') expect('\'');
        const std::size_t end = text_.find(quote);
        if (end == std::string_view::npos) damaged("a text that does not end");
        std::string word(text_.substr(0, end));
        text_.remove_prefix(end + 1);
        return word;
    }

    void read_value(const std::string& key) {
        if (key == "descr" && !has_type_) {
            has_type_ = true;
            skip_spaces();
            if (text_.starts_with('['))
                refuse(path_, "this .npy holds records of several fields", "an array of numbers");
            read_type(read_quoted());
        } else if (key == "fortran_order" && !has_order_) {
            has_order_ = true;
            description_.is_column_major = accept_word("True");
            if (!description_.is_column_major && !accept_word("False")) damaged("fortran_order is not a boolean");
        } else if (key == "shape" && !has_shape_) {
            has_shape_ = true;
            read_shape();
        } else {
            damaged("the key '" + key.substr(0, 40) + "'");
        }
    }

    void read_type(const std::string& type) {
        if (type.find('O') != std::string::npos) {
            refuse(path_, "this .npy holds pickled Python objects, which are code: nothing is run from data", "numbers",
                   "numpy.save(file, array.astype(float))");
        }
        const bool has_mark = !type.empty() && std::string_view("<>=|").find(type[0]) != std::string_view::npos;
        description_.is_big_endian = has_mark && type[0] == '>';
        const std::string code = has_mark ? type.substr(1) : type;
        for (const NpyKind& kind : npy_kinds) {
            if (kind.code != code) continue;
            description_.type = kind.type;
            is_complex_ = kind.is_complex;
            return;
        }
        refuse(path_, "this .npy holds numbers of the type '" + type.substr(0, 40) + "'",
               "float64, float32, float16, bfloat16, complex64, complex128, signed or 8-bit integers, or booleans",
               "numpy.save(file, array.astype(numpy.float32))");
    }

    void read_shape() {
        expect('(');
        while (!accept(')')) {
            skip_spaces();
            std::size_t extent = 0;
            const auto [end, failure] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
            if (failure != std::errc()) damaged("a shape that is not a list of whole numbers");
            text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
            description_.shape.push_back(extent);
            if (description_.shape.size() > most_axes) damaged("a shape of over 32 axes");
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
    }

    std::string_view text_;
    const std::string& path_;
    Description description_;
    bool is_complex_ = false;
    bool has_type_ = false;
    bool has_order_ = false;
    bool has_shape_ = false;
};

}  // namespace

Found read_npy_header(const Head& head, std::uint64_t size, const std::string& path) {
    std::array<std::byte, 12> start{};
    const std::size_t there = head(0, start);
    if (there < magic.size() + 4 || std::memcmp(start.data(), magic.data(), magic.size()) != 0)
        refuse(path, "this is not a .npy: it does not begin as one", "a file that numpy.save wrote");
    const auto byte = [&](std::size_t at) { return std::to_integer<std::size_t>(start[at]); };
    const std::size_t version = byte(6);
    if (version < 1 || version > 3) refuse(path, fmt::format("version {} of .npy", version), "1, 2 or 3");
    const std::size_t before = version == 1 ? 10 : 12;
    std::size_t length = byte(8) | byte(9) << 8;
    if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
    if (length > most_npy_header_bytes)
        refuse(path, fmt::format("a header of {} bytes", length), fmt::format("at most {}", most_npy_header_bytes));
    std::string text(length, '\0');
    if (there < before || head(before, std::as_writable_bytes(std::span(text))) != length)
        refuse(path, "this .npy is cut short: its header is not whole", "what numpy.save writes");
    Found found{Dictionary(text, path).read(), before + length};
    check_size(found.description, size - found.offset, path);
    return found;
}

}  // namespace farfield::tensor
