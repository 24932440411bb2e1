#include <algorithm>
#include <array>
#include <cstdint>
#include <farfield/report/report.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "report/html.hpp"
#include "report/playground.hpp"
#include "report/text.hpp"

namespace farfield::report {
namespace {

/// The bytes in the format of deflate, in blocks without compression, because this library does not compress.
std::string deflate_blocks(std::string_view bytes) {
    constexpr std::size_t most = 65535;
    std::string blocks;
    for (std::size_t at = 0; at == 0 || at < bytes.size(); at += most) {
        const std::string_view block = bytes.substr(at, most);
        blocks += at + most >= bytes.size() ? '\1' : '\0';
        for (const std::size_t word : {block.size(), most - block.size()})
            blocks += {static_cast<char>(word & 255), static_cast<char>(word >> 8)};
        blocks += block;
    }
    return blocks;
}

/// Base64 for addresses (RFC 4648, section 5), without padding.
std::string base64_of(std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::string text;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char byte : bytes) {
        bits = bits << 8 | static_cast<unsigned char>(byte);
        for (count += 8; count >= 6; count -= 6) text += digits[bits >> (count - 6) & 63];
    }
    if (count > 0) text += digits[bits << (6 - count) & 63];
    return text;
}

/// What a line of a study needs in addition to the study's text.
struct Need {
    bool is_absent = false;      // the page lacks it: models, or files in an unsupported format
    std::string_view file = {};  // next to the study
};

/// The text between quotes, in a line with at most a comment after it; empty if there is none.
std::string_view quoted(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    if (text.empty() || (text[0] != '"' && text[0] != '\'')) return "";
    const std::size_t end = text.find(text[0], 1);
    if (end == std::string::npos || text.substr(0, end).find('\\') != std::string::npos) return "";
    const std::size_t after = text.find_first_not_of(" \t\r", end + 1);
    return after == std::string::npos || text[after] == '#' ? text.substr(1, end - 1) : "";
}

Need need_of(std::string_view line) {
    constexpr std::array<std::string_view, 4> sections = {"train", "model", "corpus", "checkpoint"};
    constexpr std::array<std::string_view, 3> keys = {"files", "data", "against"};
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const std::size_t brackets = std::min(line.find_first_not_of('['), line.size());
    line.remove_prefix(brackets);
    const std::string_view word = line.substr(0, line.find_first_of("].= \t"));
    if (brackets > 0) return {.is_absent = std::find(sections.begin(), sections.end(), word) != sections.end()};
    const std::size_t after = line.find_first_not_of(" \t", word.size());
    if (after == std::string::npos || line[after] != '=') return {};
    if (word != "file") return {.is_absent = std::find(keys.begin(), keys.end(), word) != keys.end()};
    const std::string_view file = quoted(line.substr(after + 1));
    return {.is_absent = file.empty(), .file = file};
}

}  // namespace

std::string playground_fragment(std::string_view study, const ContentOf& content_of) {
    std::set<std::string> files;
    for (std::size_t start = 0; start < study.size();) {
        const std::size_t end = std::min(study.find('\n', start), study.size());
        const Need need = need_of(study.substr(start, end - start));
        if (need.is_absent) return "";
        if (!need.file.empty()) files.emplace(need.file);
        start = end + 1;
    }
    std::string fragment = "#tab=study&study=" + base64_of(deflate_blocks(study));
    for (const std::string& name : files) {
        const std::optional<std::string> content = content_of ? content_of(name) : std::nullopt;
        if (!content) return "";
        fragment += "&file=" + url(name) + "&content=" + base64_of(deflate_blocks(*content));
    }
    return fragment;
}

std::string playground_link(const std::string& address, std::string_view key, std::string_view name) {
    if (address.empty()) return "";
    const std::string part = key.empty() ? "" : "&" + std::string(key) + "=" + url(std::string(name));
    return element("a", "Open in the playground", "href=\"" + escaped(address + part) + "\"");
}

}  // namespace farfield::report
