#include "cli/schemes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/numerics/format.hpp>
#include <farfield/quantity/kind.hpp>
#include <farfield/scheme/recipe.hpp>
#include <farfield/scheme/toml.hpp>

#include "cli/output.hpp"

namespace farfield::cli {

namespace {

std::string value_text(const core::Value& value) {
    if (const bool* truth = value.boolean()) return *truth ? "true" : "false";
    if (const std::string* text = value.string()) return "\"" + *text + "\"";
    std::string text;
    if (const core::List* list = value.list()) {
        for (const core::Value& each : *list) text += (text.empty() ? "" : ", ") + value_text(each);
        return "[" + text + "]";
    }
    if (const core::Entries* entries = value.entries()) {
        for (const core::Entry& each : entries->list)
            text += (text.empty() ? "" : ", ") + each.key + " = " + value_text(each.value);
        return "{ " + text + " }";
    }
    return value.text;
}

/// The scheme in the form of a study, which can be copied and changed.
void print_settings(const scheme::Scheme& scheme) {
    std::size_t widest = 0;
    for (const core::Entry& entry : scheme.settings.list) widest = std::max(widest, entry.key.size());
    print("[scheme.{}]\n", scheme.name);
    for (const core::Entry& entry : scheme.settings.list)
        print("{:<{}} = {}\n", entry.key, widest, value_text(entry.value));
}

core::Value integer(long long number) {
    return {number, {}, std::to_string(number)};
}

/// The cost of a layer's attention with the scheme, if the kind `cost` supports it.
void print_cost(const scheme::Scheme& scheme) {
    const quantity::Kind* kind = quantity::find_kind("cost");
    if (!kind) return;
    core::Entries settings;
    settings.list = {{"kind", {}, {std::string("cost"), {}, {}}}, {"scheme", {}, {scheme.name, {}, {}}}};
    for (const char* key : {"length", "heads", "head_dim"}) {
        const bool known = std::any_of(kind->keys.begin(), kind->keys.end(),
                                       [&](const core::Key& each) { return each.name == key; }) ||
                           kind->takes_scheme;
        const long long value = std::string_view(key) == "length" ? 8192 : std::string_view(key) == "heads" ? 12 : 64;
        if (known) settings.list.push_back({key, {}, integer(value)});
    }
    core::Problems problems;
    const auto prepared =
        quantity::prepare(*kind, {scheme.name, {}, settings, scheme::Registry::builtin(), {}, ""}, problems);
    if (!prepared || !problems.empty()) return;
    const core::Result result = prepared->run({});
    print("\n# cost at L = 8192, H = 12, d = 64\n");
    for (const auto& [name, cell] : result.values) {
        if (cell.number) print("# {:<28} {:.4g}\n", name, *cell.number);
    }
}

}  // namespace

const scheme::Scheme& builtin_scheme(const std::string& name) {
    const scheme::Registry& registry = scheme::Registry::builtin();
    if (const scheme::Scheme* scheme = registry.find(name)) return *scheme;
    throw core::UserError({registry.unknown(name)});
}

scheme::Registry schemes_with(const std::string& path) {
    scheme::Registry registry = scheme::Registry::builtin();
    if (path.empty()) return registry;
    core::Problems problems;
    const core::Entries document = scheme::read_toml_file(path);
    const core::Entry* entry = document.find("scheme");
    const core::Entries* schemes = entry ? entry->value.entries() : nullptr;
    if (!schemes || schemes->empty()) refuse_input("'" + path + "' has no schemes", "a study with [scheme.NAME]");
    registry.add(*schemes, problems);
    problems.raise();
    return registry;
}

std::vector<std::string> offered_schemes() {
    return scheme::Registry::builtin().names();
}

std::vector<std::string> offered_formats() {
    std::vector<std::string> names;
    for (const numerics::Format& format : numerics::formats()) names.emplace_back(format.name);
    return names;
}

void add_recipe(CLI::App& app, RecipeOptions& options) {
    offer(*app.add_option("--recipe", options.recipe,
                          "how an implementation rounds the scheme: hf, all-bf16, fp32, fp64-tables, recurrence, powf"),
          scheme::recipe_names());
    offer(*app.add_option("--format", options.format, "number format of the model, for --recipe"), offered_formats());
}

void apply_recipe(scheme::Registry& registry, const std::string& name, const RecipeOptions& options) {
    const scheme::Scheme* scheme = registry.find(name);
    if (!scheme) return;  // reported where it is used
    core::Problems problems;
    if (options.recipe.empty() && !options.format.empty())
        problems.add({}, "--format without --recipe", "--recipe hf, or another that uses a format");
    const std::vector<std::string> known = scheme::recipe_names();
    const bool is_known = std::find(known.begin(), known.end(), options.recipe) != known.end();
    if (is_known && !options.format.empty() && !scheme::uses_format(options.recipe))
        problems.add({}, "--format is unused: no step of recipe '" + options.recipe + "' rounds to it",
                     "--recipe alone, or one that uses a format, such as hf");
    if (!options.recipe.empty())
        registry.put(scheme::with_recipe(*scheme, options.recipe, options.format, {}, problems));
    problems.raise();
}

void print_scheme(const scheme::Scheme& scheme) {
    print_settings(scheme);
    print_cost(scheme);
}

std::string param_of(const std::string& path, const std::string& scheme) {
    const std::string before = "scheme." + scheme + ".params.";
    return path.starts_with(before) ? path.substr(before.size()) : path;
}

}  // namespace farfield::cli
