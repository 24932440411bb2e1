// Keys and values of a configuration, with the place of each in its text.
#pragma once

#include <cstddef>
#include <farfield/core/place.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace farfield::doctor {

struct Member;

struct Value {
    enum class Kind { null, boolean, number, text, list, object };

    Kind kind = Kind::null;
    double number = 0;            ///< of a number, and of a boolean
    std::string text;             ///< of a text; for a number, its text
    std::vector<Value> items;     ///< of a list
    std::vector<Member> members;  ///< of an object
    std::size_t offset = 0;       ///< of its first byte in the text
    std::size_t length = 1;

    bool is(Kind other) const { return kind == other; }
    const Member* find(std::string_view key) const;
    /// "a number", "a text", ...
    std::string_view kind_name() const;
};

struct Member {
    std::string key;
    std::size_t offset = 0;  ///< of the key
    std::size_t length = 1;
    Value value;
    std::string shown = {};  ///< the key's name in messages if the file has another name (GGUF)
};

/// A configuration. `text` is empty if the file has no lines (GGUF).
struct Document {
    std::string file;
    std::string text;
    Value root;
    std::string frequency_factors = {};  ///< GGUF: the tensor that divides the frequencies; empty: none
    long long shape_width = 0;           ///< width of a head from the shapes of tensors; 0: unknown
    std::string shape_tensor = {};       ///< the tensor from which the width comes
    bool is_gguf = false;
    std::vector<std::pair<std::string, std::string>> own_names =
        {};  ///< GGUF: keys of config.json, and those of the file
    std::vector<std::pair<std::string, std::string>> unknown_keys = {};  ///< GGUF: those of rotations, with suggestions

    core::Place place(std::size_t offset, std::size_t length) const;
    core::Place place(const Member& member) const { return place(member.offset, member.length); }
};

/// Largest text that is read, the deepest nesting and the most values.
inline constexpr std::size_t most_config_bytes = std::size_t{4} << 20;
inline constexpr std::size_t most_depth = 64;
inline constexpr std::size_t most_values = 50'000;

/// JSON of UTF-8 whose root is an object. Throws core::UserError with a place for what is not JSON, duplicate keys,
/// numbers beyond double, nesting and sizes beyond the limits above.
Document read_json(std::string text, const std::string& file);

}  // namespace farfield::doctor
