// What can be known of trainings, and of what is measured of them, before anything is trained.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/train/training.hpp>
#include <optional>

#include "study/body.hpp"

namespace farfield::study {

/// Adds a problem where the scheme has no tables at the training's length, and where its corpus has no row to train on.
/// `training` is the item's, with its data.
void check_training(const TrainItem& item, const train::Training& training, core::Problems& problems);

/// Adds a problem for each length that the corpus has no rows of, or fewer than the quantity asks for.
void check_rows(const Item& item, const TrainItem& of, const train::Training& training, core::Problems& problems);

/// The first of the quantity's lengths at which a formula without learned names has no value that a model can use.
std::optional<core::Diagnostic> find_bad_length(const Item& item, const train::Training& training);

}  // namespace farfield::study
