#include <charconv>
#include <farfield/core/diagnostic.hpp>
#include <farfield/doctor/doctor.hpp>
#include <farfield/numerics/processors.hpp>
#include <farfield/report/report.hpp>
#include <farfield/scheme/recipe.hpp>
#include <farfield/study/version.hpp>

#include "cli/commands.hpp"
#include "cli/doctor_page.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/schemes.hpp"
#include "cli/watched.hpp"

namespace farfield::cli {

namespace {

struct DoctorOptions {
    std::vector<std::string> paths;
    bool json = false;
    std::string against;
    bool markdown = false;
    bool html = false;
    bool sarif = false;
    std::string served;
    std::vector<std::string> formats;
    std::string recipe;
    std::vector<std::string> engines;
};

void add_doctor_options(CLI::App& app, DoctorOptions& options) {
    app.add_option(
        "CONFIG", options.paths,
        "a config.json, a folder with one, a .gguf, a .safetensors, or - for standard input; two are compared");
    app.add_option("--against", options.against,
                   "an engine's own tables, in a .npz, .npy or .safetensors, compared with the declared ones");
    app.add_flag("--markdown", options.markdown, "print findings as a Markdown table for pull requests");
    app.add_flag("--html", options.html, "print one self-contained page with figures, drawn by gnuplot");
    app.add_flag("--sarif", options.sarif, "print findings as SARIF 2.1.0");
    app.add_option("--served", options.served,
                   "number of tokens served; default: the largest length in the configuration");
    offer(add_list(app, "--in", options.formats, "number format of cosines and sines; default: fp32"),
          offered_formats());
    offer(*app.add_option(
              "--recipe", options.recipe,
              "hf, all-bf16, fp32, fp64-tables, recurrence, powf, or format: every step in the format; default: hf"),
          scheme::recipe_names());
    offer(add_list(app, "--engine", options.engines, "engines to compare with the declared meaning"),
          doctor::engine_names());
    app.add_flag("--json", options.json, "print JSON");
}

doctor::Options read_options(const DoctorOptions& given) {
    doctor::Options options;
    if (!given.served.empty()) {
        long long served = 0;
        const char* const last = given.served.data() + given.served.size();
        const auto [end, error] = std::from_chars(given.served.data(), last, served);
        if (error != std::errc() || end != last || served < 1)
            throw core::UserError(
                {{{}, "--served has '" + given.served + "'", "a number of tokens, such as 131072", ""}});
        options.served = served;
    }
    if (given.formats.size() > 1)
        throw core::UserError({{{}, "--in has several formats", "one of them, such as bf16", ""}});
    if (!given.formats.empty()) options.format = given.formats.front();
    if (!given.recipe.empty()) options.recipe = given.recipe;
    options.engines = given.engines;
    options.against = given.against;
    return options;
}

int compare_two(const DoctorOptions& given, doctor::Options options) {
    options.safe_length = false;
    const doctor::Diagnosis a = doctor::diagnose(given.paths[0], options),
                            b = doctor::diagnose(given.paths[1], options);
    const doctor::Comparison comparison = doctor::compare(a, b);
    write_output(given.json   ? doctor::json_of(comparison)
                 : given.html ? doctor_page(comparison, a, b)
                              : doctor::text_of(comparison, a.file, b.file));
    return comparison.are_same() ? as_expected : unexpected;
}

std::string sarif_of(const doctor::Diagnosis& diagnosis) {
    std::vector<report::Alert> alerts;
    for (const doctor::Finding& finding : diagnosis.findings)
        alerts.push_back({finding.id, "", std::string(doctor::severity_name(finding.severity)),
                          finding.message + (finding.fix.empty() ? "" : " Fix: " + finding.fix + "."), finding.place});
    return report::sarif(alerts, study::version());
}

/// Nothing after an interruption. Only large tables take long.
std::optional<doctor::Diagnosis> diagnosis_of(const std::string& path, const doctor::Options& options) {
    const auto job = [=] { return doctor::diagnose(path, options); };
    return options.against.empty() ? std::optional(job()) : Watched("doctor", 0).get(job);
}

int diagnose(const DoctorOptions& given) {
    require_words(!given.paths.empty(), "doctor", "a configuration: farfield doctor config.json");
    const doctor::Options options = read_options(given);
    if (given.paths.size() > 2)
        throw core::UserError({{{}, "doctor has more than two configurations", "one, or two to compare", ""}});
    const int forms = (given.json ? 1 : 0) + (given.markdown ? 1 : 0) + (given.sarif ? 1 : 0) + (given.html ? 1 : 0);
    if (forms > 1)
        throw core::UserError(
            {{{}, "the forms of output exclude each other", "one of --json, --html, --markdown and --sarif", ""}});
    if (given.paths.size() == 2 && (given.markdown || given.sarif))
        refuse_input(std::string(given.markdown ? "--markdown" : "--sarif") + " with two configurations",
                     "--json or --html, or neither, for a comparison");
    if (given.paths.size() == 2 && is_same_path(given.paths[0], given.paths[1]))
        refuse_input("doctor compares '" + given.paths[0] + "' with itself", "two configurations");
    if (given.paths.size() == 2 && !given.against.empty())
        throw core::UserError({{{}, "--against with two configurations", "one configuration", ""}});
    if (given.paths.size() == 2) return compare_two(given, options);
    if (!given.against.empty()) catch_interrupts();
    const auto found = diagnosis_of(given.paths.front(), options);
    if (!found) return interrupted;
    const doctor::Diagnosis& diagnosis = *found;
    write_output(given.json       ? doctor::json_of(diagnosis)
                 : given.markdown ? doctor::markdown_of(diagnosis)
                 : given.html     ? doctor_page(diagnosis)
                 : given.sarif    ? sarif_of(diagnosis)
                                  : doctor::text_of(diagnosis));
    return diagnosis.has_warnings() ? unexpected : as_expected;
}

/// Most computations end before threads would have started, so the default is one thread.
std::function<int()> declare_doctor(CLI::App& app) {
    const std::function<int()> perform = declare<DoctorOptions, add_doctor_options, diagnose>(app);
    add_threads(app);
    return [&app, perform] {
        if (app.count("--threads") == 0) numerics::set_processors(1);
        return perform();
    };
}

}  // namespace

const Command doctor_command{"doctor", "report what a model's configuration computes, and the errors in it",
                             declare_doctor};

}  // namespace farfield::cli
