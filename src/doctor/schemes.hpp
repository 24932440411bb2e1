// The catalogue's schemes, and those that only configurations need.
#pragma once

#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/scheme.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace farfield::doctor {

/// The scheme with these params. "rotary-longrope" has tables `short` and `long` of `pairs` numbers, which the context
/// gives values.
scheme::Scheme scheme_named(std::string_view name, const std::vector<std::pair<std::string, std::string>>& params,
                            std::size_t pairs);

/// The known schemes, and that one with the temperature of an attention factor where it is not 1.
scheme::Registry registry_of(std::string_view name, std::size_t pairs, double attention_factor);

}  // namespace farfield::doctor
