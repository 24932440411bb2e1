#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <farfield/core/diagnostic.hpp>
#include <farfield/numerics/format.hpp>
#include <farfield/quantity/safe_length.hpp>
#include <farfield/scheme/recipe.hpp>
#include <farfield/scheme/registry.hpp>

#include "cli/commands.hpp"
#include "cli/json_text.hpp"
#include "cli/output.hpp"
#include "cli/schemes.hpp"

namespace farfield::cli {

namespace {

using quantity::LimitFound;
using quantity::SafeLength;

/// A number of the command line; a problem unless it lies between the ends.
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

std::vector<scheme::Scheme> read_schemes(const CommandLine& line, core::Problems& problems) {
    const scheme::Registry registry = schemes_with(line.from);
    std::vector<scheme::Scheme> schemes;
    for (const std::string& name : line.schemes.empty() ? registry.names() : line.schemes) {
        const scheme::Scheme* known = registry.find(name);
        if (!known)
            problems.add({}, "unknown scheme '" + name + "'", "", core::known_here(name, registry.names()));
        else if (line.let.empty())
            schemes.push_back(*known);
        else
            schemes.push_back(registry.with_params(name, line.let, {}, problems));
    }
    return schemes;
}

std::vector<std::string> read_formats(const CommandLine& line, core::Problems& problems) {
    std::vector<std::string> known, chosen;
    for (const numerics::Format& format : numerics::formats()) known.emplace_back(format.name);
    if (line.formats.empty()) return known;
    for (const std::string& name : line.formats) {
        const numerics::Format* format = numerics::find_format(name);
        if (!format) problems.add({}, "unknown number format '" + name + "'", "", core::known_here(name, known));
        chosen.emplace_back(format ? format->name : name);
    }
    return chosen;
}

std::vector<std::string> read_recipes(const CommandLine& line, core::Problems& problems) {
    const std::vector<std::string> known = scheme::recipe_names();
    for (const std::string& name : line.recipes) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            problems.add({}, "unknown recipe '" + name + "'", "", core::known_here(name, known));
    }
    return line.recipes.empty() ? std::vector<std::string>{""} : line.recipes;
}

/// The scheme as a recipe computes it; nothing where that does not fit one of several schemes.
std::optional<scheme::Scheme> computed_by(const std::string& recipe, const std::string& format,
                                          const scheme::Scheme& scheme, bool is_only) {
    if (recipe.empty()) return scheme;
    core::Problems problems;
    scheme::Scheme computed = scheme::with_recipe(scheme, recipe, format, {}, problems);
    if (is_only) problems.raise();
    return problems.empty() ? std::optional(std::move(computed)) : std::nullopt;
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

Question read_question(const CommandLine& line) {
    core::Problems problems;
    Question question;
    question.schemes = read_schemes(line, problems);
    question.formats = read_formats(line, problems);
    for (const std::string& text : line.widths.empty() ? std::vector<std::string>{"64"} : line.widths) {
        const int width = read_number("--head-dim", text, 1, 65536, "the width of a head, 2 to 65536, even", problems);
        if (width % 2 != 0)
            problems.add({}, "--head-dim has '" + text + "'", "an even width: dimensions turn in pairs");
        question.widths.push_back(width);
    }
    question.recipes = read_recipes(line, problems);
    question.heads = read_number("--heads", line.heads, 1, 4096, "a number of heads, 1 to 4096", problems);
    question.options.error_bound =
        read_number("--bound", line.bound, 1e-300, 1e300, "an error of the logit above 0, such as 0.01", problems);
    question.options.longest =
        read_number("--longest", line.longest, 1LL, 1LL << 40, "a number of tokens, 1 to 1099511627776", problems);
    question.options.rounds_positions = !line.exact_positions;
    if (problems.empty()) check_widths(question, problems);
    problems.raise();
    return question;
}

std::string json_of(const SafeLength& safe, const std::string& recipe, int width) {
    std::string text = fmt::format(
        "  {{\"scheme\": {}, \"format\": {}, {}\"d\": {}, \"length\": {}, \"is_longest\": {}, \"limit\": {}, "
        "\"limits\": "
        "[",
        json_text(safe.scheme), json_text(safe.format), recipe.empty() ? "" : "\"recipe\": " + json_text(recipe) + ", ",
        width, safe.length, safe.is_longest, json_text(quantity::limit_name(safe.limit)));
    for (const LimitFound& found : safe.limits)
        text +=
            fmt::format("{}\n    {{\"limit\": {}, \"length\": {}, \"is_longest\": {}, \"where\": {}, \"formula\": {}}}",
                        &found == safe.limits.data() ? "" : ",", json_text(quantity::limit_name(found.limit)),
                        found.length, found.is_longest, json_text(found.where), json_text(found.formula));
    return text + (safe.limits.empty() ? "]}" : "\n  ]}");
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

}  // namespace

int safe_length(const CommandLine& line) {
    const Question question = read_question(line);
    if (line.json) print("[");
    bool is_first = true;
    for (const scheme::Scheme& scheme : question.schemes) {
        for (const int width : question.widths) {
            for (const std::string& format : question.formats) {
                scheme::Context context;
                context.heads = question.heads;
                context.head_dim = context.width = width;
                for (const std::string& recipe : question.recipes) {
                    const std::optional<scheme::Scheme> computed =
                        computed_by(recipe, format, scheme, line.schemes.size() == 1);
                    if (!computed) continue;
                    const SafeLength safe = quantity::safe_length(*computed, context, format, question.options);
                    if (line.json)
                        print("{}\n{}", is_first ? "" : ",", json_of(safe, recipe, width));
                    else
                        print_text(safe, recipe, width);
                    is_first = false;
                }
            }
        }
    }
    if (line.json) print("\n]\n");
    return as_expected;
}

}  // namespace farfield::cli
