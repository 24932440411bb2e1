// Runs gnuplot.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace farfield::report {

/// A text as a gnuplot string that it takes literally: single quotes (no command substitution, no escapes), line breaks
/// joined in between.
std::string gnuplot_text(std::string_view text);

/// A folder for gnuplot's output, removed with all that is in it.
class ScratchFolder {
public:
    /// Throws core::MissingError if there is no folder for temporary files.
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

private:
    std::string path_;
};

/// Starts gnuplot, lets `script` write its commands, and waits for it. Throws core::MissingError if gnuplot is not
/// there (naming Debian's package) or ends with a fault (with its message). Not for several threads at once: a broken
/// pipe is ignored for the whole process meanwhile.
void run_gnuplot(const ScratchFolder& scratch, const std::function<void(std::ostream&)>& script);

/// What a file of gnuplot's output holds; throws core::MissingError if it is not there or empty.
std::string read_output(const std::string& path);

}  // namespace farfield::report
