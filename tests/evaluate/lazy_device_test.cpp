// A device that is opened when there is work for it.
#include <catch2/catch.hpp>

#include <farfield/core/error.hpp>
#include <farfield/evaluate/array.hpp>
#include <farfield/formula/parser.hpp>

#include "evaluate/host_device.hpp"

using namespace farfield;
using namespace farfield::evaluate;
using namespace farfield::tests;

TEST_CASE("a device is opened once, by the first work that is large enough, and then does it") {
    Machine machine;
    int opened = 0;
    const auto device = open_when_needed(
        [&] {
            ++opened;
            return interpreting_device(machine, 1);
        },
        100);
    CHECK(device->name() == "cpu");
    CHECK(device->fewest_points() == 100);
    CHECK_FALSE(device->takes(99));
    CHECK(device->done().evaluations == 0);
    const formula::Program program = formula::compile(formula::parse("n*n"), {{}, {"n"}, {}});
    const auto squares = [&](std::size_t points) {
        const OnDevice scope(device.get());
        return evaluate_array(program, {}, {Array(Range{0, 1, points})}, points);
    };
    std::vector<double> result(99);
    CHECK_FALSE(evaluated_there(*device, program, {{}, {Range{0, 1, 99}}, {}, 99}, {}, result));
    CHECK_FALSE(squares(99).is_on_device());
    CHECK_FALSE(device->operate(99, [](Workplace&) { FAIL("it is too little"); }));
    CHECK(opened == 0);
    CHECK(device->takes(100));
    CHECK(opened == 1);
    const Array found = squares(100);
    CHECK(found.is_on_device());
    CHECK(found[99] == 99 * 99);
    result.resize(100);
    CHECK(evaluated_there(*device, program, {{}, {Range{0, 1, 100}}, {}, 100}, {}, result));
    CHECK(result[7] == 49);
    bool is_done = false;
    CHECK(device->operate(100, [&](Workplace&) { is_done = true; }));
    CHECK(is_done);
    CHECK(opened == 1);
    CHECK(device->name() == "cuda: host, sm_90");
    CHECK(device->done().evaluations == 2);
}

TEST_CASE("where no device can be opened it is asked for once, and all work stays with the processor") {
    int asked = 0;
    const auto device = open_when_needed(
        [&]() -> std::unique_ptr<Device> {
            ++asked;
            throw core::MissingError("a device", "none is there", "");
        },
        10);
    for (int time = 0; time < 2; ++time) CHECK_FALSE(device->takes(1000));
    CHECK(asked == 1);
    CHECK(device->name() == "cpu");
    CHECK(device->done().evaluations == 0);
    const OnDevice scope(device.get());
    CHECK(OnDevice::current() == device.get());
    const formula::Program program = formula::compile(formula::parse("n*n"), {{}, {"n"}, {}});
    CHECK(evaluate_array(program, {}, {Array(Range{0, 1, 50})}, 50)[7] == 49);
}
