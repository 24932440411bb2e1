// Where results come from: version, commit, compiler, processor.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "study/body.hpp"

namespace farfield::study {

/// Version, commit, compiler, processor, the study's digest, the values set from the command line, the names of --only
/// and, where another kind than this one's is among them, the kinds of processors of what came from the store.
std::vector<std::pair<std::string, std::string>> manifest_of(const Study::Body& body,
                                                             const std::vector<std::string>& only,
                                                             std::set<std::string> processors_of_store);

/// The linker's digest of the program or library that has this code in it, as hexadecimal digits; empty if it has none.
std::string build_id_around(const void* code);

/// What distinguishes the contents of this program from those of another of the same commit, after a space; empty where
/// programs are not ELF files.
std::string build_identity();

/// What distinguishes this program from one built otherwise: its version, commit and the linker's digest of its
/// contents, which copies on other machines share; its file's size and time if it was linked without one.
const std::string& program_identity();

}  // namespace farfield::study
