#include <farfield/core/pulse.hpp>

#include <catch2/catch.hpp>

#include <memory>

using namespace farfield::core;

TEST_CASE("each step is counted once by the pulse of its thread") {
    const auto pulse = std::make_shared<Pulse>();
    StepCounter counter;
    counter.add(1U << 14U);  // for no pulse
    {
        const PulseScope scope(pulse);
        counter.add((1U << 14U) - 1);
        CHECK(pulse->steps() == 0);  // a beat is 2^14 steps
        counter.add(2);
        CHECK(pulse->steps() == (1 << 14) + 1);
        counter.add(1U << 14U);
        CHECK(pulse->steps() == (1 << 15) + 1);
        const auto inner = std::make_shared<Pulse>();
        {
            const PulseScope nested(inner);
            counter.add(1U << 14U);
            CHECK(inner->steps() == 1 << 14);
        }
        CHECK(PulseScope::current() == pulse);
    }
    CHECK(PulseScope::current() == nullptr);
    counter.add(1U << 14U);
    CHECK(pulse->steps() == (1 << 15) + 1);
}

TEST_CASE("a stopped pulse ends the computation at its next beat") {
    const auto pulse = std::make_shared<Pulse>();
    const PulseScope scope(pulse);
    StepCounter counter;
    CHECK_NOTHROW(counter.add(1U << 14U));
    pulse->stop();
    CHECK_NOTHROW(counter.add(1));
    CHECK_THROWS_AS(counter.add(1U << 14U), Stopped);
}
