#include <fmt/format.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <farfield/core/error.hpp>
#include <memory>
#include <string_view>

#include "train/read_files.hpp"

namespace farfield::train {

namespace {

constexpr const char* command = "bible -f gen1:1-rev22:21 2>/dev/null </dev/null";
constexpr std::size_t verses_of_the_text = 31102;

[[noreturn]] void fail(const std::string& reason) {
    throw core::MissingError(
        "running 'bible' for the King James text", reason,
        "install the Debian packages bible-kjv and bible-kjv-text (./farfield --install corpora), or name a file: "
        "files = [\"bible.txt\"]");
}

std::string output_of_command() {
    FILE* pipe = ::popen(command, "r");
    if (!pipe) fail(std::strerror(errno));
    std::string text;
    char buffer[65536];
    for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, count);
    const int status = ::pclose(pipe);
    // 127 is the status of the shell for an unknown command.
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) fail("there is no such command");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail(fmt::format("it ended with status {}", status));
    return text;
}

}  // namespace

std::vector<std::string> read_king_james() {
    const std::string text = output_of_command();
    std::vector<std::string> chapters;
    std::string_view chapter;
    std::size_t verses = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        begin = end + 1;
        // "Ge1:1 In the beginning God created the heaven and the earth."
        const std::size_t colon = line.find(':');
        const std::size_t space = line.find(' ');
        if (colon == std::string_view::npos || space == std::string_view::npos || colon > space) continue;
        if (line.substr(0, colon) != chapter) chapters.emplace_back();
        chapter = line.substr(0, colon);
        chapters.back() += std::string(line.substr(space + 1)) + "\n";
        ++verses;
    }
    if (verses != verses_of_the_text)
        fail(fmt::format("it printed {} verses instead of {}", verses, verses_of_the_text));
    return chapters;
}

}  // namespace farfield::train
