#include "study/definitions.hpp"

#include <algorithm>
#include <utility>

#include <farfield/measure/kind.hpp>
#include <farfield/quantity/kind.hpp>

#include "numerics/rational.hpp"
#include "study/effect.hpp"

namespace farfield::study {

namespace {

/// Removes the params that have the value that the scheme gives them.
void drop_own_params(core::Entries& settings, const scheme::Registry& schemes) {
    const auto name = core::read_text(settings, "scheme");
    const scheme::Scheme* scheme = name ? schemes.find(*name) : nullptr;
    const auto params = std::find_if(settings.list.begin(), settings.list.end(),
                                     [](const core::Entry& each) { return each.key == "params"; });
    if (!scheme || params == settings.list.end() || !params->value.entries()) return;
    core::Entries others = *params->value.entries();
    std::erase_if(others.list, [&](const core::Entry& each) {
        const auto own = std::find_if(scheme->params.begin(), scheme->params.end(),
                                      [&](const auto& param) { return param.first == each.key; });
        const auto value = numerics::read_rational(each.value.text);
        return own != scheme->params.end() && value && value == numerics::read_rational(own->second);
    });
    if (others.empty())
        settings.list.erase(params);
    else
        params->value.data = std::move(others);
}

}  // namespace

Definitions::Definitions(std::span<const Item> items, const scheme::Registry& schemes) : schemes_(schemes) {
    for (const Item& item : items) items_.emplace(item.name, &item);
}

std::vector<std::string> Definitions::facts_of(std::string_view name) {
    const auto found = items_.find(name);
    if (found == items_.end()) return {};
    const Item& item = *found->second;
    std::vector<std::string> facts;
    if (const quantity::Kind* kind = quantity::find_kind(item.kind))
        facts.assign(kind->facts.begin(), kind->facts.end());
    else if (const measure::Kind* trained = measure::find_kind(item.kind))
        facts.assign(trained->facts.begin(), trained->facts.end());
    const std::vector<std::string>& own = of(name).facts;
    facts.insert(facts.end(), own.begin(), own.end());
    return facts;
}

const quantity::Definition& Definitions::of(std::string_view name) {
    const auto known = known_.find(name);
    if (known != known_.end()) return known->second;
    // A quantity that needs itself, which is reported elsewhere, finds this one, which is empty.
    quantity::Definition& own = known_[std::string(name)];
    const auto found = items_.find(name);
    if (found == items_.end() || !found->second->prepared) return own;
    found->second->prepared->define([this](std::string_view other) -> const quantity::Definition& { return of(other); },
                                    own);
    return own;
}

std::string Definitions::settings_of(std::string_view name) {
    const auto found = items_.find(name);
    const auto known = settings_.find(name);
    if (found == items_.end() || known != settings_.end())
        return known != settings_.end() ? known->second : std::string(name);
    const Item& item = *found->second;
    settings_.emplace(name, name);  // for a quantity that needs itself
    core::Entries settings = item.settings;
    std::erase_if(settings.list, [&](const core::Entry& each) {
        return std::find(item.idle_keys.begin(), item.idle_keys.end(), each.key) != item.idle_keys.end();
    });
    drop_own_params(settings, schemes_);
    for (core::Entry& each : settings.list) {
        const bool is_reference = each.key == "of" || each.key == "a" || each.key == "b";
        const std::string* other = is_reference ? each.value.string() : nullptr;
        if (other && std::find(item.needs.begin(), item.needs.end(), *other) != item.needs.end())
            each.value.data = settings_of(*other);
    }
    return settings_[std::string(name)] = effective_settings("quantity", std::move(settings));
}

}  // namespace farfield::study
