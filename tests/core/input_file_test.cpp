#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>

#include "support/folder.hpp"

using namespace farfield;
using namespace farfield::tests;
using Catch::Matchers::Contains;

TEST_CASE("a file is read whole up to the limit, and refused above it") {
    const Folder folder;
    const std::string text(100'000, 'x');
    folder.write("f", text);
    folder.write("empty", "");
    CHECK(core::read_file(folder.path("f")) == text);
    CHECK(core::read_file(folder.path("f"), 100'000) == text);
    CHECK(core::read_file(folder.path("empty")).empty());
    CHECK_THROWS_AS(core::read_file(folder.path("f"), 99'999), core::UserError);
    CHECK_THROWS_WITH(core::read_file(folder.path("f"), 0), Contains("over 0 MiB"));
}

TEST_CASE("what is not a regular file is refused at once") {
    const Folder folder;
    REQUIRE(::mkfifo(folder.path("pipe").c_str(), 0600) == 0);
    CHECK_THROWS_WITH(core::read_file(folder.path("pipe")), Contains("is not a regular file"));
    CHECK_THROWS_WITH(core::read_file("/dev/zero"), Contains("is not a regular file"));
    CHECK_THROWS_WITH(core::read_file(folder.path()), Contains("is a folder"));
}

TEST_CASE("what cannot be opened is missing, with the system's reason") {
    const Folder folder;
    folder.write("f", "x");
    CHECK_THROWS_AS(core::read_file(folder.path("none")), core::MissingError);
    CHECK_THROWS_WITH(core::read_file(folder.path("f/below")), Contains("Not a directory"));
    CHECK_THROWS_WITH(core::read_file(folder.path(std::string(300, 'n'))), Contains("name too long"));
}
