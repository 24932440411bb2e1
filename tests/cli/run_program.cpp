#include "cli/run_program.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace run_program {

namespace fs = std::filesystem;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

bool Folder::has(const std::string& name) const {
    return fs::exists(path(name));
}

std::vector<std::string> Folder::files(const std::string& below) const {
    std::vector<std::string> found;
    if (!fs::exists(path(below))) return found;
    for (const auto& each : fs::recursive_directory_iterator(path(below))) {
        if (each.is_regular_file()) found.push_back(fs::relative(each.path(), path()).string());
    }
    std::sort(found.begin(), found.end());
    return found;
}

pid_t Folder::start(const std::vector<std::string>& arguments) const {
    return start(arguments, How{});
}

pid_t Folder::start(const std::vector<std::string>& arguments, const How& how) const {
    std::vector<std::string> words = {how.program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const pid_t process = fork();
    if (process != 0) return process;
    const auto redirect = [](const std::string& file, int descriptor) {
        dup2(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), descriptor);
    };
    redirect(how.output.empty() ? path("output") : how.output, STDOUT_FILENO);
    redirect(path("error"), STDERR_FILENO);
    setenv("XDG_CACHE_HOME", path("cache").c_str(), 1);
    bool ready = chdir(path().c_str()) == 0;
    constexpr uid_t nobody = 65534;
    if (how.as_nobody && geteuid() == 0)
        ready = ready && setgroups(0, nullptr) == 0 && setgid(nobody) == 0 && setuid(nobody) == 0;
    // nohup would hand its ignored signal on to the program.
    std::signal(SIGHUP, SIG_DFL);
    if (ready) execv(pointers[0], pointers.data());
    _exit(127);
}

std::string tested_program() {
    const char* other = std::getenv("FARFIELD_PROGRAM");
    return other ? other : FARFIELD_PROGRAM;
}

Done Folder::finish(pid_t process) const {
    int state = 0;
    waitpid(process, &state, 0);
    const int status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    return {status, read("output"), read("error")};
}

Done Folder::farfield_as_nobody(const std::vector<std::string>& arguments) const {
    const std::string program = path("farfield-copy");
    fs::copy_file(tested_program(), program, fs::copy_options::skip_existing);
    fs::permissions(path(), fs::perms::owner_all | fs::perms::group_all | fs::perms::others_all);
    return finish(start(arguments, {program, "", true}));
}

Done Folder::farfield_into(const std::string& output, const std::vector<std::string>& arguments) const {
    return finish(start(arguments, {tested_program(), output, false}));
}

Done Folder::farfield(const std::vector<std::string>& arguments) const {
    return finish(start(arguments));
}

}  // namespace run_program
