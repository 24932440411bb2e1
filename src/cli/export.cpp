#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/export/export.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/schemes.hpp"

namespace farfield::cli {

namespace {

exporting::Target read_target(const std::string& name, core::Problems& problems) {
    const std::optional<exporting::Target> target = exporting::find_target(name);
    if (!target)
        problems.add({}, "unknown target '" + name + "'", "", core::known_here(name, exporting::target_names()));
    return target.value_or(exporting::Target::numpy);
}

/// What a learned name starts at, in place of the scheme's.
void set_start(scheme::Learned& learned, const std::string& text, core::Problems& problems) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_read = error == std::errc() && end == text.data() + text.size() && std::isfinite(number);
    if (!is_read || (learned.positive && !(number > 0)))
        problems.add({}, fmt::format("--set {} has '{}'", learned.name, text),
                     learned.positive ? "a number above zero" : "a number");
    learned.init = number;
}

/// The scheme with the params and learned names of --set.
scheme::Scheme read_scheme(const CommandLine& line, core::Problems& problems) {
    scheme::Registry schemes = schemes_with(line.from);
    apply_recipe(schemes, line.subject, line);
    const scheme::Scheme* found = schemes.find(line.subject);
    if (!found) {
        problems.add({}, "unknown scheme '" + line.subject + "'", "", core::known_here(line.subject, schemes.names()));
        return {};
    }
    const auto is_learned = [&](const auto& pair) {
        const std::string name = param_of(pair.first, found->name);
        return std::any_of(found->learn.begin(), found->learn.end(),
                           [&](const scheme::Learned& each) { return each.name == name; });
    };
    std::vector<std::pair<std::string, std::string>> params;
    for (const auto& pair : line.set)
        if (!is_learned(pair)) params.emplace_back(param_of(pair.first, found->name), pair.second);
    scheme::Scheme scheme = schemes.with_params(line.subject, params, {}, problems);
    for (const auto& pair : line.set) {
        for (scheme::Learned& each : scheme.learn)
            if (each.name == param_of(pair.first, found->name)) set_start(each, pair.second, problems);
    }
    return scheme;
}

}  // namespace

int export_scheme(const CommandLine& line) {
    core::Problems problems;
    const exporting::Target target = read_target(line.target, problems);
    const scheme::Scheme scheme = read_scheme(line, problems);
    problems.raise();
    const std::string text = exporting::source(scheme, target);
    if (line.output.empty())
        print("{}", text);
    else
        core::write_file(line.output, text, "--out");
    return as_expected;
}

}  // namespace farfield::cli
