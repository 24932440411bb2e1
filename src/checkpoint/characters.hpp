// Characters of a UTF-8 text, and their properties for tokenisers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace farfield::checkpoint {

struct CodeRange {
    std::uint32_t first;
    std::uint32_t last;
};

/// Unicode's property White_Space.
inline constexpr CodeRange white_space[] = {{0x9, 0xd},       {0x20, 0x20},     {0x85, 0x85},     {0xa0, 0xa0},
                                            {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f},
                                            {0x205f, 0x205f}, {0x3000, 0x3000}};

inline constexpr std::string_view blank_mark = "\xe2\x96\x81";  ///< U+2581, SentencePiece's blank

inline bool is_in(std::span<const CodeRange> ranges, std::uint32_t code) {
    const auto found = std::lower_bound(ranges.begin(), ranges.end(), code,
                                        [](const CodeRange& range, std::uint32_t at) { return range.last < at; });
    return found != ranges.end() && found->first <= code;
}

inline constexpr std::uint32_t invalid_code = 0x110000;

/// The code of the first character of a text, and its number of bytes. A byte that does not begin a character has its
/// own code, which has no class.
inline std::pair<std::uint32_t, std::size_t> code_at(std::string_view text) {
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
    if (bytes == 0 || bytes > text.size() || lead > 0xf4) return {invalid_code, 1};
    std::uint32_t code = lead & (0xffU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) return {invalid_code, 1};
        code = code << 6 | (byte(i) & 0x3fU);
    }
    return {code, bytes};
}

/// The number of bytes of the first character of the text; 1 if no character begins there.
inline std::size_t length_of_character(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t length = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    return std::min(length, text.size());
}

inline std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const bool is_found = text.substr(at).starts_with(from);
        result += is_found ? to : text.substr(at, 1);
        at += is_found ? from.size() : 1;
    }
    return result;
}

}  // namespace farfield::checkpoint
