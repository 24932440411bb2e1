#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <farfield/core/diagnostic.hpp>
#include <farfield/numerics/format.hpp>
#include <farfield/quantity/safe_length.hpp>
#include <farfield/scheme/recipe.hpp>
#include <farfield/scheme/registry.hpp>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/output.hpp"
#include "cli/schemes.hpp"
#include "cli/watched.hpp"

namespace farfield::cli {

namespace {

struct SafeLengthCommandOptions {
    std::vector<std::string> schemes;
    std::vector<std::string> formats;
    std::vector<std::string> widths;
    std::vector<std::string> recipes;
    std::string heads = "8";
    std::string bound = "0.01";
    std::string longest = "33554432";
    bool exact_positions = false;
    Pairs let;
    std::string from;  ///< a study
    bool json = false;
};

void add_safe_length_options(CLI::App& app, SafeLengthCommandOptions& options) {
    offer(*app.add_option("SCHEME", options.schemes, "schemes; default: all built-in ones"), offered_schemes());
    const std::vector<std::string> formats = offered_formats();
    offer(add_list(app, "--in", options.formats,
                   fmt::format("number formats: {}; default: all", fmt::join(formats, ","))),
          formats);
    offer(add_list(app, "--recipe", options.recipes,
                   "how an implementation rounds: hf,all-bf16,fp32,fp64-tables,recurrence,powf; default: every step in "
                   "the format"),
          scheme::recipe_names());
    add_list(app, "--head-dim", options.widths, "widths of a head; default: 64");
    app.add_option("--heads", options.heads, "number of heads, all of which are checked; default: 8");
    app.add_option("--bound", options.bound, "largest error of a logit per unit |q||k|/sqrt(d); default: 0.01");
    app.add_option("--longest", options.longest, "longest sequence to check; default: 33554432");
    app.add_flag("--exact-positions", options.exact_positions, "positions are integers, not numbers of the format");
    add_pairs(app, "--let", "NAME=VALUE", options.let, "a value of a scheme's parameter: B=2048");
    app.add_option("--from", options.from, "a study whose schemes are available too");
    app.add_flag("--json", options.json, "print JSON");
    add_threads(app);
}

using quantity::LimitFound;
using quantity::SafeLength;

/// A number of the command line; reports a problem unless it lies between the ends.
template <class Number>
Number read_number(const char* option, const std::string& text, Number least, Number most, const std::string& wanted,
                   core::Problems& problems) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_read = error == std::errc() && end == text.data() + text.size();
    if (!is_read || !(number >= least && number <= most))
        problems.add({}, fmt::format("{} has '{}'", option, text), wanted);
    return number;
}

struct Question {
    std::vector<scheme::Scheme> schemes;
    std::vector<std::string> formats;
    std::vector<int> widths;
    std::vector<std::string> recipes;  ///< "": every step in the format
    int heads = 0;
    quantity::SafeLengthOptions options;
};

std::vector<scheme::Scheme> read_schemes(const SafeLengthCommandOptions& given, core::Problems& problems) {
    const scheme::Registry registry = schemes_with(given.from);
    std::vector<scheme::Scheme> schemes;
    refuse_repeated(given.schemes);
    for (const std::string& name : given.schemes.empty() ? registry.names() : given.schemes) {
        const scheme::Scheme* known = registry.find(name);
        if (!known)
            problems.add(registry.unknown(name));
        else if (given.let.empty())
            schemes.push_back(*known);
        else
            schemes.push_back(registry.with_params(name, given.let, {}, problems));
    }
    return schemes;
}

std::vector<std::string> read_formats(const SafeLengthCommandOptions& given, core::Problems& problems) {
    std::vector<std::string> known, chosen;
    for (const numerics::Format& format : numerics::formats()) known.emplace_back(format.name);
    if (given.formats.empty()) return known;
    for (const std::string& name : given.formats) {
        const numerics::Format* format = numerics::find_format(name);
        if (!format) problems.add({}, "unknown number format '" + name + "'", "", core::known_here(name, known));
        chosen.emplace_back(format ? format->name : name);
    }
    return chosen;
}

std::vector<std::string> read_recipes(const SafeLengthCommandOptions& given, core::Problems& problems) {
    const std::vector<std::string> known = scheme::recipe_names();
    for (const std::string& name : given.recipes) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            problems.add({}, "unknown recipe '" + name + "'", "", core::known_here(name, known));
    }
    return given.recipes.empty() ? std::vector<std::string>{""} : given.recipes;
}

/// The scheme as a recipe computes it; nothing if the recipe does not fit.
std::optional<scheme::Scheme> computed_by(const std::string& recipe, const std::string& format,
                                          const scheme::Scheme& scheme) {
    if (recipe.empty()) return scheme;
    core::Problems problems;
    scheme::Scheme computed = scheme::with_recipe(scheme, recipe, format, {}, problems);
    return problems.empty() ? std::optional(std::move(computed)) : std::nullopt;
}

/// A named scheme must fit one of the recipes.
void check_recipes(const Question& question, core::Problems& problems) {
    for (const scheme::Scheme& scheme : question.schemes) {
        core::Problems of_scheme;
        bool any = false;
        for (const std::string& recipe : question.recipes) {
            const std::size_t before = of_scheme.size();
            if (!recipe.empty()) scheme::with_recipe(scheme, recipe, question.formats.front(), {}, of_scheme);
            any = any || of_scheme.size() == before;
        }
        if (!any)
            for (const core::Diagnostic& each : of_scheme.list()) problems.add(each);
    }
}

