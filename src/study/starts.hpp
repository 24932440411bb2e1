// Trainings that start from the weights of another one.
#pragma once

#include <farfield/core/diagnostic.hpp>

#include "study/trainings.hpp"

namespace farfield::study {

/// Adds a problem for each `start` that names no training of the study, one that comes back to itself, and one whose
/// model, corpus, seeds or learned parameters are not those of the training that starts from it.
void check_starts(const Trainings& trainings, core::Problems& problems);

}  // namespace farfield::study
