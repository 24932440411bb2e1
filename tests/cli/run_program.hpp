// The program, run in a folder of its own.
#pragma once

#include <sys/types.h>
#include <string>
#include <vector>

#include "support/folder.hpp"

namespace run_program {

struct Done {
    int status = -1;  ///< exit status; 128 + signal if a signal ended it
    std::string output;
    std::string error;
};

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
    /// Waits for what start() gave.
    Done finish(pid_t process) const;
};

}  // namespace run_program
