#include <csignal>

#include "cli/commands.hpp"

namespace farfield::cli {

namespace {

// A signal handler has no other way to leave word.
volatile std::sig_atomic_t signalled = 0;

extern "C" void remember(int) {
    signalled = 1;
}

}  // namespace

void catch_interrupts() {
    struct sigaction action = {};
    action.sa_handler = remember;
    // A second signal meets the default again, should the work not stop soon enough.
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

bool was_interrupted() {
    return signalled != 0;
}

}  // namespace farfield::cli
