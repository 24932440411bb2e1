#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/study/keys.hpp>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "core/data_file.hpp"

namespace farfield::cli {

/// The template of a new study, which the build embeds.
std::span<const core::DataFile> new_study_files();

namespace {

namespace fs = std::filesystem;

struct NewOptions {
    std::string name = "study";
};

void add_new_options(CLI::App& app, NewOptions& options) {
    app.add_option("NAME", options.name, "name of the study, or path of its file; default: study");
}

/// The template, with the study's own name in its instructions.
std::string text_of(const std::string& name) {
    std::string text(new_study_files().front().text);
    for (std::size_t at = text.find("NAME"); at != std::string::npos; at = text.find("NAME", at + name.size()))
        text.replace(at, 4, name);
    return text;
}

int write_new(const NewOptions& options) {
    fs::path file = options.name;
    const std::string name = file.filename().string();
    const bool is_odd = std::any_of(name.begin(), name.end(), [](unsigned char c) {
        return c <= ' ' || c == 0x7f ||
               std::string_view("\"'\\,`$*?<>|&;").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (name.empty() || name.starts_with('.') || is_odd)
        refuse_input("'" + options.name + "' cannot be the name of a study", "a name such as my-bias");
    if (file.extension() != ".toml") file += ".toml";
    std::error_code failure;
    if (fs::exists(fs::symlink_status(file, failure)))
        refuse_input("'" + file.string() + "' exists", "the name of a new study");
    const fs::path schema = file.parent_path() / "study.schema.json";
    if (fs::exists(fs::symlink_status(schema, failure)) &&
        core::read_file(schema.string()).find("\"title\": \"farfield study\"") == std::string::npos)
        refuse_input("'" + schema.string() + "' exists, and is not farfield's", "a name in another folder");
    core::write_file(file.string(), text_of(file.stem().string()), "NAME");
    core::write_file(schema.string(), study::json_schema(), "NAME");
    print("{}\n{}\n", file.string(), schema.string());
    flush_output();
    print_error("next: farfield run {}\n", file.string());
    return as_expected;
}

}  // namespace

const Command new_command{"new", "write an example study as a starting point",
                          declare<NewOptions, add_new_options, write_new>};

}  // namespace farfield::cli
