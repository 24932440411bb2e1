// All that the program prints: what a terminal might obey is written out, and failed writes are remembered.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace farfield::cli {

/// Standard streams that are closed are opened on /dev/null, so that no file of results takes their number.
void open_standard_streams();

void write_output(std::string_view text);
void write_error(std::string_view text);

enum class Colour { none, green, yellow, red };

/// In the colour where standard output shows colours: on a terminal, without NO_COLOR in the environment.
void write_coloured(std::string_view text, Colour colour);

/// Writes out what is buffered. False once anything could not be written: nothing more will be.
bool flush_output();

/// Why standard output could not be written; empty as long as it could.
std::string output_failure();

template <class... Values>
void print(fmt::format_string<Values...> format, Values&&... values) {
    write_output(fmt::format(format, std::forward<Values>(values)...));
}

template <class... Values>
void print_error(fmt::format_string<Values...> format, Values&&... values) {
    write_error(fmt::format(format, std::forward<Values>(values)...));
}

}  // namespace farfield::cli
