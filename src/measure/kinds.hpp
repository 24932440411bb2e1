// The row of each kind. A kind is src/measure/<kind>.cpp, its page docs/quantities/<kind>.md; catalogue.cpp lists them.
#pragma once

#include <farfield/measure/kind.hpp>

namespace farfield::measure {

const Kind& perplexity_kind();
const Kind& gradient_field_kind();
const Kind& attention_resolution_kind();
const Kind& timing_kind();
const Kind& learned_kind();

/// The key that names the training, of every kind.
inline constexpr core::Key of_key = {
    .name = "of", .type = core::KeyType::text, .required = true, .meaning = "a [train.NAME]"};

}  // namespace farfield::measure
