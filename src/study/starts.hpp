// Trainings that start from the weights of another one.
#pragma once

#include <farfield/core/diagnostic.hpp>

#include "study/trainings.hpp"

namespace farfield::study {

/// Adds a problem for each `start` that does not name a training of the study, that leads to a cycle, or whose model,
/// corpus, seeds or learned parameters differ from those of the training that starts from it.
void check_starts(const Trainings& trainings, core::Problems& problems);

}  // namespace farfield::study
