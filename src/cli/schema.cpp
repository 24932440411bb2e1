#include <farfield/core/write_file.hpp>
#include <farfield/study/keys.hpp>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

namespace {

struct SchemaOptions {
    std::string output;
};

void add_schema_options(CLI::App& app, SchemaOptions& options) {
    app.add_option("-o,--output", options.output, "the file of the schema; default: standard output");
}

int write_schema(const SchemaOptions& options) {
    std::error_code failure;
    if (options.output.ends_with(".toml") && std::filesystem::exists(options.output, failure))
        refuse_input("-o would overwrite the study '" + options.output + "'", "a file named *.json");
    if (options.output.empty())
        write_output(study::json_schema());
    else
        core::write_file(options.output, study::json_schema(), "-o");
    return as_expected;
}

}  // namespace

const Command schema_command{"schema", "print the JSON schema of study files, for editors",
                             declare<SchemaOptions, add_schema_options, write_schema>};

}  // namespace farfield::cli
