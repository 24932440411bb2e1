#include "cli/command_line.hpp"
#include "cli/program.hpp"

int main(int count, char** arguments) {
    return farfield::cli::run_main([&] { return farfield::cli::perform({arguments + 1, arguments + count}); });
}
