#include <farfield/core/write_file.hpp>
#include <farfield/study/keys.hpp>

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
    refuse_output_over_study("-o", options.output);
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
