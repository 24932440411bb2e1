#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <farfield/core/error.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/train/memory.hpp>
#include <fstream>

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

/// Of the kernel's list of this process, in kibibytes there (proc(5)).
double status_bytes(const std::string& wanted) {
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line))
        if (line.starts_with(wanted)) return 1024 * std::stod(line.substr(wanted.size()));
    return 0;
}

}  // namespace

TEST_CASE("work beyond memory is refused before it begins, with its parts and the available memory") {
    CHECK_NOTHROW(train::require_memory({{"a part", 1 << 20}}, "a test"));
    // 2^60 bytes and a half more of them.
    const std::vector<train::MemoryPart> parts = {{"tables", 0x1p59}, {"activations", 0x1p60}};
    CHECK_THROWS_WITH(train::require_memory(parts, "a test of length 9"),
                      Contains("memory for a test of length 9") &&
                          Contains("it needs 1610612736 GiB (activations 1073741824 GiB, tables 536870912 GiB)") &&
                          Contains("GiB are available"));
    CHECK_THROWS_AS(train::require_memory(parts, "a test"), core::MissingError);
}

TEST_CASE("a limit of the address space limits the available memory") {
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

TEST_CASE(
    "a training needs memory for four times its parameters, and a workspace that grows with length, layers and "
    "threads") {
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

TEST_CASE("several workspaces have the parts of one, multiplied, and empty parts are left out") {
    model::Footprint footprint;
    footprint.activations = 1;
    footprint.packed = 30;
    const std::vector<train::MemoryPart> parts = train::parts_of(footprint, 3);
    REQUIRE(parts.size() == 2);
    CHECK((parts[0].name == "activations" && parts[0].bytes == 3));
    CHECK((parts[1].name == "packed weights" && parts[1].bytes == 90));
    footprint.tables = 5;
    footprint.gradients = 7;
    CHECK(train::parts_of(footprint).size() == 4);
    CHECK(train::total_bytes(train::parts_of(footprint)) == 1 + 30 + 5 + 7);
    CHECK(train::total_bytes(train::parts_of(footprint, 2)) == 2 * (1 + 30 + 5 + 7));
}

TEST_CASE("a training that accumulates batches needs the memory of such a step, any other that of a plain step") {
    // So many parameters that the gradients of a batch's four groups are not all kept, which is when the two differ.
    train::Training training = training_of(2, 448, 16);
    training.accumulate = 2;
    const double accumulated = train::total_bytes(train::parts_of(training, 2));
    training.accumulate = 1;
    CHECK(accumulated > train::total_bytes(train::parts_of(training, 2)));
    for (const std::size_t accumulate : {1, 2, 3}) {
        training.accumulate = accumulate;
        const model::Footprint footprint = model::footprint(
            training.config, training.scheme, accumulate == 1 ? model::Work::step : model::Work::accumulated_step,
            {training.batch, training.config.train_length, 2});
        CHECK(train::total_bytes(train::parts_of(training, 2)) ==
              train::total_bytes(train::parts_of(footprint)) + 4 * static_cast<double>(footprint.parameters));
        CHECK(train::parts_of(training, 2).back().bytes == 4 * static_cast<double>(footprint.parameters));
    }
}

TEST_CASE("parts below a hundredth of the needed memory are not named") {
    CHECK_THROWS_WITH(train::require_memory({{"all", 0x1p60}, {"small", 0x1p60 / 200}}, "a test"),
                      Contains("(all 1073741824 GiB)"));
    CHECK_THROWS_WITH(train::require_memory({{"all", 0x1p60}, {"small", 0x1p60 / 50}}, "a test"), Contains("small"));
}

TEST_CASE("the peak of this process is at least its current memory") {
    double before = 0, peak = 0;
    do {  // until reading it does not raise it
        before = status_bytes("VmHWM:");
        peak = train::peak_bytes();
    } while (before != status_bytes("VmHWM:"));
    CHECK(peak == before);
    CHECK(peak > 1e6);
}
