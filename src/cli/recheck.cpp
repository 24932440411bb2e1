#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <farfield/core/error.hpp>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/recheck_options.hpp"

namespace farfield::cli {

namespace {

#ifdef FARFIELD_RECHECK

/// Replaces this process by the program in the same folder.
int recheck_results(const RecheckOptions& options) {
    const std::string program =
        (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "farfield-recheck").string();
    std::vector<std::string> words = {program};
    if (options.strict) words.emplace_back("--strict");
    if (options.json) words.emplace_back("--json");
    words.emplace_back("--");
    words.insert(words.end(), options.paths.begin(), options.paths.end());
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(program.c_str(), arguments.data());
    throw core::MissingError("recheck", "'" + program + "' cannot be started: " + std::strerror(errno),
                             "`ninja recheck` in the build folder, or farfield-recheck in the folder of farfield");
}

#else

int recheck_results(const RecheckOptions& /*options*/) {
    throw core::MissingError("recheck", "farfield was built without Arb",
                             "install libflint-dev and libflint-arb-dev, and build it again");
}

#endif

}  // namespace

const Command recheck_command = recheck_command_of<recheck_results>();

}  // namespace farfield::cli
