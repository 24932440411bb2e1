// All output of the program: control characters that a terminal might interpret are escaped, and failed writes are
// recorded.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace farfield::cli {

/// Opens closed standard streams on /dev/null, so that no file of results gets their number.
void open_standard_streams();

void write_output(std::string_view text);

/// A sentence of a study, which may stand on several lines there, as one printable line.
std::string sentence_line(std::string_view text);
void write_error(std::string_view text);

enum class Colour { none, green, yellow, red };

/// Writes in the colour if standard output shows colours: on a terminal, without NO_COLOR in the environment.
void write_coloured(std::string_view text, Colour colour);

/// Writes buffered output. Returns false after any failed write, after which nothing more is written.
bool flush_output();

/// Why standard output could not be written; empty if there was no failure.
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
