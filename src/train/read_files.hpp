// Files of a corpus, and the command that prints the King James text.
#pragma once

#include <string>
#include <vector>

#include <farfield/train/corpus.hpp>

namespace farfield::train {

/// The contents of the files that the paths, globs and folders name, in the order of their names within each. Throws
/// core::MissingError that names a path without files, with `advice`, and core::UserError at the place for a file that
/// is named twice.
std::vector<std::string> read_files(const std::vector<std::string>& patterns, const std::string& folder,
                                    const std::string& advice, const core::Place& place = {});

/// The King James text as Debian's `bible` prints it: one document per chapter, one line per verse without its
/// reference. Throws core::MissingError if the command is missing or prints another text.
std::vector<std::string> read_king_james();

}  // namespace farfield::train
