#include <sched.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <farfield/numerics/processors.hpp>
#include <filesystem>
#include <string>
#include <thread>

using namespace farfield;

TEST_CASE("the default is the number of processors that the process may use, or OMP_NUM_THREADS") {
    cpu_set_t allowed;
    REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    const char* const given = std::getenv("OMP_NUM_THREADS");
    const long wanted = given ? std::strtol(given, nullptr, 10) : 0;
    CHECK(numerics::processors() == static_cast<std::size_t>(wanted > 0 ? wanted : CPU_COUNT(&allowed)));
}

TEST_CASE("the default follows the affinity and the environment of another process") {
    // The case above, in processes of their own.
    const std::string program = std::filesystem::read_symlink("/proc/self/exe");
    if (std::system(("'" + program + "' --help >/dev/null 2>&1").c_str()) != 0) {
        WARN("skipped: this program runs in an emulator, and the system cannot run it directly");
        return;
    }
    cpu_set_t allowed;
    REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    int first = 0;
    while (!CPU_ISSET(first, &allowed)) ++first;
    const std::string on_one = "taskset -c " + std::to_string(first);
    for (const std::string& surroundings :
         {"env -u OMP_NUM_THREADS " + on_one, "env OMP_NUM_THREADS=0 " + on_one, std::string("env OMP_NUM_THREADS=-2"),
          std::string("env OMP_NUM_THREADS=3"), std::string("env OMP_NUM_THREADS=5,2")}) {
        INFO(surroundings);
        const std::string command = surroundings + " '" + program + "' 'the default is the number*'";
        CHECK(std::system((command + " | grep -q 'All tests passed (2 assertions'").c_str()) == 0);
    }
}

TEST_CASE("a number that is set applies to the process, and a share to its thread while it exists") {
    const std::size_t usual = numerics::processors();
    for (const std::size_t none_or_one : {0, 1}) {
        numerics::set_processors(none_or_one);
        CHECK(numerics::processors() == 1);
    }
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
