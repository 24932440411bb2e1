// Checks of trainings, and of measurements on them, before anything is trained.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/study/study.hpp>
#include <farfield/train/training.hpp>
#include <optional>
#include <set>
#include <string>

#include "study/body.hpp"
#include "study/models.hpp"

namespace farfield::study {

/// Checks the training and those from which it starts, except those that are already `checked`: adds a problem if the
/// scheme has no tables at the training's length, or if its corpus has no row to train on.
void check_chain(const Study::Body& body, const TrainItem& item, Models& models, std::set<std::string>& checked,
                 core::Problems& problems);

/// Adds a problem for each length for which the corpus has no rows, or fewer than the quantity needs.
void check_rows(const Item& item, const TrainItem& of, const train::Training& training, core::Problems& problems);

/// Throws core::MissingError if there is too little memory for measuring the item.
void require_memory(const Item& item, Models& models, const Options& options);

/// The first of the quantity's lengths at which a formula without learned names has no value that a model can use.
std::optional<core::Diagnostic> find_bad_length(const Item& item, const train::Training& training);

}  // namespace farfield::study
