#include "report/metrics.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <farfield/core/printable.hpp>

#include "report/text.hpp"

namespace farfield::report {
namespace {

/// Widths of the characters from the blank to the tilde, in 2048ths of the size. Source: the table hmtx of
/// DejaVuSans.ttf 2.37.
constexpr std::array<short, 95> advances = {
    651,  821,  942,  1716, 1303, 1946, 1597, 563,  799,  799,  1024, 1716, 651,  739,  651,  690,  1303, 1303, 1303,
    1303, 1303, 1303, 1303, 1303, 1303, 1303, 690,  690,  1716, 1716, 1716, 1087, 2048, 1401, 1405, 1430, 1577, 1294,
    1178, 1587, 1540, 604,  604,  1343, 1141, 1767, 1532, 1612, 1235, 1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403,
    1251, 1403, 799,  690,  799,  1716, 1024, 1024, 1255, 1300, 1126, 1300, 1260, 721,  1300, 1298, 569,  569,  1186,
    569,  1995, 1298, 1253, 1300, 1300, 842,  1067, 803,  1298, 1212, 1675, 1212, 1212, 1075, 1303, 690,  1303, 1716};
constexpr double of_two_bytes = 1720;  ///< nearly all Latin, Greek and Cyrillic letters
constexpr double of_more_bytes = 2048;

double advance(std::string_view character) {
    const auto first = static_cast<unsigned char>(character.front());
    if (character.size() == 1) return first < ' ' || first > '~' ? of_two_bytes : advances[first - std::size_t{' '}];
    return character.size() == 2 ? of_two_bytes : of_more_bytes;
}

/// The number of bytes of the longest start of the text that fits, at least one character.
std::size_t fitting(std::string_view text, double size, double width) {
    std::size_t end = 0;
    double used = 0;
    while (end < text.size()) {
        const std::size_t length = std::max<std::size_t>(1, core::character_length(text.substr(end)));
        used += advance(text.substr(end, length)) * size / 2048;
        if (used > width && end > 0) break;
        end += length;
    }
    return end;
}

/// The last blank up to `end` at which a line may be broken: not beside an equals sign, if there is another one. `end`
/// if there is none.
std::size_t break_before(std::string_view line, std::size_t end) {
    std::size_t any = 0;
    for (std::size_t at = end; at > 0; --at) {
        if (line[at] != ' ') continue;
        const bool is_beside_sign = line[at - 1] == '=' || (at + 1 < line.size() && line[at + 1] == '=');
        if (!is_beside_sign) return at;
        if (any == 0) any = at;
    }
    return any == 0 ? end : any;
}

void wrap_line(std::string_view line, double size, double width, std::vector<std::string>& lines) {
    do {
        std::size_t end = fitting(line, size, width);
        if (end < line.size()) end = break_before(line, end);
        lines.emplace_back(line.substr(0, end));
        line.remove_prefix(end);
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    } while (!line.empty());
}

}  // namespace

double text_width(std::string_view text, double size) {
    double width = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = std::max<std::size_t>(1, core::character_length(text.substr(at)));
        width += advance(text.substr(at, length));
        at += length;
    }
    return width * size / 2048;
}

std::vector<std::string> wrapped(std::string_view text, double size, double width) {
    const std::string valid = valid_text(text);
    std::vector<std::string> lines;
    std::string_view rest = valid;
    for (;;) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        wrap_line(rest.substr(0, end), size, width, lines);
        if (end == rest.size()) return lines;
        rest.remove_prefix(end + 1);
    }
}

}  // namespace farfield::report
