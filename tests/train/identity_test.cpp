// What identifies a training, and what it takes.
#include "train/training_support.hpp"

using namespace farfield;
using namespace farfield::train;
using namespace farfield::tests;

TEST_CASE("a training takes six operations a weight and token, and the attention's") {
    // A layer of width 16 has 4 16^2 weights in its attention and 2 16 64 in its network; the head has 16 8. Scores and
    // sums of values: 16 16 a token and layer, of which a causal mask leaves half, twice.
    const Training training = small("alibi", 40);
    const double weights = 2 * (4 * 16 * 16 + 2 * 16 * 64) + 16 * 8;
    CHECK(operations_of(training) == 6 * (weights + 2 * 16 * 16) * 16 * 4 * 40);
    for (const int doubled : {0, 1, 2}) {
        Training twice = training;
        twice.batch *= doubled == 0 ? 2 : 1;
        twice.accumulate *= doubled == 1 ? 2 : 1;
        twice.schedule.steps *= doubled == 2 ? 2 : 1;
        CHECK(operations_of(twice) == 2 * operations_of(training));
    }
}
