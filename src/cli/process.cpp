#include "cli/process.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <farfield/core/error.hpp>

namespace farfield::cli {

Finished run_program(const std::vector<std::string>& command, const std::string& advice) {
    const auto fail = [&](int code) {
        throw core::MissingError("running '" + command.front() + "'", std::strerror(code), advice);
    };
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::array<int, 2> ends = {};
    if (::pipe(ends.data()) != 0) fail(errno);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_addclose(&actions, ends[0]);
    ::posix_spawn_file_actions_addclose(&actions, ends[1]);
    pid_t process = 0;
    const int failure = ::posix_spawnp(&process, command.front().c_str(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    Finished finished;
    std::array<char, 4096> room = {};
    while (failure == 0) {
        const ssize_t read = ::read(ends[0], room.data(), room.size());
        if (read < 0 && errno == EINTR) continue;
        if (read <= 0) break;
        finished.output.append(room.data(), static_cast<std::size_t>(read));
    }
    ::close(ends[0]);
    if (failure != 0) fail(failure);
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return finished;
}

}  // namespace farfield::cli
