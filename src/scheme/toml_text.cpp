#include "scheme/toml_text.hpp"

#include <algorithm>

namespace farfield::scheme {
namespace {

bool continues_code_point(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

struct String {
    std::size_t end = 0;  ///< the byte after it
    bool is_closed = true;
};

/// The string that starts at `at` with a quote of either kind, single or triple.
String string_at(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const std::string triple(3, quote);
    const bool is_long = text.substr(at, 3) == triple;
    for (std::size_t position = at + (is_long ? 3 : 1); position < text.size(); ++position) {
        if (!is_long && text[position] == '\n') return {position + 1, false};
        if (quote == '"' && text[position] == '\\')
            ++position;
        else if (is_long && text.substr(position, 3) == triple)
            return {position + 3};
        else if (!is_long && text[position] == quote)
            return {position + 1};
    }
    return {text.size(), false};
}

}  // namespace

TomlText::TomlText(std::string_view text, std::string file, bool keeps_lines)
    : text_(text), file_(std::move(file)), keeps_lines_(keeps_lines), starts_{0} {
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
        starts_.push_back(at + 1);
    }
}

std::string_view TomlText::line_text(std::size_t index) const {
    const std::size_t end = index + 1 < starts_.size() ? starts_[index + 1] - 1 : text_.size();
    std::string_view line = text_.substr(starts_[index], end - starts_[index]);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

std::size_t TomlText::offset(std::size_t line, std::size_t column) const {
    if (line == 0 || line > starts_.size()) return text_.size();
    if (last_.line != line || column < last_.column / 2) last_ = {line, 1, starts_[line - 1]};
    std::size_t passed = last_.column;
    std::size_t at = last_.at;
    for (; passed < column && at < text_.size(); ++passed) {
        ++at;
        while (at < text_.size() && continues_code_point(text_[at])) ++at;
    }
    for (; passed > column; --passed) {
        --at;
        while (continues_code_point(text_[at])) --at;
    }
    last_ = {line, passed, at};
    return at;
}

core::Place TomlText::place(std::size_t offset, std::size_t length) const {
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
    const auto index = static_cast<std::size_t>(after - starts_.begin()) - 1;
    const std::string_view line = line_text(index);
    const std::size_t column = std::min(offset - starts_[index], line.size());
    const std::size_t room = std::max<std::size_t>(1, line.size() - column);
    constexpr std::size_t longest_excerpt = 4096;
    const bool is_kept = keeps_lines_ && line.size() <= longest_excerpt;
    return {file_, index + 1, column + 1, std::clamp<std::size_t>(length, 1, room), std::string(is_kept ? line : "")};
}

std::string_view TomlText::slice(std::size_t begin, std::size_t end) const {
    begin = std::min(begin, text_.size());
    return text_.substr(begin, std::max(begin, end) - begin);
}

std::optional<std::size_t> open_string(std::string_view text) {
    for (std::size_t at = text.find_first_of("\"'#"); at < text.size(); at = text.find_first_of("\"'#", at)) {
        if (text[at] == '#') {
            at = text.find('\n', at);
            continue;
        }
        const String string = string_at(text, at);
        if (!string.is_closed) return at;
        at = string.end;
    }
    return std::nullopt;
}

std::optional<std::size_t> too_deep(std::string_view text, std::size_t most_dots, std::size_t most_brackets) {
    std::size_t dots = 0;
    std::size_t brackets = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char byte = text[at];
        if (byte == '"' || byte == '\'') {
            at = string_at(text, at).end;
            continue;
        }
        if (byte == '#') {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        if (byte == '.') ++dots;
        if (byte == '[' || byte == '{') ++brackets;
        if ((byte == ']' || byte == '}') && brackets > 0) --brackets;
        if (std::string_view("\n,=[]{}").find(byte) != std::string_view::npos) dots = 0;
        if (dots > most_dots || brackets > most_brackets) return at;
        ++at;
    }
    return std::nullopt;
}

}  // namespace farfield::scheme
