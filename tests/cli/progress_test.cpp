#include "cli/progress.hpp"

#include <catch2/catch.hpp>

using farfield::cli::Pace;
using farfield::cli::progress_text;

TEST_CASE("progress tells the time left if it is known") {
    CHECK(progress_text(3, 0.2, 12.0) == "20%, about 12 s left");
    CHECK(progress_text(3, 0.2, {}) == "20%");
    CHECK(progress_text(3, 0.00001, {}) == "under 0.01%");
    CHECK(progress_text(3, 0, {}) == "running for 3 s");
    CHECK(progress_text(3, 1, {}) == "100%, nearly done");
}

TEST_CASE("the time left is known after two steps of a second at about the mean rate") {
    Pace pace;
    pace.tell(0, 0);
    pace.tell(0.5, 0.005);
    pace.tell(1, 0.01);
    CHECK_FALSE(pace.left());
    pace.tell(2, 0.02);
    CHECK(*pace.left() == Approx(98));
    pace.tell(3, 0.4);  // much faster than before
    CHECK_FALSE(pace.left());
    pace.tell(4, 0.41);  // much slower
    CHECK_FALSE(pace.left());
    pace.tell(5, 0.5);
    CHECK(*pace.left() == Approx(5));
    pace.tell(7, 0.5);
    CHECK(pace.left());
    pace.tell(7.1, 0.5);  // no progress for longer than two seconds
    CHECK_FALSE(pace.left());
}

TEST_CASE("work that an earlier run has done does not count for the rate") {
    Pace pace;
    pace.tell(0.1, 0.68);
    pace.tell(1.1, 0.6805);
    pace.tell(2.1, 0.681);
    // 0.0005 a second.
    CHECK(*pace.left() == Approx(638));
}
