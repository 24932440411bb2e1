#include "doctor/schemes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>

#include "doctor/data.hpp"

namespace farfield::doctor {

namespace {

/// LongRoPE for one width, because its tables depend on the width.
std::string longrope_of(std::size_t pairs) {
    return fmt::format(R"toml([scheme.rotary-longrope]
doc    = "LongRoPE: each pair's wavelength multiplied by a number of its own, by one table up to the original length and another beyond."
source = "Ding et al. 2024 (LongRoPE); public code of Phi-3"
params = {{ base = 10000, original = 4096 }}
learn  = {{ short = {{ size = {0}, init = 1.0 }}, long = {{ size = {0}, init = 1.0 }} }}
rotate = {{ angle = "p * base^(-2*i/d) / (L > original ? long[i] : short[i])" }}
)toml",
                       pairs);
}

/// Uses only the catalogue if it has the scheme, because reading schemes.toml takes a millisecond.
const scheme::Registry& registry_with(std::string_view name) {
    if (scheme::Registry::builtin().find(name)) return scheme::Registry::builtin();
    static const scheme::Registry known = [] {
        scheme::Registry registry = scheme::Registry::builtin();
        core::Problems problems;
        const core::Entries root = read_data(data_files(), "schemes");
        registry.add(*root.find("scheme")->value.entries(), problems);
        problems.raise();
        return registry;
    }();
    return known;
}

scheme::Registry longrope_registry(std::size_t pairs) {
    core::Problems problems;
    scheme::Registry own;
    const core::Entries root = scheme::read_toml(longrope_of(pairs), "rotary-longrope");
    own.add(*root.find("scheme")->value.entries(), problems);
    problems.raise();
    return own;
}

}  // namespace

scheme::Scheme scheme_named(std::string_view name, const Params& params, std::size_t pairs) {
    const scheme::Registry longrope = name == "rotary-longrope" ? longrope_registry(pairs) : scheme::Registry();
    scheme::Scheme scheme = *(name == "rotary-longrope" ? longrope : registry_with(name)).find(name);
    std::erase_if(scheme.settings.list, [](const core::Entry& each) { return each.key == "require"; });
    scheme::Registry known;
    known.put(std::move(scheme));
    core::Problems problems;
    scheme::Scheme result = known.with_params(name, params, {}, problems);
    problems.raise();
    return result;
}

std::vector<RefusedParam> refused_params(std::string_view name, const Params& params) {
    if (name == "rotary-longrope") return {};
    core::Problems problems;
    // The excerpt is the name of the param.
    const auto place_of = [](std::string_view param) { return core::Place{"", 0, 0, 1, std::string(param)}; };
    registry_with(name).with_placed_params(name, params, place_of, problems);
    std::vector<RefusedParam> refused;
    for (const core::Diagnostic& each : problems.list()) refused.push_back({each.place.excerpt, each.wanted});
    return refused;
}

scheme::Registry registry_of(std::string_view name, std::size_t pairs, double attention_factor) {
    scheme::Registry known = name == "rotary-longrope" ? longrope_registry(pairs) : registry_with(name);
    if (attention_factor == 1) return known;
    core::Problems problems;
    const core::Entries root = scheme::read_toml(
        fmt::format("[scheme.{0}]\nextends = \"{0}\"\ntemperature = \"{1}^2\"\n", name, attention_factor),
        "attention factor");
    known.add(*root.find("scheme")->value.entries(), problems);
    problems.raise();
    return known;
}

}  // namespace farfield::doctor
