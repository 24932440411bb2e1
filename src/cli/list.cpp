#include <fmt/format.h>

#include <farfield/core/diagnostic.hpp>
#include <farfield/evaluate/number_system.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/measure/kind.hpp>
#include <farfield/numerics/format.hpp>
#include <farfield/quantity/kind.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/study/keys.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/list.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

namespace {

struct ListOptions {
    std::string what;
    bool json = false;
};

void add_list_options(CLI::App& app, ListOptions& options) {
    offer(*app.add_option("WHAT", options.what, "schemes, quantities, functions or formats; default: all"),
          {"schemes", "quantities", "functions", "formats"});
    app.add_flag("--json", options.json, "print JSON");
}

/// A line of a list: the name, its meaning, and more (a scheme's source, a function's arguments).
struct Row {
    std::string name;
    std::string summary;
    std::string more;
};

std::vector<Row> schemes() {
    std::vector<Row> rows;
    const scheme::Registry& registry = scheme::Registry::builtin();
    for (const std::string& name : registry.names()) {
        const scheme::Scheme& scheme = *registry.find(name);
        rows.push_back({name, scheme.doc, scheme.source});
    }
    return rows;
}

/// The texts of a table of the scheme's settings, by name.
Json texts_under(const scheme::Scheme& scheme, const char* key) {
    Json texts = Json::object();
    const core::Entry* entry = scheme.settings.find(key);
    if (!entry || !entry->value.entries()) return texts;
    for (const core::Entry& each : entry->value.entries()->list)
        if (const std::string* text = each.value.string()) texts[each.key] = *text;
    return texts;
}

/// Adds what a program needs to know about a scheme: its parameters and its pieces.
void describe_scheme(const std::string& name, Json& json) {
    const scheme::Scheme& scheme = *scheme::Registry::builtin().find(name);
    Json params = Json::object();
    for (const auto& [param, text] : scheme.params) {
        const Json number = Json::parse(text, nullptr, false);
        params[param] = number.is_number() ? number : Json(text);
    }
    Json parts = Json::array();
    const std::pair<const char*, bool> all[] = {{"embed", scheme.embed.has_value()},
                                                {"rotate", scheme.rotate.has_value()},
                                                {"bias", scheme.bias.has_value()},
                                                {"mask", scheme.mask.has_value()},
                                                {"temperature", scheme.temperature.has_value()},
                                                {"relative", scheme.relative.has_value()}};
    for (const auto& [part, is_there] : all)
        if (is_there) parts.push_back(part);
    json["params"] = params;
    for (const char* key : {"means", "require"}) json[key] = texts_under(scheme, key);
    json["parts"] = parts;
}

std::vector<Row> quantities() {
    std::vector<Row> rows;
    for (const quantity::Kind& kind : quantity::kinds())
        rows.push_back({std::string(kind.name), std::string(kind.summary), ""});
    for (const measure::Kind& kind : measure::kinds()) {
        rows.push_back({std::string(kind.name), std::string(kind.summary), "needs a trained model"});
    }
    return rows;
}

std::vector<Row> functions() {
    std::vector<Row> rows;
    for (const formula::OperatorRow& row : formula::operators())
        rows.push_back({std::string(row.spelling), std::string(row.meaning), shape_of(row)});
    return rows;
}

std::vector<Row> formats() {
    std::vector<Row> rows;
    for (const std::string& name : evaluate::number_system_names()) {
        const numerics::Format* format = numerics::find_format(name);
        std::string others;
        for (const std::string& other : format ? format->names() : std::vector<std::string>())
            if (other != name) others += (others.empty() ? "also " : ", ") + other;
        rows.push_back({name,
                        format               ? std::string(format->source)
                        : name == "double"   ? "IEEE 754-2019 binary64"
                        : name == "interval" ? "intervals with ends of binary64"
                                             : "N decimal digits, such as mp50",
                        others});
    }
    return rows;
}

struct List {
    std::string_view name;
    std::vector<Row> (*rows)();
    std::string_view more;                                            ///< the meaning of `Row::more`
    void (*describe)(const std::string& name, Json& json) = nullptr;  ///< adds data that only programs get
};

constexpr List lists[] = {
    {"schemes", schemes, "source", describe_scheme},
    {"quantities", quantities, "note"},
    {"functions", functions, "shape"},
    {"formats", formats, "note"},
};

Json json_of(const List& list) {
    Json rows = Json::array();
    for (const Row& row : list.rows()) {
        Json json = {{"name", row.name}};
        if (!row.summary.empty()) json["summary"] = row.summary;
        if (!row.more.empty()) json[std::string(list.more)] = row.more;
        if (list.describe) list.describe(row.name, json);
        rows.push_back(json);
    }
    return rows;
}

void print_list(const List& list) {
    for (const Row& row : list.rows()) {
        const bool shaped = list.name == "functions";
        print("  {:<22} {}{}\n", shaped ? row.more : row.name, row.summary,
              !shaped && !row.more.empty() ? "  [" + row.more + "]" : "");
    }
}

const List* find_list(const std::string& name) {
    std::vector<std::string> known;
    for (const List& list : lists) {
        if (list.name == name) return &list;
        known.emplace_back(list.name);
    }
    throw core::UserError(
        {core::Diagnostic{{}, "there is no list of '" + name + "'", "", core::known_here(name, known)}});
}

int print_lists(const ListOptions& options) {
    const List* only = options.what.empty() ? nullptr : find_list(options.what);
    Json json = Json::object();
    for (const List& each : lists) {
        if (only && only != &each) continue;
        if (options.json) {
            json[std::string(each.name)] = json_of(each);
            continue;
        }
        if (!only) print("{}{}\n", &each == lists ? "" : "\n", each.name);
        print_list(each);
    }
    if (options.json) write_output(json_lines(only ? json.front() : json));
    return as_expected;
}

}  // namespace

std::string shape_of(const formula::OperatorRow& row) {
    const std::string name(row.spelling);
    if (row.reduction) return name + "(v, lo, hi, body)";
    if (row.fixity == formula::Fixity::infix) return "a " + name + " b";
    if (row.fixity == formula::Fixity::prefix) return name + (name == "-" ? "a" : " a");
    std::string shape = name + "(";
    for (std::size_t i = 0; i < row.arguments.size(); ++i)
        shape += (i ? ", " : "") + std::string(1, static_cast<char>('a' + i));
    return shape + ")";
}

const Command list_command{"list", "list schemes, quantities, functions and formats",
                           declare<ListOptions, add_list_options, print_lists>};

}  // namespace farfield::cli
