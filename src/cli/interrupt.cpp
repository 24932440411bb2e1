#include <unistd.h>

#include <atomic>
#include <csignal>
#include <deque>

#include "cli/interrupt.hpp"

#include "cli/command.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

namespace {

// A signal handler may set only such a variable.
volatile std::sig_atomic_t signalled = 0;

/// The text that a second signal prints. It is never freed, because a handler may be reading it.
std::atomic<const std::string*> last_words = nullptr;

extern "C" void remember(int signal) {
    if (signalled == 0) {
        signalled = signal;
        return;
    }
    // A scheduler may send SIGTERM more than once: to a job and to each of its processes.
    if (signalled == SIGTERM && signal == SIGTERM) return;
    const std::string* words = last_words.load();
    if (words && ::write(STDERR_FILENO, words->data(), words->size()) < 0) ::_exit(interrupted);
    ::_exit(interrupted);
}

}  // namespace

void catch_interrupts() {
    set_last_words("what was not yet written");
    struct sigaction action = {};
    action.sa_handler = remember;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    // A lost connection, unless nohup ignores it.
    struct sigaction hangup = {};
    if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
    // A reader that goes away, as in `farfield run | head`, does not end the computation.
    std::signal(SIGPIPE, SIG_IGN);
}

bool was_interrupted() {
    return signalled != 0;
}

void set_last_words(const std::string& lost) {
    static auto& kept = *new std::deque<std::string>;
    const std::string text = "interrupted again; stopped at once; lost: " + lost + "\n";
    if (!kept.empty() && kept.back() == text) return;
    kept.push_back(text);
    last_words = &kept.back();
}

void tell_waiting(const std::string& lost) {
    static bool is_told = false;
    set_last_words(lost);
    if (!is_told)
        print_error(
            "interrupted; waiting for the running training step and its checkpoint; Ctrl-C again stops at once\n");
    is_told = true;
}

}  // namespace farfield::cli
