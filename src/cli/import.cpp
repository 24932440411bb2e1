#include <farfield/core/diagnostic.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/study/fpcore.hpp>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

namespace {

struct ImportOptions {
    std::string file;
    std::string output;
    bool skip = false;
};

void add_import_options(CLI::App& app, ImportOptions& options) {
    app.add_option("FILE", options.file, "FILE.fpcore: benchmarks of FPBench");
    app.add_option("-o,--output", options.output, "the file of the study; default: standard output");
    app.add_flag("--skip", options.skip, "leave out what cannot be imported, with the reason as a comment");
}

int import_file(const ImportOptions& options) {
    require_words(!options.file.empty(), "import", "a file: farfield import FILE.fpcore -o study.toml");
    if (!options.file.ends_with(".fpcore"))
        throw core::UserError({{{}, "'" + options.file + "' cannot be imported", "a file named *.fpcore", ""}});
    refuse_output_over("-o", options.output, {options.file});
    std::error_code failure;
    if (std::filesystem::exists(options.output, failure)) refuse_input("'" + options.output + "' exists", "another -o");
    const std::string study = study::import_fpcore(core::read_file(options.file), options.file, options.skip);
    if (options.output.empty())
        write_output(study);
    else
        core::write_file(options.output, study, "-o");
    return as_expected;
}

}  // namespace

const Command import_command{"import", "convert a file of another program into a study",
                             declare<ImportOptions, add_import_options, import_file>};

}  // namespace farfield::cli
