#include <farfield/core/printable.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace farfield::core {
namespace {

std::string in_hexadecimal(const char* format, unsigned code) {
    std::array<char, 16> text = {};
    std::snprintf(text.data(), text.size(), format, code);
    return text.data();
}

unsigned code_of(std::string_view character) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(character[at]); };
    constexpr std::array<unsigned, 5> lead = {0, 0x7F, 0x1F, 0x0F, 0x07};
    unsigned code = byte(0) & lead[character.size()];
    for (std::size_t at = 1; at < character.size(); ++at) code = (code << 6U) | (byte(at) & 0x3FU);
    return code;
}

/// The C1 control characters, line separators, and characters that change the direction of writing.
bool commands(unsigned code) {
    return (code >= 0x80 && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::string spelled(std::string_view character, bool keeps_lines) {
    const unsigned code = code_of(character);
    if (code == '\n' || code == '\t') return keeps_lines ? std::string(character) : code == '\n' ? "\\n" : "\\t";
    if (code < 0x20 || code == 0x7F) return in_hexadecimal("\\x%02x", code);
    return commands(code) ? in_hexadecimal("\\u{%x}", code) : std::string(character);
}

/// An ASCII character that is not a control character.
bool is_plain(char c) {
    return c >= ' ' && c <= '~';
}

std::string printed(std::string_view text, bool keeps_lines) {
    std::string result;
    result.reserve(text.size());
    while (true) {
        const auto plain =
            static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
        result += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) return result;
        const std::size_t length = character_length(text);
        result += length > 0 ? spelled(text.substr(0, length), keeps_lines)
                             : in_hexadecimal("\\x%02x", static_cast<unsigned char>(text[0]));
        text.remove_prefix(length > 0 ? length : 1);
    }
}

/// Blanks and characters without width.
bool is_seen(unsigned code) {
    const auto within = [code](unsigned first, unsigned last) { return code >= first && code <= last; };
    return !(code <= ' ' || within(0x7F, 0xA0) || code == 0xAD || code == 0x1680 || within(0x2000, 0x200F) ||
             within(0x2028, 0x202F) || within(0x205F, 0x206F) || code == 0x3000 || code == 0xFEFF);
}

/// How many characters can be seen, and how many cannot. A byte that is not UTF-8 is printed as its number.
std::pair<std::size_t, std::size_t> count_seen(std::string_view text) {
    std::pair<std::size_t, std::size_t> counts;
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        ++(length == 0 || is_seen(code_of(text.substr(0, length))) ? counts.first : counts.second);
        text.remove_prefix(length > 0 ? length : 1);
    }
    return counts;
}

}  // namespace

std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t at = 1; at < length; ++at) {
        if ((byte(at) & 0xC0) != 0x80) return 0;
    }
    const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    const bool beyond = first == 0xF4 && byte(1) > 0x8F;
    return overlong || surrogate || beyond ? 0 : length;
}

std::string printable(std::string_view text) {
    return printed(text, true);
}

std::string printable_line(std::string_view text) {
    return printed(text, false);
}

std::string shortened(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
    return std::string(text.substr(0, most)) + "...";
}

bool is_blank(std::string_view text) {
    return count_seen(text).first == 0;
}

bool is_visible(std::string_view text) {
    return count_seen(text).second == 0;
}

}  // namespace farfield::core
