// Runs gnuplot.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace farfield::report {

/// A text as a literal gnuplot string: in single quotes (no command substitution, no escapes), with line breaks
/// inserted between parts.
std::string gnuplot_text(std::string_view text);

/// A folder for gnuplot's output, which is removed with its content.
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

/// Starts gnuplot, lets `script` write its commands, and waits for it. Throws core::MissingError if gnuplot is missing
/// (with the name of Debian's package) or fails (with its message). Only one thread may call this at a time, because
/// the broken-pipe signal is ignored for the whole process meanwhile.
void run_gnuplot(const ScratchFolder& scratch, const std::function<void(std::ostream&)>& script);

/// The content of a file of gnuplot's output; throws core::MissingError if it is missing or empty.
std::string read_output(const std::string& path);

}  // namespace farfield::report
