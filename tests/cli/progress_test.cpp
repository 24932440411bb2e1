#include "cli/progress.hpp"

#include <catch2/catch.hpp>

using farfield::cli::Pace;
using farfield::cli::progress_text;
using farfield::cli::SecondsLeft;

TEST_CASE("progress tells the time left if it is known") {
    CHECK(progress_text(3, 0.2, SecondsLeft{12, 12}) == "20%, about 12 s left");
    CHECK(progress_text(3, 0.2, SecondsLeft{10, 20}) == "20%, about 15 s left");
    CHECK(progress_text(3, 0.2, SecondsLeft{12, 120}) == "20%, 12 s to 2 min left");
    CHECK(progress_text(3, 0.2, {}) == "20%");
    CHECK(progress_text(3, 0.00001, {}) == "under 0.01%");
    CHECK(progress_text(3, 0, {}) == "running for 3 s");
    CHECK(progress_text(3, 1, {}) == "100%, nearly done");
}

TEST_CASE("the time left is known after a step of a second, and is a range where the rate varies") {
    Pace pace;
    pace.tell(0, 0);
    pace.tell(0.5, 0.005);
    CHECK_FALSE(pace.left());
    pace.tell(1, 0.01);
    CHECK(pace.left()->least == Approx(99));
    CHECK(pace.left()->most == Approx(99));
    pace.tell(2, 0.02);
    CHECK(pace.left()->least == Approx(98));
    CHECK(pace.left()->most == Approx(98));
    pace.tell(3, 0.4);  // 0.38 a second, 0.4 in three seconds
    CHECK(pace.left()->least == Approx(0.6 / 0.38));
    CHECK(pace.left()->most == Approx(0.6 / (0.4 / 3)));
    pace.tell(8, 0.4);  // no progress: 0.4 in eight seconds until now
    CHECK(pace.left()->least == Approx(0.6 / 0.38));
    CHECK(pace.left()->most == Approx(0.6 / (0.4 / 8)));
    pace.tell(10, 0.5);  // 0.1 in seven seconds, 0.5 in ten
    CHECK(pace.left()->least == Approx(0.5 / 0.05));
    CHECK(pace.left()->most == Approx(0.5 / (0.1 / 7)));
}

TEST_CASE("uneven work that begins slowly does not tell days, and steady work tells its days at once") {
    Pace uneven;
    uneven.tell(0, 0.05);
    uneven.tell(1, 0.0500001);
    CHECK_FALSE(uneven.left());  // 0.95 / 1e-7 s
    uneven.tell(2, 0.06);
    CHECK(uneven.left()->least == Approx(0.94 / 0.0099999));
    CHECK(uneven.left()->most == Approx(0.94 / 0.005));
    Pace steady;
    steady.tell(0, 0);
    steady.tell(1, 1e-6);
    CHECK_FALSE(steady.left());
    steady.tell(2, 2e-6);
    CHECK(steady.left()->most == Approx(1e6));
}

TEST_CASE("work that an earlier run has done does not count for the rate") {
    Pace pace;
    pace.tell(0.1, 0.68);
    pace.tell(1.1, 0.6805);
    pace.tell(2.1, 0.681);
    // 0.0005 a second.
    CHECK(pace.left()->most == Approx(638));
}

TEST_CASE("no time left is told while a growing total makes the share smaller") {
    Pace pace;
    pace.tell(0, 0.5);
    pace.tell(1, 0.4);
    CHECK_FALSE(pace.left());
    pace.tell(2, 0.45);  // 0.05 a second, and less than at the start
    CHECK_FALSE(pace.left());
    pace.tell(3, 0.6);
    CHECK(pace.left()->most == Approx(0.4 / (0.1 / 3)));
}
