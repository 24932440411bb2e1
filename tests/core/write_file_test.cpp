#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <farfield/core/error.hpp>
#include <farfield/core/write_file.hpp>

#include "core/temporary.hpp"
#include "support/folder.hpp"

using namespace farfield;
using namespace farfield::tests;
using Catch::Contains;

namespace {

/// Of so many renames from now on the answer is lost: they are done, and done again.
int lost_answers = 0;

}  // namespace

extern "C" int rename(const char* from, const char* to) noexcept {
    const auto call = [&] { return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0)); };
    if (lost_answers > 0 && lost_answers-- > 0) call();
    return call();
}

namespace {

std::size_t files_in(const std::string& folder) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
    return count;
}

/// No file may grow over `bytes` while this lives: what a full disk looks like to write(2), but for the code.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, signal_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit before_{};
    void (*signal_)(int);
};

}  // namespace

TEST_CASE("a file is written with its folders, and no other file is left") {
    const Folder folder;
    const std::string bytes("a\0b\n", 4);
    core::write_file(folder.path("x/y/z.txt"), bytes);
    CHECK(content(folder.path("x/y/z.txt")) == bytes);
    CHECK(files_in(folder.path("x/y")) == 1);
}

TEST_CASE("a written file has the permissions that the user's mask allows") {
    const Folder folder;
    const mode_t before = ::umask(022);
    core::write_file(folder.path("a"), "x");
    ::umask(before);
    struct stat status {};
    REQUIRE(::stat(folder.path("a").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0644);
}

TEST_CASE("a file that is replaced keeps its permissions, and a link to it") {
    const Folder folder;
    core::write_file(folder.path("a"), "x");
    std::filesystem::permissions(folder.path("a"), std::filesystem::perms(0600));
    std::filesystem::create_directory(folder.path("d"));
    std::filesystem::create_symlink("../a", folder.path("d/link"));
    std::filesystem::create_symlink("d/link", folder.path("chain"));
    for (const char* name : {"a", "d/link", "chain"}) {
        core::write_file(folder.path(name), name);
        CHECK(content(folder.path("a")) == name);
        struct stat status {};
        REQUIRE(::stat(folder.path("a").c_str(), &status) == 0);
        CHECK((status.st_mode & 0777) == 0600);
    }
    CHECK((std::filesystem::is_symlink(folder.path("d/link")) && std::filesystem::is_symlink(folder.path("chain"))));
    std::filesystem::create_symlink("new", folder.path("d/ahead"));
    core::write_file(folder.path("d/ahead"), "y");
    CHECK((content(folder.path("d/new")) == "y" && std::filesystem::is_symlink(folder.path("d/ahead"))));
    std::filesystem::create_symlink("circle", folder.path("circle"));
    CHECK_THROWS_WITH(core::write_file(folder.path("circle"), "z"), Contains("symbolic links"));
}

TEST_CASE("a file whose permissions refuse writing is reported, unless the user is root") {
    const Folder folder;
    core::write_file(folder.path("a"), "x");
    CHECK_NOTHROW(core::check_replaceable(folder.path("a")));
    CHECK_NOTHROW(core::check_replaceable(folder.path("b")));
    std::filesystem::permissions(folder.path("a"), std::filesystem::perms(0400));
    if (::geteuid() == 0)
        CHECK_NOTHROW(core::check_replaceable(folder.path("a")));
    else
        CHECK_THROWS_WITH(core::check_replaceable(folder.path("a")), Contains("Permission denied"));
    core::write_file(folder.path("a"), "y");  // as hosts that share a folder do
    CHECK(content(folder.path("a")) == "y");
}

TEST_CASE("a write that fails leaves the old file unchanged and no draft") {
    const Folder folder;
    const std::string path = folder.path("a.txt");
    core::write_file(path, "old");
    {
        const FileSizeLimit limit(4096);
        CHECK_THROWS_WITH(core::write_file(path, std::string(100'000, 'x')),
                          Contains("writing '" + path + "'") && Contains("File too large"));
    }
    CHECK(content(path) == "old");
    CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("a rename that a file server reports as failed although it happened is not a failure") {
    const Folder folder;
    const std::string path = folder.path("a.txt");
    core::write_file(path, "old");
    lost_answers = 1;
    core::write_file(path, "new");
    CHECK(lost_answers == 0);
    CHECK(content(path) == "new");
    CHECK(files_in(folder.path()) == 1);
    // One that never succeeds ends with the server's own reason.
    lost_answers = 100;
    CHECK_THROWS_WITH(core::write_file(path, "newer"), Contains("No such file"));
    lost_answers = 0;
    CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("a path that cannot be written is reported as missing, not as the user's fault") {
    const Folder folder;
    core::write_file(folder.path("plain"), "x");
    CHECK_THROWS_AS(core::write_file(folder.path("plain/below"), "x"), core::MissingError);
    CHECK_THROWS_AS(core::write_file("/proc/none/x", "x"), core::MissingError);
    CHECK_THROWS_WITH(core::write_file(folder.path(), "x"), Contains("Is a directory"));
    CHECK_THROWS_AS(core::write_file(folder.path() + "/", "x"), core::MissingError);
    CHECK(content(folder.path("plain")) == "x");
}

TEST_CASE("drafts of a killed process are removed, and drafts that another process still writes are not") {
    const Folder folder;
    const pid_t ended = ::fork();
    if (ended == 0) {
        // As a process that is killed while it writes: the name is there, the destructor never runs.
        std::string name = folder.path("." + core::temporary_name());
        ::_exit(::mkstemp(name.data()) >= 0 ? 0 : 1);
    }
    int state = 0;
    REQUIRE(::waitpid(ended, &state, 0) == ended);
    REQUIRE(state == 0);
    std::string running = folder.path("." + core::temporary_name());
    REQUIRE(::mkstemp(running.data()) >= 0);
    folder.write("kept.txt", "x");
    REQUIRE(files_in(folder.path()) == 3);
    core::write_file(folder.path("new.txt"), "y");
    CHECK(files_in(folder.path()) == 3);
    CHECK(std::filesystem::exists(running));
    CHECK(folder.read("kept.txt") == "x");
    CHECK(folder.read("new.txt") == "y");
}

TEST_CASE("only names of this host with the number of an ended process and six characters more are removed") {
    const Folder folder;
    const std::string own = core::temporary_name(), process = std::to_string(::getpid());
    const std::string start = own.substr(0, own.find('-', 9) + 1);
    REQUIRE(own == start + process + "-XXXXXX");
    // Above any number that a process may have.
    const std::string ended = start + "1999999999";
    const std::vector<std::string> stale = {ended + "-abcdef", "." + ended + "-ABCDEF"};
    const std::vector<std::string> kept = {ended + "-abcde",
                                           ended + "-abcdefg",
                                           ended + "_abcdef",
                                           start + "-abcdef",
                                           start + "0-abcdef",
                                           start + "-5-abcdef",
                                           start + "x-abcdef",
                                           ended,
                                           "." + own,
                                           ".." + ended + "-abcdef",
                                           "farfield-other-1999999999-abcdef"};
    for (const std::string& name : stale) folder.write(name, "");
    for (const std::string& name : kept) folder.write(name, "");
    core::remove_stale(folder.path());
    for (const std::string& name : stale) CHECK_FALSE(std::filesystem::exists(folder.path(name)));
    for (const std::string& name : kept) CHECK(std::filesystem::exists(folder.path(name)));
    // A folder is looked through once.
    folder.write(stale[0], "");
    core::remove_stale(folder.path());
    CHECK(std::filesystem::exists(folder.path(stale[0])));
}

TEST_CASE("a device and a link to an open file are written into, not replaced") {
    // Links of this folder stand for those of /dev, which a failure of this test as root would replace.
    const Folder folder;
    std::filesystem::create_symlink("/dev/null", folder.path("null"));
    std::filesystem::create_symlink("/dev/full", folder.path("full"));
    core::write_file(folder.path("file"), "longer than y");
    std::filesystem::create_symlink("file", folder.path("link"));
    core::write_file(folder.path("null"), "x");
    CHECK(std::filesystem::is_character_file(folder.path("null")));
    CHECK_THROWS_WITH(core::write_file(folder.path("full"), "x"), Contains("No space left on device"));
    CHECK(std::filesystem::is_character_file(folder.path("full")));

    // What stands in the file stays: it may be that of `>>`.
    const int descriptor = ::open(folder.path("file").c_str(), O_WRONLY);
    std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(descriptor), folder.path("stdout"));
    core::write_file(folder.path("stdout"), "y");
    ::close(descriptor);
    CHECK(std::filesystem::is_symlink(folder.path("stdout")));
    CHECK(content(folder.path("file")) == "longer than yy");
    core::write_file(folder.path("link"), "z");
    CHECK(content(folder.path("link")) == "z");
}
