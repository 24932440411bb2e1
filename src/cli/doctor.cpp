#include <charconv>
#include <farfield/core/diagnostic.hpp>
#include <farfield/doctor/doctor.hpp>
#include <farfield/numerics/processors.hpp>

#include "cli/commands.hpp"
#include "cli/doctor_page.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

namespace {

doctor::Options read_options(const CommandLine& line) {
    doctor::Options options;
    if (!line.served.empty()) {
        long long served = 0;
        const char* const last = line.served.data() + line.served.size();
        const auto [end, error] = std::from_chars(line.served.data(), last, served);
        if (error != std::errc() || end != last || served < 1)
            throw core::UserError(
                {{{}, "--served has '" + line.served + "'", "a number of tokens, such as 131072", ""}});
        options.served = served;
    }
    if (line.formats.size() > 1)
        throw core::UserError({{{}, "--in has several formats", "one of them, such as bf16", ""}});
    if (!line.formats.empty()) options.format = line.formats.front();
    if (!line.recipe.empty()) options.recipe = line.recipe;
    options.engines = line.engines;
    options.against = line.against;
    return options;
}

int compare_two(const CommandLine& line, doctor::Options options) {
    options.safe_length = false;
    const doctor::Diagnosis a = doctor::diagnose(line.paths[0], options), b = doctor::diagnose(line.paths[1], options);
    const doctor::Comparison comparison = doctor::compare(a, b);
    write_output(line.json   ? doctor::json_of(comparison)
                 : line.html ? doctor_page(comparison, a, b)
                             : doctor::text_of(comparison, a.file, b.file));
    return comparison.differences.empty() ? as_expected : unexpected;
}

}  // namespace

int doctor(const CommandLine& line) {
    // What is computed is over before threads would have started.
    if (!line.threads) numerics::set_processors(1);
    const doctor::Options options = read_options(line);
    if (line.paths.size() > 2)
        throw core::UserError({{{}, "doctor has more than two configurations", "one, or two to compare", ""}});
    const int forms = (line.json ? 1 : 0) + (line.as_markdown ? 1 : 0) + (line.sarif ? 1 : 0) + (line.html ? 1 : 0);
    if (forms > 1 || (line.paths.size() == 2 && forms > (line.json || line.html ? 1 : 0)))
        throw core::UserError(
            {{{}, "the forms of output exclude each other", "one of --json, --html, --markdown and --sarif", ""}});
    if (line.paths.size() == 2 && !line.against.empty())
        throw core::UserError({{{}, "--against with two configurations", "one configuration", ""}});
    if (line.paths.size() == 2) return compare_two(line, options);
    const doctor::Diagnosis diagnosis = doctor::diagnose(line.paths.front(), options);
    write_output(line.json          ? doctor::json_of(diagnosis)
                 : line.as_markdown ? doctor::markdown_of(diagnosis)
                 : line.html        ? doctor_page(diagnosis)
                 : line.sarif       ? doctor::sarif_of(diagnosis)
                                    : doctor::text_of(diagnosis));
    return diagnosis.has_warnings() ? unexpected : as_expected;
}

}  // namespace farfield::cli
