#include "cli/json_text.hpp"

#include <fmt/format.h>

#include <farfield/core/printable.hpp>

namespace farfield::cli {

std::string json_text(std::string_view text) {
    std::string quoted = "\"";
    while (!text.empty()) {
        const std::size_t length = core::character_length(text);
        const auto first = static_cast<unsigned char>(text[0]);
        // Escaped too: what a terminal would obey, so that nobody downstream has to.
        const bool second_control = length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
        if (length == 0)
            quoted += "\\ufffd";
        else if (length == 1 && (first < 0x20 || first == 0x7F))
            quoted += fmt::format("\\u{:04x}", first);
        else if (second_control)
            quoted += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[1]));
        else
            quoted += (first == '"' || first == '\\' ? "\\" : "") + std::string(text.substr(0, length));
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return quoted + "\"";
}

}  // namespace farfield::cli
