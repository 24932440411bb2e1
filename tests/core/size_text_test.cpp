#include <catch2/catch.hpp>

#include <farfield/core/size_text.hpp>

using farfield::core::size_text;

TEST_CASE("sizes are GiB with one decimal at most from 1 GiB on, MiB below, and whole KiB below 1 MiB") {
    CHECK(size_text(0) == "0 KiB");
    CHECK(size_text(1) == "1 KiB");
    CHECK(size_text(17064) == "17 KiB");
    CHECK(size_text(1 << 20) == "1 MiB");
    CHECK(size_text(12 << 20) == "12 MiB");
    CHECK(size_text(64.4 * (1 << 20)) == "64 MiB");
    CHECK(size_text(1 << 30) == "1 GiB");
    CHECK(size_text(3.1 * (1 << 30)) == "3.1 GiB");
    CHECK(size_text(1234.56 * (1 << 30)) == "1234.6 GiB");
}
