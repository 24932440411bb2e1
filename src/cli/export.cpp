#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/export/export.hpp>
#include <farfield/study/fpcore.hpp>
#include <farfield/study/study.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/schemes.hpp"
#include "scheme/requirements.hpp"

namespace farfield::cli {

namespace {

struct ExportOptions {
    std::string scheme;
    std::string target;
    Pairs set;
    std::string output;
    std::string from;  ///< a study
    RecipeOptions recipe;
};

constexpr const char* fpcore = "fpcore";

std::string all_targets() {
    return fmt::format("{}, {}", fmt::join(exporting::target_names(), ", "), fpcore);
}

void add_export_options(CLI::App& app, ExportOptions& options) {
    offer(
        *app.add_option(
            "SCHEME", options.scheme,
            "a built-in scheme, or one of --from; with --to fpcore, a rounding error of --from; default: all of them"),
        offered_schemes());
    offer(*app.add_option("--to", options.target, all_targets()), exporting::target_names());
    add_pairs(app, "--set", "PATH=VALUE", options.set,
              "a parameter's default, or the initial value of a learned name: slopes=1");
    app.add_option("-o,--out", options.output, "the output file; default: standard output");
    app.add_option("--from", options.from, "a study whose schemes are available too");
    add_recipe(app, options.recipe);
}

exporting::Target read_target(const std::string& name, core::Problems& problems) {
    const std::optional<exporting::Target> target = exporting::find_target(name);
    std::vector<std::string> known = exporting::target_names();
    known.emplace_back(fpcore);
    if (!target) problems.add({}, "unknown target '" + name + "'", "", core::known_here(name, known));
    return target.value_or(exporting::Target::numpy);
}

/// Sets the initial value of a learned name, in place of the scheme's.
void set_start(scheme::Scheme& scheme, const scheme::Learned& learned, const std::string& text,
               core::Problems& problems) {
    core::Entry start;
    start.key = learned.name;
    start.value.text = text;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    start.value.data = number;
    const bool is_small = error == std::errc::result_out_of_range && std::abs(std::strtod(text.c_str(), nullptr)) < 1;
    const bool is_read = (error == std::errc() || is_small) && end == text.data() + text.size();
    if (!is_read || !std::isfinite(number) || (learned.positive && !is_small && !(number > 0)))
        problems.add({}, fmt::format("--set {} has '{}'", learned.name, text),
                     learned.positive ? "a number above zero" : "a number");
    else
        scheme::require_double(start.value, problems);
    scheme::start_at(scheme, start);
}

/// The scheme with the params and learned names of --set.
scheme::Scheme read_scheme(const ExportOptions& options, core::Problems& problems) {
    scheme::Registry schemes = schemes_with(options.from);
    apply_recipe(schemes, options.scheme, options.recipe);
    const scheme::Scheme* found = schemes.find(options.scheme);
    if (!found) {
        problems.add(schemes.unknown(options.scheme));
        return {};
    }
    const auto is_learned = [&](const auto& pair) {
        const std::string name = param_of(pair.first, found->name);
        return std::any_of(found->learn.begin(), found->learn.end(),
                           [&](const scheme::Learned& each) { return each.name == name; });
    };
    std::vector<std::pair<std::string, std::string>> params;
    for (const auto& pair : options.set)
        if (!is_learned(pair)) params.emplace_back(param_of(pair.first, found->name), pair.second);
    scheme::Scheme scheme = schemes.with_params(options.scheme, params, {}, problems);
    for (const auto& pair : options.set) {
        for (const scheme::Learned& each : found->learn)
            if (each.name == param_of(pair.first, found->name)) set_start(scheme, each, pair.second, problems);
    }
    if (problems.empty()) scheme::check_requirements(scheme, scheme::read_requirements(scheme, problems), problems);
    return scheme;
}

void write_source(const ExportOptions& options, const std::string& text) {
    if (options.output.empty())
        print("{}", text);
    else
        core::write_file(options.output, text, "--out");
}

/// Exports the rounding errors of a study.
int export_errors(const ExportOptions& options) {
    if (options.from.empty())
        refuse_input("fpcore is written from a study's rounding errors",
                     "--from STUDY: farfield export --to fpcore --from study.toml");
    if (!options.recipe.recipe.empty() || !options.recipe.format.empty())
        refuse_input("--recipe and --format are for schemes", "neither with --to fpcore");
    std::vector<std::string> unreadable;
    const std::vector<study::Found> found = study::find_studies({options.from}, unreadable);
    if (!unreadable.empty()) refuse_input(unreadable.front(), "a study that can be read");
    if (found.size() != 1)
        refuse_input(fmt::format("'{}' has {} studies", options.from, found.size()), "--from with the file of one");
    study::Options settings;
    settings.set = options.set;
    write_source(options, study::export_fpcore(study::read(found.front(), settings), options.scheme));
    return as_expected;
}

int export_scheme(const ExportOptions& options) {
    refuse_output_over("-o", options.output, {options.from});
    refuse_output_over_study("-o", options.output);
    if (options.target == fpcore) return export_errors(options);
    require_words(!options.scheme.empty(), "export", "a scheme: farfield export SCHEME --to numpy");
    if (options.target.empty()) refuse_input("export needs a target", "--to " + all_targets());
    core::Problems problems;
    const exporting::Target target = read_target(options.target, problems);
    const scheme::Scheme scheme = read_scheme(options, problems);
    problems.raise();
    write_source(options, exporting::source(scheme, target));
    return as_expected;
}

}  // namespace

const Command export_command{
    "export", "write a scheme as source for numpy, PyTorch, FlexAttention, JAX or LaTeX, or rounding errors as FPCores",
    declare<ExportOptions, add_export_options, export_scheme>};

}  // namespace farfield::cli