void check_widths(const Question& question, core::Problems& problems) {
    for (const scheme::Scheme& scheme : question.schemes) {
        for (const int width : question.widths) {
            scheme::Context context;
            context.head_dim = width;
            const auto is_given = [](std::string_view key) { return key == "head_dim"; };
            for (const scheme::ContextProblem& each : scheme::check_context(&scheme, context, is_given))
                problems.add({}, fmt::format("--head-dim has '{}'", each.value), each.wanted);
        }
    }
}

Question read_question(const SafeLengthCommandOptions& given) {
    core::Problems problems;
    Question question;
    question.schemes = read_schemes(given, problems);
    question.formats = read_formats(given, problems);
    for (const std::string& text : given.widths.empty() ? std::vector<std::string>{"64"} : given.widths) {
        const int width = read_number("--head-dim", text, 1, 65536, "the width of a head, 2 to 65536, even", problems);
        if (width % 2 != 0)
            problems.add({}, "--head-dim has '" + text + "'", "an even width: dimensions are rotated in pairs");
        question.widths.push_back(width);
    }
    question.recipes = read_recipes(given, problems);
    question.heads = read_number("--heads", given.heads, 1, 4096, "a number of heads, 1 to 4096", problems);
    question.options.error_bound = read_number("--bound", given.bound, 1e-300, 1e300,
                                               "an error of the logit, 1e-300 to 1e300, such as 0.01", problems);
    question.options.longest =
        read_number("--longest", given.longest, 1LL, 1LL << 40, "a number of tokens, 1 to 1099511627776", problems);
    question.options.rounds_positions = !given.exact_positions;
    if (given.exact_positions && !given.recipes.empty())
        problems.add({}, "--exact-positions and --recipe are both given",
                     "one of them: a recipe states how positions are rounded");
    if (problems.empty()) check_widths(question, problems);
    if (problems.empty() && !given.schemes.empty()) check_recipes(question, problems);
    problems.raise();
    return question;
}

Json json_of(const LimitFound& found) {
    return {{"limit", quantity::limit_name(found.limit)},
            {"length", found.length},
            {"is_longest", found.is_longest},
            {"where", found.where},
            {"formula", found.formula}};
}

Json json_of(const SafeLength& safe, const std::string& recipe, int width) {
    Json json = {{"scheme", safe.scheme}, {"format", safe.format}};
    if (!recipe.empty()) json["recipe"] = recipe;
    json.update({{"d", width},
                 {"length", safe.length},
                 {"is_longest", safe.is_longest},
                 {"limit", quantity::limit_name(safe.limit)},
                 {"limits", Json::array()}});
    for (const LimitFound& found : safe.limits) json["limits"].push_back(json_of(found));
    return json;
}

std::string tokens(long long length, bool is_longest) {
    return fmt::format("{}{}", length, is_longest ? "" : " or more");
}

void print_text(const SafeLength& safe, const std::string& recipe, int width) {
    print("{} in {}{}, d = {}: {} tokens\n", safe.scheme, safe.format, recipe.empty() ? "" : ", recipe " + recipe,
          width, tokens(safe.length, safe.is_longest));
    for (const LimitFound& found : safe.limits)
        print("  {:<18} {:>12}  {}{}{}\n", quantity::limit_name(found.limit), tokens(found.length, found.is_longest),
              found.where, found.formula.empty() ? "" : "; ", found.formula);
}

/// One line of the output: a scheme as a recipe computes it in a format.
struct Case {
    scheme::Scheme scheme;
    int width = 0;
    std::string format;
    std::string recipe;
};

std::vector<Case> cases_of(const Question& question) {
    std::vector<Case> cases;
    for (const scheme::Scheme& scheme : question.schemes)
        for (const int width : question.widths)
            for (const std::string& format : question.formats)
                for (const std::string& recipe : question.recipes)
                    if (auto computed = computed_by(recipe, format, scheme))
                        cases.push_back({std::move(*computed), width, format, recipe});
    return cases;
}

int safe_lengths(const SafeLengthCommandOptions& given) {
    const Question question = read_question(given);
    const std::vector<Case> cases = cases_of(question);
    catch_interrupts();
    Watched watched("safe-length", static_cast<double>(cases.size()), Watched::Counts::jobs);
    Json json = Json::array();
    for (const Case& each : cases) {
        scheme::Context context;
        context.heads = question.heads;
        context.head_dim = context.width = each.width;
        const std::optional<SafeLength> safe =
            watched.get([=, scheme = each.scheme, format = each.format, options = question.options] {
                return quantity::safe_length(scheme, context, format, options);
            });
        if (!safe) return interrupted;
        if (given.json)
            json.push_back(json_of(*safe, each.recipe, each.width));
        else
            print_text(*safe, each.recipe, each.width);
    }
    if (given.json) write_output(json_lines(json));
    return as_expected;
}

}  // namespace

const Command safe_length_command{"safe-length", "compute the longest sequence that number formats support",
                                  declare<SafeLengthCommandOptions, add_safe_length_options, safe_lengths>};

}  // namespace farfield::cli
