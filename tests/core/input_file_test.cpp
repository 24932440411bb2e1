#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>

#include "support/folder.hpp"

using namespace farfield;
using namespace farfield::tests;
using Catch::Contains;

TEST_CASE("a file is read whole up to the limit, and refused above it") {
    const Folder folder;
    const std::string text(100'000, 'x');
    folder.write("f", text);
    folder.write("empty", "");
    CHECK(core::read_file(folder.path("f")) == text);
    CHECK(core::read_file(folder.path("f"), 100'000) == text);
    CHECK(core::read_file(folder.path("empty")).empty());
    CHECK_THROWS_AS(core::read_file(folder.path("f"), 99'999), core::UserError);
    CHECK_THROWS_WITH(core::read_file(folder.path("f"), 0), Contains("over 0 KiB"));
}

TEST_CASE("a file that is not regular is refused at once") {
    const Folder folder;
    REQUIRE(::mkfifo(folder.path("pipe").c_str(), 0600) == 0);
    CHECK_THROWS_WITH(core::read_file(folder.path("pipe")), Contains("is not a regular file"));
    CHECK_THROWS_WITH(core::read_file("/dev/zero"), Contains("is not a regular file"));
    CHECK_THROWS_WITH(core::read_file(folder.path()), Contains("is a folder"));
}

TEST_CASE("a file that cannot be opened is missing, with the system's reason") {
    const Folder folder;
    folder.write("f", "x");
    CHECK_THROWS_AS(core::read_file(folder.path("none")), core::MissingError);
    try {
        core::read_file(folder.path("none"));
    } catch (const core::MissingError& error) {
        CHECK_THAT(error.what(), Contains("check that the file is there") && !Contains("are you allowed"));
    }
    CHECK_THROWS_WITH(core::read_file(folder.path("f/below")), Contains("Not a directory"));
    CHECK_THROWS_WITH(core::read_file(folder.path(std::string(300, 'n'))), Contains("name too long"));
}

TEST_CASE("a file is closed after it was read, and stays open if it was released") {
    const Folder folder;
    folder.write("f", "x");
    const auto open_files = [] {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
        return count;
    };
    const std::size_t before = open_files();
    CHECK(core::read_file(folder.path("f")) == "x");
    CHECK_THROWS(core::read_file(folder.path()));
    CHECK(open_files() == before);
    int descriptor = -1;
    {
        core::InputFile file(folder.path("f"));
        CHECK(open_files() == before + 1);
        descriptor = file.release();
    }
    CHECK(open_files() == before + 1);
    CHECK(::close(descriptor) == 0);
}
