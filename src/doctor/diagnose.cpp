#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/doctor/doctor.hpp>
#include <farfield/numerics/format.hpp>
#include <farfield/scheme/recipe.hpp>

#include "doctor/check.hpp"
#include "doctor/input.hpp"
#include "doctor/resolve.hpp"

namespace farfield::doctor {

namespace {

void check_options(const Options& options) {
    core::Problems problems;
    std::vector<std::string> known;
    known.reserve(numerics::formats().size());
    for (const numerics::Format& format : numerics::formats()) known.emplace_back(format.name);
    if (!options.format.empty() && !numerics::find_format(options.format))
        problems.add({}, "unknown number format '" + options.format + "'", "", core::known_here(options.format, known));
    std::vector<std::string> recipes = scheme::recipe_names();
    recipes.emplace_back(each_step_in_format);
    if (std::find(recipes.begin(), recipes.end(), options.recipe) == recipes.end())
        problems.add({}, "unknown recipe '" + options.recipe + "'", "", core::known_here(options.recipe, recipes));
    const std::vector<std::string> engines = engine_names();
    for (const std::string& name : options.engines)
        if (std::find(engines.begin(), engines.end(), name) == engines.end())
            problems.add({}, "unknown engine '" + name + "'", "", core::known_here(name, engines));
    constexpr long long most = 1LL << 40;
    if (options.served && (*options.served < 1 || *options.served > most))
        problems.add({}, "--served has '" + std::to_string(*options.served) + "'",
                     "a number of tokens, 1 to 1099511627776");
    problems.raise();
}

/// The number of tokens that can influence the last layer, if every layer has a window.
std::optional<long long> reach_of(const Resolution& resolution) {
    long long reach = 1;
    bool has_chunks_only = true;
    for (const Layer& layer : resolution.layers) {
        if (layer.positions.window == 0 || layer.positions.layers == 0) return {};
        reach += layer.positions.layers * (layer.positions.window - 1);
        has_chunks_only = has_chunks_only && layer.positions.has_chunks();
    }
    // A token reaches only its own chunk in each layer, and chunks are the same in all.
    return has_chunks_only && !resolution.layers.empty() ? resolution.layers.front().positions.window : reach;
}

Diagnosis diagnose_document(const Document& document, const Options& options) {
    // The meaning of a GGUF file is what llama.cpp computes from it.
    Engine declared = load_engine(document.is_gguf ? "llama.cpp" : "declared");
    declared.name = "declared";
    Resolution resolution = resolve(document, declared, options);
    Diagnosis diagnosis;
    diagnosis.file = document.file;
    diagnosis.model_type = resolution.model_type;
    diagnosis.recipe = options.recipe;
    diagnosis.format = options.format.empty() ? "fp32" : options.format;
    diagnosis.served = resolution.served;
    diagnosis.findings = resolution.findings;
    for (Layer& layer : resolution.layers) compute_numbers(layer, options, resolution.served);
    check_keys(document, declared, resolution, diagnosis.findings);
    check_lengths(document, resolution, options, diagnosis.findings);
    for (const std::string& name : options.engines) check_engine(document, name, resolution, options, diagnosis);
    if (!options.against.empty()) check_tables(document, resolution, options, diagnosis);
    cite_reports(diagnosis.findings, diagnosis.model_type);
    diagnosis.reach = reach_of(resolution);
    diagnosis.layer_order = resolution.layer_order;
    diagnosis.layer_types.reserve(resolution.layers.size());
    for (const Layer& layer : resolution.layers) diagnosis.layer_types.push_back(layer.positions);
    if (!resolution.layers.empty()) diagnosis.trained = resolution.layers.front().positions.trained;
    if (!diagnosis.trained) diagnosis.trained = resolution.max_positions;
    std::stable_sort(diagnosis.findings.begin(), diagnosis.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
    return diagnosis;
}

}  // namespace

std::string_view severity_name(Severity severity) {
    switch (severity) {
        case Severity::error: return "error";
        case Severity::warning: return "warning";
        case Severity::note: break;
    }
    return "note";
}

bool Diagnosis::has_warnings() const {
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& each) { return each.severity != Severity::note; });
}

Diagnosis diagnose(const std::string& path, const Options& options) {
    check_options(options);
    return diagnose_document(read_input(path), options);
}

Diagnosis diagnose_text(std::string text, const std::string& file, const Options& options) {
    check_options(options);
    return diagnose_document(read_json(std::move(text), file), options);
}

}  // namespace farfield::doctor
