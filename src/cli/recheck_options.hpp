// The options of the command recheck, which farfield reads and farfield-recheck runs.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace farfield::cli {

struct RecheckOptions {
    std::vector<std::string> paths;
    bool strict = false;
    bool json = false;
};

inline void add_recheck_options(CLI::App& app, RecheckOptions& options) {
    app.add_option("RESULTS", options.paths, "results.json files, or folders of them");
    app.add_flag("--strict", options.strict, "exit with status 1 also if a verdict is not proved again");
    app.add_flag("--json", options.json, "print JSON");
}

/// The command with the function that runs it.
template <int (*perform)(const RecheckOptions&)>
constexpr Command recheck_command_of() {
    return {"recheck", "prove certified verdicts again with a second implementation",
            declare<RecheckOptions, add_recheck_options, perform>};
}

}  // namespace farfield::cli
