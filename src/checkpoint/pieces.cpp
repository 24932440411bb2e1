#include "checkpoint/pieces.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace farfield::checkpoint {
namespace {

struct CodeRange {
    std::uint32_t first;
    std::uint32_t last;
};

#include "checkpoint/classes.inc"

/// Unicode's property White_Space.
constexpr CodeRange white_space[] = {{0x9, 0xd},       {0x20, 0x20},     {0x85, 0x85},     {0xa0, 0xa0},
                                     {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f},
                                     {0x205f, 0x205f}, {0x3000, 0x3000}};

constexpr std::array<PieceRule, 5> rules = {{
    {"gpt-2", false},
    {"smollm", true},
    {"starcoder", true},
    {"refact", true},
    {"command-r", true},
}};

enum class Class : std::uint8_t { space, letter, number, other };

bool is_in(std::span<const CodeRange> ranges, std::uint32_t code) {
    const auto found = std::lower_bound(ranges.begin(), ranges.end(), code,
                                        [](const CodeRange& range, std::uint32_t at) { return range.last < at; });
    return found != ranges.end() && found->first <= code;
}

/// A character at the beginning of a text: what it is and its bytes.
struct Character {
    Class kind;
    std::size_t bytes;
};

/// The code of a character and its bytes; a byte that begins none is a code of its own, which has no class.
std::pair<std::uint32_t, std::size_t> code_at(std::string_view text) {
    constexpr std::uint32_t invalid = 0x110000;
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
    if (bytes == 0 || bytes > text.size() || lead > 0xf4) return {invalid, 1};
    std::uint32_t code = lead & (0xffU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) return {invalid, 1};
        code = code << 6 | (byte(i) & 0x3fU);
    }
    return {code, bytes};
}

Character character_at(std::string_view text) {
    const auto [code, bytes] = code_at(text);
    const Class kind = is_in(white_space, code) ? Class::space
                       : is_in(letters, code)   ? Class::letter
                       : is_in(numbers, code)   ? Class::number
                                                : Class::other;
    return {kind, bytes};
}

/// Bytes of the characters of one class at the beginning, and of the last one of them.
struct Run {
    std::size_t bytes = 0;
    std::size_t last = 0;
};

Run run_of(std::string_view text, Class kind) {
    Run run;
    while (run.bytes < text.size()) {
        const Character next = character_at(text.substr(run.bytes));
        if (next.kind != kind) break;
        run.bytes += next.bytes;
        run.last = next.bytes;
    }
    return run;
}

/// Bytes of the first piece of a text that is not empty.
std::size_t first_piece(std::string_view text) {
    for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
        if (text.starts_with(ending)) return ending.size();
    const std::size_t blank = text.front() == ' ' ? 1 : 0;
    if (blank < text.size()) {
        const Class kind = character_at(text.substr(blank)).kind;
        if (kind != Class::space) return blank + run_of(text.substr(blank), kind).bytes;
    }
    // All of the white space at the end of the text; elsewhere its last character begins the next piece.
    const Run run = run_of(text, Class::space);
    const bool is_whole = run.bytes == text.size() || run.bytes == run.last;
    return is_whole ? run.bytes : run.bytes - run.last;
}

void cut_by_gpt2(std::string_view text, const std::function<void(std::string_view)>& take) {
    while (!text.empty()) {
        const std::size_t bytes = first_piece(text);
        take(text.substr(0, bytes));
        text.remove_prefix(bytes);
    }
}

}  // namespace

std::span<const PieceRule> piece_rules() {
    return rules;
}

void cut_pieces(std::string_view text, const PieceRule& rule, const std::function<void(std::string_view)>& take) {
    if (!rule.single_numbers) return cut_by_gpt2(text, take);
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
        const Character next = character_at(text.substr(at));
        if (next.kind == Class::number) {
            cut_by_gpt2(text.substr(begin, at - begin), take);
            take(text.substr(at, next.bytes));
            begin = at + next.bytes;
        }
        at += next.bytes;
    }
    cut_by_gpt2(text.substr(begin), take);
}

}  // namespace farfield::checkpoint
