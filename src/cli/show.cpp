#include <fmt/format.h>

#include <farfield/core/diagnostic.hpp>
#include <farfield/evaluate/number_system.hpp>
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
    std::string system;  ///< of --cuda; empty: double
};

void add_show_options(CLI::App& app, ShowOptions& options) {
    offer(*app.add_option("SCHEME|STUDY", options.subject, "a name or a file; with --cuda also a formula"),
          offered_schemes());
    app.add_flag("--cuda", options.cuda, "print the CUDA C++ of the formulas");
    std::vector<std::string> systems = evaluate::number_system_names();
    std::erase_if(systems, [](const std::string& name) { return name == "mpN" || name == "interval"; });
    offer(*app.add_option("--in", options.system, "number system of --cuda: double, float or a number format"),
          systems);
}

bool is_file(const std::string& subject) {
    std::error_code failure;
    return subject.ends_with(".toml") ||
           (std::filesystem::exists(subject, failure) && !scheme::Registry::builtin().find(subject));
}

int show(const ShowOptions& options) {
    require_words(!options.subject.empty(), "show", "a scheme or a study: farfield show SCHEME");
    if (!options.cuda && !options.system.empty()) refuse_input("--in without --cuda", "both options, or neither");
    if (options.cuda && options.subject.ends_with(".toml"))
        refuse_input("'" + options.subject + "' is a study, and --cuda prints the code of a formula",
                     "a scheme or a formula");
    if (options.cuda) {
        show_cuda(options.subject, options.system.empty() ? "double" : options.system);
        return as_expected;
    }
    if (!is_file(options.subject)) {
        print_scheme(builtin_scheme(options.subject));
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
