#include <farfield/core/diagnostic.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/study/fpcore.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

int import_file(const CommandLine& line) {
    if (!line.subject.ends_with(".fpcore"))
        throw core::UserError({{{}, "'" + line.subject + "' cannot be imported", "a file named *.fpcore", ""}});
    const std::string study = study::import_fpcore(core::read_file(line.subject), line.subject, line.skip);
    if (line.output.empty())
        write_output(study);
    else
        core::write_file(line.output, study, "-o");
    return as_expected;
}

}  // namespace farfield::cli
