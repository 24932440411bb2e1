#include <array>
#include <farfield/export/export.hpp>
#include <farfield/scheme/pieces.hpp>

#include "export/targets.hpp"

namespace farfield::exporting {

namespace {

struct Row {
    Target target;
    std::string_view name;
    std::string (*source)(const scheme::Scheme&);
};

constexpr std::array<Row, 5> targets = {{
    {Target::numpy, "numpy", numpy_source},
    {Target::torch, "torch", torch_source},
    {Target::flex_attention, "flex-attention", flex_attention_source},
    {Target::jax, "jax", jax_source},
    {Target::latex, "latex", latex_source},
}};

}  // namespace

std::string_view target_name(Target target) {
    for (const Row& each : targets)
        if (each.target == target) return each.name;
    return {};
}

std::optional<Target> find_target(std::string_view name) {
    for (const Row& each : targets)
        if (each.name == name) return each.target;
    return std::nullopt;
}

std::vector<std::string> target_names() {
    std::vector<std::string> names;
    names.reserve(targets.size());
    for (const Row& each : targets) names.emplace_back(each.name);
    return names;
}

std::string source(const scheme::Scheme& scheme, Target target) {
    if (target == Target::flex_attention) scheme::refuse_far(scheme, "export to flex-attention does");
    for (const Row& each : targets)
        if (each.target == target) return each.source(scheme);
    return {};
}

}  // namespace farfield::exporting
