// The catalogue's schemes, and those that only configurations need.
#pragma once

#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/scheme.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace farfield::doctor {

using Params = std::vector<std::pair<std::string, std::string>>;

/// The scheme with these params, also with those that it does not allow: a configuration is checked as it is.
/// "rotary-longrope" has tables `short` and `long` of `pairs` numbers, which the context
/// gives values.
scheme::Scheme scheme_named(std::string_view name, const Params& params, std::size_t pairs);

/// A param with a value that the scheme does not allow, and the condition that it does not meet.
struct RefusedParam {
    std::string name;
    std::string condition;
};
std::vector<RefusedParam> refused_params(std::string_view name, const Params& params);

/// The known schemes, and that one with the temperature of an attention factor where it is not 1.
scheme::Registry registry_of(std::string_view name, std::size_t pairs, double attention_factor);

}  // namespace farfield::doctor
