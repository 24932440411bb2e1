// The catalogue's schemes, and those that only configurations need.
#pragma once

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

}  // namespace farfield::doctor
