#include "report/gnuplot.hpp"

#if __has_include(<gnuplot-iostream.h>)
#define FARFIELD_GNUPLOT
#include <gnuplot-iostream.h>
#endif
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>
#include <filesystem>
#include <sstream>

#include "report/written_files.hpp"

#include "core/temporary.hpp"
#include "report/text.hpp"

namespace farfield::report {
namespace {

namespace fs = std::filesystem;

/// gnuplot may end early at an error of the script; further writes must not end this program too.
class IgnoredPipeSignal {
public:
    IgnoredPipeSignal() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
    ~IgnoredPipeSignal() { std::signal(SIGPIPE, before_); }
    IgnoredPipeSignal(const IgnoredPipeSignal&) = delete;
    IgnoredPipeSignal& operator=(const IgnoredPipeSignal&) = delete;

private:
    void (*before_)(int);
};

/// With a missing gnuplot, only the shell would report an error, and the program would continue without a figure.
/// Therefore search for it first.
bool is_on_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string file = (folder.empty() ? "." : folder) + "/" + program;
        std::error_code unreadable;
        if (fs::is_regular_file(file, unreadable) && ::access(file.c_str(), X_OK) == 0) return true;
    }
    return false;
}

std::string shell_quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return quoted + "'";
}

std::string temporary_folder() {
    std::error_code failure;
    const fs::path folder = fs::temp_directory_path(failure);
    if (failure) {
        throw core::MissingError("looking for a temporary folder", failure.message(),
                                 "set TMPDIR to a folder that you may write to");
    }
    return folder.string();
}

}  // namespace

ScratchFolder::ScratchFolder() : path_(temporary_folder() + "/" + core::temporary_name()) {
    core::remove_stale(std::filesystem::path(path_).parent_path());
    if (!::mkdtemp(path_.data())) {
        throw core::MissingError("making the folder '" + path_ + "'", std::strerror(errno),
                                 "set TMPDIR to a folder with room that you may write to");
    }
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string gnuplot_text(std::string_view text) {
    std::string quoted = "'";
    for (const char c : valid_text(text)) {
        if (c == '\n')
            quoted += "'.\"\\n\".'";
        else if (c == '\t')
            quoted += ' ';
        else if (c == '\'')  // gnuplot 5.4 misreads a doubled quote at the start, and two in a row
            quoted += "'.\"'\".'";
        else
            quoted += c;
    }
    return quoted + "'";
}

void run_gnuplot(const ScratchFolder& scratch, const std::function<void(std::ostream&)>& script) {
    if (!is_on_path("gnuplot")) {
        throw core::MissingError("starting gnuplot", "there is no program of that name on the PATH",
                                 "apt-get install gnuplot-nox, or leave figures out with --no-figures");
    }
    const std::string errors = scratch.file("errors"), status = scratch.file("status");
    const IgnoredPipeSignal guard;
#if defined(FARFIELD_GNUPLOT)
    {
        Gnuplot gnuplot("gnuplot -d >/dev/null 2>" + shell_quoted(errors) + "; echo $? >" + shell_quoted(status));
        script(gnuplot);
    }
#endif
    if (content_of(status) != "0\n") {
        throw core::MissingError("drawing with gnuplot", content_of(errors),
                                 "is it gnuplot 5.4 or later? gnuplot --version tells");
    }
}

std::string read_output(const std::string& path) {
    std::string text = content_of(path);
    if (text.empty()) {
        throw core::MissingError("drawing with gnuplot", "it wrote no picture",
                                 "is it Debian's gnuplot-nox? It must know the terminals svg, pngcairo and dumb");
    }
    return text;
}

}  // namespace farfield::report
