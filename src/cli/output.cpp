#include "cli/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <farfield/core/printable.hpp>

namespace farfield::cli {

namespace {

/// The system's error code of the first failed write.
int output_error = 0;

void note_failure(bool failed) {
    if (failed && output_error == 0) output_error = errno != 0 ? errno : EIO;
}

/// Whether standard output is a terminal with colours, and the user has not disabled them (https://no-color.org).
bool shows_colours() {
    const char* refused = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    const bool is_dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
    return ::isatty(STDOUT_FILENO) == 1 && !is_dumb && (refused == nullptr || *refused == '\0');
}

}  // namespace

void open_standard_streams() {
    // A file beyond the limit of its size is then reported like a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        // Standard output opened for reading alone: what is written to it fails, and is reported.
        const bool closed = ::fcntl(descriptor, F_GETFD) < 0;
        if (closed) ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    }
}

std::string sentence_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        const bool is_space = c == ' ' || c == '\n' || c == '\t';
        if (!is_space) line += c;
        if (is_space && !line.empty() && line.back() != ' ') line += ' ';
    }
    if (line.ends_with(' ')) line.pop_back();
    return core::printable_line(line);
}

void write_output(std::string_view text) {
    if (output_error != 0) return;
    const std::string shown = core::printable(text);
    errno = 0;
    note_failure(std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size());
}

void write_coloured(std::string_view text, Colour colour) {
    static const bool is_shown = shows_colours();
    if (colour == Colour::none || !is_shown || output_error != 0) return write_output(text);
    std::fputs(colour == Colour::green ? "\033[32m" : colour == Colour::red ? "\033[31m" : "\033[33m", stdout);
    write_output(text);
    std::fputs("\033[0m", stdout);
}

void write_error(std::string_view text) {
    const std::string shown = core::printable(text);
    std::fwrite(shown.data(), 1, shown.size(), stderr);
}

bool flush_output() {
    if (output_error != 0) return false;
    errno = 0;
    note_failure(std::fflush(stdout) != 0);
    return output_error == 0;
}

std::string output_failure() {
    return output_error == 0 ? "" : std::strerror(output_error);
}

}  // namespace farfield::cli
