#include "report/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <farfield/core/printable.hpp>

namespace farfield::report {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

bool is_plain(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// The sign and the code of a character.
std::string coded(char sign, char c) {
    return fmt::format("{}{:02X}", sign, static_cast<unsigned char>(c));
}

/// The text with all characters but plain ones and those in `kept` as codes.
std::string coded(std::string_view text, std::string_view kept, char sign) {
    std::string result;
    for (const char c : text)
        result += is_plain(c) || kept.find(c) != std::string::npos ? std::string(1, c) : coded(sign, c);
    return result;
}

std::string general(double value, int digits) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return fmt::format("{:.{}g}", value, digits);
}

}  // namespace

std::string exact_number(double value) {
    // Most columns of series are integers, for which 17 digits are all their digits.
    const bool is_integer = std::fabs(value) < 0x1p53 && std::trunc(value) == value;
    if (is_integer && !(value == 0 && std::signbit(value))) return std::to_string(static_cast<long long>(value));
    return general(value, 17);
}

std::string short_number(double value, int digits) {
    return general(value, digits);
}

std::string file_stem(std::string_view name) {
    constexpr std::string_view kept = "_.,=+-[]()";
    std::string stem;
    for (const char c : name) {
        const bool leading_dot = c == '.' && stem.empty();
        stem += (is_plain(c) || kept.find(c) != std::string::npos) && !leading_dot ? std::string(1, c) : coded('%', c);
    }
    return stem;
}

std::string url(std::string_view path) {
    return coded(path, "-_.~/", '%');
}

std::string fragment(std::string_view name) {
    return coded(name, "-_./", '~');
}

std::string valid_text(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = core::character_length(text);
        const bool control = length == 1 && (text[0] == 0x7F || (text[0] < 0x20 && text[0] != '\t' && text[0] != '\n'));
        result += length == 0 || control ? replacement : text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return result;
}

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : valid_text(text)) {
        switch (c) {
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            case '"': result += "&quot;"; break;
            case '\'': result += "&#39;"; break;
            default: result += c;
        }
    }
    return result;
}

}  // namespace farfield::report
