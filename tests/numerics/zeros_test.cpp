#include "numerics/zeros.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace farfield;

// Below, at and above the size from which large pages are asked for (2 MiB), and over several of them.
TEST_CASE("an array of zeros is zero, whatever its length") {
    for (const std::size_t count : {0u, 1u, 262'143u, 262'144u, 262'145u, 1'000'000u}) {
        const std::vector<double> values = numerics::zeros(count);
        REQUIRE(values.size() == count);
        CHECK(std::all_of(values.begin(), values.end(), [](double x) { return x == 0; }));
    }
}

TEST_CASE("arrays of zeros are separate: writing to one does not change the next") {
    std::vector<double> first = numerics::zeros(1'000'000);
    std::fill(first.begin(), first.end(), 1.0);
    first.clear();
    first.shrink_to_fit();
    const std::vector<double> second = numerics::zeros(1'000'000);
    CHECK(std::count(second.begin(), second.end(), 0.0) == 1'000'000);
}
