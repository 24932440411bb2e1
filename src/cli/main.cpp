#include <cstdio>
#include <cstdlib>
#include <exception>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <new>
#include <string>

#include "cli/command_line.hpp"
#include "cli/commands.hpp"

namespace {

using farfield::cli::CommandLine;

struct Command {
    std::string_view name;
    int (*perform)(const CommandLine&);
};

namespace cli = farfield::cli;
constexpr Command commands[] = {
    {"run", cli::run},
    {"check", cli::check},
    {"eval", cli::eval},
    {"plot", cli::plot},
    {"list", cli::list},
    {"show", cli::show},
    {"report", cli::report},
    {"safe-length", cli::safe_length},
    {"recheck", cli::recheck},
    {"compare", cli::compare},
    {"export", cli::export_scheme},
};

int perform(const CommandLine& line) {
    if (line.text) {
        std::fputs(line.text->c_str(), stdout);
        return cli::as_expected;
    }
    for (const Command& command : commands) {
        if (command.name == line.command) return command.perform(line);
    }
    throw farfield::core::PreconditionError("perform", "command", line.command, "a command of the table");
}

int say(int status, const std::string& text) {
    std::fprintf(stderr, "%s\n", text.c_str());
    return status;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        const int status = perform(cli::read_command_line({arguments + 1, arguments + count}));
        std::fflush(stdout);
        // A thread that did not hear of the interruption may still compute: nothing must be taken down under it.
        if (status == cli::interrupted) std::_Exit(status);
        return status;
    } catch (const farfield::core::UserError& error) {
        return say(cli::wrong_input, farfield::core::format(error.diagnostics()));
    } catch (const farfield::core::MissingError& error) {
        return say(cli::missing, error.what());
    } catch (const std::bad_alloc&) {
        return say(cli::missing, "there is not enough memory for this");
    } catch (const std::exception& error) {
        return say(cli::wrong_input,
                   std::string("farfield broke a promise to itself (please report this): ") + error.what());
    }
}
