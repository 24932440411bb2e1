// Long calls: without the interpreter's lock, and so that Ctrl-C ends them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

namespace farfield::python {

/// Set once the caller was interrupted; what a job may look at.
using Stop = std::shared_ptr<const std::atomic<bool>>;

/// Remembers which thread Python's signals come to, and sees to it that the interpreter waits at its end for jobs that
/// were left behind (a second Ctrl-C ends the process then).
void prepare_interruptions();

/// Runs the job without the interpreter's lock. On the main thread it is run by a thread beside, while this one looks
/// for signals ten times a second; after one the job has a second to end before it is left behind, and what the
/// signal's handler raised is thrown. The job must therefore own all it uses. What the job throws is thrown here.
void run_interruptibly(std::function<void(const Stop&)> job);

/// The same for what is done before a thread could be woken: on this thread, to its end.
void run_briefly(const std::function<void()>& job);

}  // namespace farfield::python
