#include <catch2/catch.hpp>
#include <farfield/core/error.hpp>
#include <farfield/train/memory.hpp>

using namespace farfield;
using Catch::Matchers::Contains;

TEST_CASE("what is beyond memory is refused before it is begun, with both sizes") {
    CHECK_NOTHROW(train::require_memory(1 << 20, "a test"));
    CHECK_THROWS_WITH(train::require_memory(1e18, "a test of length 9"),
                      Contains("memory for a test of length 9") && Contains("931322575 GiB") && Contains("free"));
    CHECK_THROWS_AS(train::require_memory(1e18, "a test"), core::MissingError);
}

TEST_CASE("a pass back keeps every layer, and memory grows with the tokens") {
    model::Config config;
    config.layers = 6;
    const double forward = train::bytes_of_pass(config, 1000, false);
    CHECK(train::bytes_of_pass(config, 1000, true) > 2 * forward);
    CHECK(train::bytes_of_pass(config, 2000, false) == 2 * forward);
    CHECK(forward > 1000 * 4.0 * 64);
}
