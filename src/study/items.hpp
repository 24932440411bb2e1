// Reads the quantities of a study.
#pragma once

#include <vector>

#include <farfield/study/keys.hpp>

#include "study/body.hpp"
#include "study/sweep.hpp"

namespace farfield::study {

/// Checks and prepares all quantities of a study whose schemes and trainings have been read, in parallel. Items and
/// problems are in the order of `expanded`.
std::vector<Item> read_items(std::vector<Expanded> expanded, const Study::Body& body, const Options& options,
                             core::Problems& problems);

}  // namespace farfield::study
