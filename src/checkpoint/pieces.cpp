#include "checkpoint/pieces.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "checkpoint/characters.hpp"

namespace farfield::checkpoint {
namespace {

#include "checkpoint/classes.inc"

constexpr std::array<PieceRule, 7> rules = {{
    {"gpt-2", false},
    {"smollm", true},
    {"starcoder", true},
    {"refact", true},
    {"command-r", true},
    {"llama-bpe", false, 3, true},
    {"qwen2", false, 1, false, true},
}};

enum class Class : std::uint8_t { space, letter, number, other };

/// The first character of a text: its class and number of bytes.
struct Character {
    Class kind;
    std::size_t bytes;
};

Character character_at(std::string_view text) {
    const auto [code, bytes] = code_at(text);
    const Class kind = is_in(white_space, code) ? Class::space
                       : is_in(letters, code)   ? Class::letter
                       : is_in(numbers, code)   ? Class::number
                                                : Class::other;
    return {kind, bytes};
}

/// The number of bytes of the characters of one class at the beginning, and of the last of them.
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

constexpr std::string_view endings[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};

/// White space at the beginning. At the end of the text, all of it is one piece; elsewhere, its last character begins
/// the next piece.
std::size_t first_blanks(std::string_view text) {
    const Run run = run_of(text, Class::space);
    const bool is_whole = run.bytes == text.size() || run.bytes == run.last;
    return is_whole ? run.bytes : run.bytes - run.last;
}

/// The number of bytes of the first piece of a text that is not empty.
std::size_t first_by_gpt2(std::string_view text) {
    for (const std::string_view ending : endings)
        if (text.starts_with(ending)) return ending.size();
    const std::size_t blank = text.front() == ' ' ? 1 : 0;
    if (blank < text.size()) {
        const Class kind = character_at(text.substr(blank)).kind;
        if (kind != Class::space) return blank + run_of(text.substr(blank), kind).bytes;
    }
    return first_blanks(text);
}

/// The number of bytes of an ending such as 's, in upper or lower case; 0 without one. The long s counts as an s.
std::size_t ending_of(std::string_view text) {
    constexpr std::string_view long_s = "'\u017f";
    if (text.starts_with(long_s)) return long_s.size();
    for (const std::string_view ending : endings) {
        const auto is_same = [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b); };
        if (text.size() >= ending.size() &&
            std::equal(ending.begin(), ending.end(), text.begin(), [&](char b, char a) { return is_same(a, b); }))
            return ending.size();
    }
    return 0;
}

std::size_t first_by_llama3(std::string_view text, std::size_t most_numbers) {
    if (const std::size_t bytes = ending_of(text)) return bytes;
    const Character first = character_at(text);
    if (first.kind == Class::letter) return run_of(text, Class::letter).bytes;
    const bool is_break = text.front() == '\r' || text.front() == '\n';
    if (first.kind != Class::number && !is_break && first.bytes < text.size()) {
        const Run letters_behind = run_of(text.substr(first.bytes), Class::letter);
        if (letters_behind.bytes > 0) return first.bytes + letters_behind.bytes;
    }
    if (first.kind == Class::number) {
        std::size_t bytes = 0;
        for (std::size_t count = 0; count < most_numbers && bytes < text.size(); ++count) {
            const Character next = character_at(text.substr(bytes));
            if (next.kind != Class::number) break;
            bytes += next.bytes;
        }
        return bytes;
    }
    const std::size_t blank = text.front() == ' ' ? 1 : 0;
    if (const Run others = run_of(text.substr(blank), Class::other); others.bytes > 0) {
        const std::size_t end = blank + others.bytes;
        return std::min(text.find_first_not_of("\r\n", end), text.size());
    }
    const std::string_view blanks = text.substr(0, run_of(text, Class::space).bytes);
    const std::size_t last_break = blanks.find_last_of("\r\n");
    return last_break != std::string_view::npos ? last_break + 1 : first_blanks(text);
}

/// Calls `take` with each piece in order; first(text) is the number of bytes of the first.
template <class First>
void cut_by(const First& first, std::string_view text, const std::function<void(std::string_view)>& take) {
    while (!text.empty()) {
        const std::size_t bytes = first(text);
        take(text.substr(0, bytes));
        text.remove_prefix(bytes);
    }
}

}  // namespace

std::optional<std::size_t> first_not_composed(std::string_view text) {
    bool was_mark = false;
    for (std::size_t at = 0; at < text.size();) {
        const auto [code, bytes] = code_at(text.substr(at));
        const bool is_mark = is_in(marks, code);
        if ((is_mark && was_mark) || is_in(recomposed, code)) return at;
        was_mark = is_mark;
        at += bytes;
    }
    return {};
}

std::span<const PieceRule> piece_rules() {
    return rules;
}

void cut_pieces(std::string_view text, const PieceRule& rule, const std::function<void(std::string_view)>& take) {
    if (rule.most_numbers > 0)
        return cut_by([&](std::string_view rest) { return first_by_llama3(rest, rule.most_numbers); }, text, take);
    if (!rule.single_numbers) return cut_by(first_by_gpt2, text, take);
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
        const Character next = character_at(text.substr(at));
        if (next.kind == Class::number) {
            cut_by(first_by_gpt2, text.substr(begin, at - begin), take);
            take(text.substr(at, next.bytes));
            begin = at + next.bytes;
        }
        at += next.bytes;
    }
    cut_by(first_by_gpt2, text.substr(begin), take);
}

}  // namespace farfield::checkpoint
