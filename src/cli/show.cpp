#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/quantity/kind.hpp>
#include <farfield/study/study.hpp>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/schemes.hpp"
#include "cli/show_cuda.hpp"

namespace farfield::cli {

namespace {

struct ShowOptions {
    std::string subject;
    bool cuda = false;
    std::string system = "double";
};

void add_show_options(CLI::App& app, ShowOptions& options) {
    app.add_option("SCHEME|STUDY", options.subject, "a name or a file; with --cuda also a formula");
    app.add_flag("--cuda", options.cuda, "the CUDA C++ of its formulas");
    app.add_option("--in", options.system, "number system of --cuda: double, float or a number format");
}

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

/// The scheme as a study would write it: it can be copied and changed.
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

/// Cost of a layer's attention under the scheme, where the kind `cost` can tell.
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

bool is_file(const std::string& subject) {
    std::error_code failure;
    return subject.ends_with(".toml") ||
           (std::filesystem::exists(subject, failure) && !scheme::Registry::builtin().find(subject));
}

int show(const ShowOptions& options) {
    require_words(!options.subject.empty(), "show", "a scheme or a study: farfield show SCHEME");
    if (options.cuda) {
        show_cuda(options.subject, options.system);
        return as_expected;
    }
    if (!is_file(options.subject)) {
        const scheme::Scheme& scheme = builtin_scheme(options.subject);
        print_settings(scheme);
        print_cost(scheme);
        return as_expected;
    }
    bool first = true;
    std::vector<std::string> unreadable;
    for (const study::Found& found : study::find_studies({options.subject}, unreadable)) {
        print("{}{}", first ? "" : "\n", study::describe(study::read(found, {})));
        first = false;
    }
    for (const std::string& each : unreadable) print_error("{}\n", each);
    return unreadable.empty() ? as_expected : missing;
}

}  // namespace

const Command show_command{"show", "print a scheme or a study: formulas, source, cost",
                           declare<ShowOptions, add_show_options, show>, true};

}  // namespace farfield::cli
