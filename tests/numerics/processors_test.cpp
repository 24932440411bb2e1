#include <sched.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <farfield/numerics/processors.hpp>
#include <thread>

using namespace farfield;

TEST_CASE("the default is what the process may run on, or OMP_NUM_THREADS") {
    cpu_set_t allowed;
    REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    const char* const given = std::getenv("OMP_NUM_THREADS");
    const auto expected = given ? std::strtoul(given, nullptr, 10) : static_cast<unsigned long>(CPU_COUNT(&allowed));
    CHECK(numerics::processors() == expected);
}

TEST_CASE("a number that is set holds for the process, and a share for its thread while it lives") {
    const std::size_t usual = numerics::processors();
    numerics::set_processors(3);
    CHECK(numerics::processors() == 3);
    CHECK(numerics::loop_threads() == 3);
    {
        const numerics::ThreadShare smaller(0);  // a share of none is one
        CHECK(numerics::loop_threads() == 1);
        CHECK(numerics::processors() == 3);
        std::thread([] { CHECK(numerics::loop_threads() == 3); }).join();
        const numerics::ThreadShare larger(7);
        CHECK(numerics::loop_threads() == 7);
    }
    CHECK(numerics::loop_threads() == 3);
    numerics::set_processors(usual);
    CHECK(numerics::processors() == usual);
    CHECK(numerics::loop_threads() == usual);
}
