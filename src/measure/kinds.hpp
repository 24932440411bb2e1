// The row of each kind that needs trained models, NAME_kind() of src/measure/NAME.cpp. The list is in meson.build.
#pragma once

#include <farfield/measure/kind.hpp>

namespace farfield::measure {

#define KIND(name) const Kind& name##_kind();
#include "measure/kinds.def"

/// The key that names the training, of every kind.
inline constexpr core::Key of_key = {
    .name = "of", .type = core::KeyType::text, .required = true, .meaning = "a [train.NAME] or [checkpoint.NAME]"};

/// And of kinds that checkpoints do not have.
inline constexpr core::Key of_training_key = {
    .name = "of", .type = core::KeyType::text, .required = true, .meaning = "a [train.NAME]"};

}  // namespace farfield::measure
