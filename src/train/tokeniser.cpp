#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/train/text.hpp>
#include <optional>
#include <set>
#include <sstream>

namespace farfield::train {

namespace {

[[noreturn]] void refuse(const core::Place& place, std::string found, std::string wanted) {
    throw core::UserError({core::Diagnostic{place, std::move(found), std::move(wanted), {}}});
}

int hexadecimal(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

/// The string of a line of a vocabulary file; nothing if an escape is invalid.
std::optional<std::string> unescape(const std::string& line) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\\') {
            text += line[i];
            continue;
        }
        const char kind = i + 1 < line.size() ? line[++i] : '\0';
        if (kind == 'x' && i + 2 < line.size() && hexadecimal(line[i + 1]) >= 0 && hexadecimal(line[i + 2]) >= 0) {
            text += static_cast<char>(16 * hexadecimal(line[i + 1]) + hexadecimal(line[i + 2]));
            i += 2;
            continue;
        }
        static constexpr std::string_view names = "nt\\";
        static constexpr std::string_view meanings = "\n\t\\";
        const std::size_t at = names.find(kind);
        if (kind == '\0' || at == std::string_view::npos) return std::nullopt;
        text += meanings[at];
    }
    return text;
}

}  // namespace

Tokeniser::Tokeniser(std::vector<std::string> strings, const core::Place& place)
    : strings_(std::move(strings)), by_first_(256) {
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < strings_.size(); ++i) {
        if (strings_[i].empty()) refuse(place, "an empty string in the vocabulary", "at least one byte");
        if (!seen.insert(strings_[i]).second)
            refuse(place, "'" + strings_[i] + "' is listed twice in the vocabulary", "every string once");
        by_first_[static_cast<unsigned char>(strings_[i].front())].push_back(i);
    }
    for (auto& same_first : by_first_) {
        std::stable_sort(same_first.begin(), same_first.end(),
                         [this](std::size_t a, std::size_t b) { return strings_[a].size() > strings_[b].size(); });
    }
}

std::vector<Token> Tokeniser::encode(std::string_view text) const {
    std::vector<Token> tokens;
    tokens.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        Token token = byte;
        std::size_t length = 1;
        if (!by_first_.empty()) {
            for (const std::size_t i : by_first_[byte]) {
                if (!text.substr(at).starts_with(strings_[i])) continue;
                token = static_cast<Token>(256 + i);
                length = strings_[i].size();
                break;
            }
        }
        tokens.push_back(token);
        at += length;
    }
    return tokens;
}

std::string Tokeniser::decode(const std::vector<Token>& tokens) const {
    std::string text;
    for (const Token token : tokens) {
        if (token < 0 || static_cast<std::size_t>(token) >= vocabulary()) {
            throw core::PreconditionError("Tokeniser::decode", "tokens", std::to_string(token),
                                          fmt::format("0 to {}", vocabulary() - 1));
        }
        if (token < 256)
            text += static_cast<char>(token);
        else
            text += strings_[static_cast<std::size_t>(token) - 256];
    }
    return text;
}

Tokeniser read_vocabulary(const std::string& path) {
    std::istringstream stream(core::read_file(path));
    std::vector<std::string> strings;
    core::Place place{path, 0, 1, 1, {}};
    for (std::string line; std::getline(stream, line);) {
        ++place.line;
        const std::optional<std::string> text = unescape(line);
        if (!text) refuse(place, "an unknown escape", "\\n, \\t, \\\\ or \\x and two hexadecimal digits");
        if (text->empty()) refuse(place, "an empty line in the vocabulary", "a string a line");
        strings.push_back(*text);
    }
    return Tokeniser(std::move(strings), place);
}

}  // namespace farfield::train
