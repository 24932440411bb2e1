// Where results come from: version, commit, compiler, processor.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "study/body.hpp"

namespace farfield::study {

/// Version, commit, compiler, processor, the study's digest and the values set from the command line.
std::vector<std::pair<std::string, std::string>> manifest_of(const Study::Body& body);

/// What distinguishes this program from one built otherwise: its version, and its file's size and time.
const std::string& program_identity();

}  // namespace farfield::study
