#include "cli/program.hpp"

#include <cstdlib>
#include <exception>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "cli/command.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

namespace {

int say(int status, const std::string& text) {
    print_error("{}\n", text);
    return status;
}

int status_of(const std::function<int()>& work) {
    try {
        return work();
    } catch (const core::UserError& error) {
        return say(wrong_input, core::format(error.diagnostics(), error.more()));
    } catch (const core::MissingError& error) {
        return say(missing, error.what());
    } catch (const std::system_error& error) {
        // For example, an error of the file system, or a thread that cannot be started.
        return say(missing, std::string("the system refused: ") + error.what());
    } catch (const std::bad_alloc&) {
        return say(missing, "there is not enough memory for this");
    } catch (const std::length_error&) {
        return say(missing, "there is not enough memory for this");
    } catch (const std::exception& error) {
        return say(wrong_input, std::string("an error inside farfield, please report it: ") + error.what());
    }
}

}  // namespace

int run_main(const std::function<int()>& work) {
    open_standard_streams();
    int status = status_of(work);
    // Problems that were already reported have their own status.
    if (!flush_output() && (status == as_expected || status == missing))
        status = say(missing, "writing to standard output: " + output_failure());
    // A thread that has not noticed the interruption may still compute, so nothing that it uses may be destroyed.
    if (status == interrupted) std::_Exit(status);
    return status;
}

}  // namespace farfield::cli
