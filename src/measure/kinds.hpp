// Declares the row of each kind that needs trained models, NAME_kind() of src/measure/NAME.cpp. The list of kinds is in
// meson.build.
#pragma once

#include <farfield/measure/kind.hpp>

namespace farfield::measure {

#define KIND(name) const Kind& name##_kind();
#include "measure/kinds.def"

inline constexpr double most_length = 1 << 30;     ///< of a text, in tokens
inline constexpr double most_repeats = 1'000'000;  ///< of a measurement: texts, segments, timed steps

/// The key that names the training, for every kind.
inline constexpr core::Key of_key = {
    .name = "of", .type = core::KeyType::text, .required = true, .meaning = "a [train.NAME] or [checkpoint.NAME]"};

/// The same key for kinds that do not support checkpoints.
inline constexpr core::Key of_training_key = {
    .name = "of", .type = core::KeyType::text, .required = true, .meaning = "a [train.NAME]"};

}  // namespace farfield::measure
