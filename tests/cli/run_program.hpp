// The program, run in a folder of its own.
#pragma once

#include <sys/types.h>
#include <string>
#include <vector>

#include "support/folder.hpp"

namespace run_program {

/// The program of the build, or that of the variable FARFIELD_PROGRAM.
std::string tested_program();

struct Done {
    int status = -1;  ///< exit status; 128 + signal if a signal ended it
    std::string output;
    std::string error;
};

/// A study of one curve and one claim on it.
inline const std::string study =
    "[study]\ntitle = 'A line'\n\n"
    "[quantity.row]\nkind = 'curve'\nformula = '-n/2'\ndistances = { from = 0, to = 9 }\n\n"
    "[[claim]]\nid = 'T-1'\nsays = 'It falls.'\nexpect = 'confirmed'  # on record\n"
    "  [[claim.reading]]\n  name = 'everywhere'\n  holds = 'all(n, 0, 8, row[n + 1] < row[n])'\n";

/// The text with one passage, which it must have, in place of another.
std::string replaced(std::string text, const std::string& from, const std::string& to);

std::vector<std::string> lines_of(const std::string& text);

/// The program runs in it, with its cache inside.
class Folder : public farfield::tests::Folder {
public:
    bool has(const std::string& name) const;
    /// Files below the folder, relative to it.
    std::vector<std::string> files(const std::string& below = {}) const;

    Done farfield(const std::vector<std::string>& arguments) const;
    /// Starts it; standard output and error go to the files `output` and `error` of the folder.
    pid_t start(const std::vector<std::string>& arguments) const;
    /// A copy of the program, run as a user without rights of its own where the test has those of root.
    Done farfield_as_nobody(const std::vector<std::string>& arguments) const;
    /// With standard output into that file (a device, say), whose name is a whole path.
    Done farfield_into(const std::string& output, const std::vector<std::string>& arguments) const;
    /// Waits for what start() gave.
    Done finish(pid_t process) const;

private:
    struct How {
        std::string program = tested_program();
        std::string output;  ///< empty: the file `output` of the folder
        bool as_nobody = false;
    };
    pid_t start(const std::vector<std::string>& arguments, const How& how) const;
};

}  // namespace run_program
