#include <cstdlib>
#include <exception>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/output.hpp"

namespace {

namespace cli = farfield::cli;

int say(int status, const std::string& text) {
    cli::print_error("{}\n", text);
    return status;
}

int status_of(const std::vector<std::string>& arguments) {
    try {
        return cli::perform(arguments);
    } catch (const farfield::core::UserError& error) {
        return say(cli::wrong_input, farfield::core::format(error.diagnostics(), error.more()));
    } catch (const farfield::core::MissingError& error) {
        return say(cli::missing, error.what());
    } catch (const std::system_error& error) {
        // Of the file system, say, or of a thread that cannot be started.
        return say(cli::missing, std::string("the system refused: ") + error.what());
    } catch (const std::bad_alloc&) {
        return say(cli::missing, "there is not enough memory for this");
    } catch (const std::length_error&) {
        return say(cli::missing, "there is not enough memory for this");
    } catch (const std::exception& error) {
        return say(cli::wrong_input,
                   std::string("farfield broke a promise to itself (please report this): ") + error.what());
    }
}

}  // namespace

int main(int count, char** arguments) {
    cli::open_standard_streams();
    int status = status_of({arguments + 1, arguments + count});
    // What was found wrong already is told by its own status.
    if (!cli::flush_output() && (status == cli::as_expected || status == cli::missing))
        status = say(cli::missing, "writing to standard output: " + cli::output_failure());
    // A thread that did not hear of the interruption may still compute: nothing must be taken down under it.
    if (status == cli::interrupted) std::_Exit(status);
    return status;
}
