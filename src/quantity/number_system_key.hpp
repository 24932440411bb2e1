// The key `in`: the number system a formula is evaluated in.
#pragma once

#include <farfield/evaluate/number_system.hpp>
#include <farfield/quantity/kind.hpp>

namespace farfield::quantity {

inline constexpr core::Key number_system_key = {
    .name = "in",
    .type = core::KeyType::text,
    .fallback = "double",
    .meaning = "number system of the formula: double, float, fp16, bf16, e4m3, e5m2, mp50, interval",
};

/// The number system of the key `in`; an unknown one is a problem.
inline evaluate::NumberSystem read_number_system(const Declaration& declaration, core::Problems& problems) {
    const core::Entry* entry = declaration.settings.find("in");
    if (!entry || !entry->value.string()) return {};
    try {
        return evaluate::read_number_system(*entry->value.string(), entry->value.place);
    } catch (const core::UserError& error) {
        for (const core::Diagnostic& diagnostic : error.diagnostics()) problems.add(diagnostic);
        return {};
    }
}

}  // namespace farfield::quantity
