#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <farfield/core/error.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/train/memory.hpp>

using namespace farfield;
using Catch::Contains;

namespace {

train::Training training_of(std::size_t layers, std::size_t width, std::size_t length) {
    train::Training training;
    training.config.layers = layers;
    training.config.heads = 4;
    training.config.width = width;
    training.config.vocabulary = 256;
    training.config.train_length = length;
    training.scheme = *scheme::Registry::builtin().find("alibi");
    training.batch = 4;
    return training;
}

}  // namespace

TEST_CASE("what is beyond memory is refused before it is begun, with its parts and what is available") {
    CHECK_NOTHROW(train::require_memory({{"a part", 1 << 20}}, "a test"));
    // 2^60 bytes and a half more of them.
    const std::vector<train::MemoryPart> parts = {{"tables", 0x1p59}, {"activations", 0x1p60}};
    CHECK_THROWS_WITH(train::require_memory(parts, "a test of length 9"),
                      Contains("memory for a test of length 9") &&
                          Contains("it needs 1610612736 GiB (activations 1073741824 GiB, tables 536870912 GiB)") &&
                          Contains("GiB are available"));
    CHECK_THROWS_AS(train::require_memory(parts, "a test"), core::MissingError);
}

TEST_CASE("a limit of the address space counts as what is available") {
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
    const rlimit tight{rlim_t{1} << 50, before.rlim_max};
    if (before.rlim_cur != RLIM_INFINITY || ::setrlimit(RLIMIT_AS, &tight) != 0) return;
    const auto loose = train::available_bytes();
    CHECK((loose && *loose < 0x1p50));
    // The process itself has more than nothing: a limit of one byte leaves none.
    const rlimit none{1, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_AS, &none) == 0);
    const double left = train::available_bytes().value_or(-1);
    REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
    CHECK(left == 0);
}

TEST_CASE("a training takes its parameters four times, and a workspace that grows with length, layers and threads") {
    const auto bytes = [](const train::Training& training, std::size_t threads) {
        return train::total_bytes(train::parts_of(training, threads));
    };
    const train::Training small = training_of(2, 64, 128);
    // Two layers of 12 C^2 weights, and embedding and head of 256 C each: 4 bytes each, four times.
    CHECK(bytes(small, 1) > 16.0 * (2 * 12 * 64 * 64 + 2 * 256 * 64));
    CHECK(bytes(training_of(4, 64, 128), 1) > bytes(small, 1));
    CHECK(bytes(training_of(2, 64, 512), 1) > bytes(small, 1));
    CHECK(bytes(small, 2) > bytes(small, 1));
    CHECK(bytes(small, 4) == bytes(small, 64));  // a batch has four groups
}

TEST_CASE("the peak of this process is at least what it holds") {
    CHECK(train::peak_bytes() > 1e6);
}
