// What identifies a training, and what it takes.
#include "train/train_support.hpp"

using namespace farfield;
using namespace farfield::train;
using namespace train_support;

TEST_CASE("a training needs six operations for each weight and token, and those of attention") {
    // A layer of width 16 has 4 16^2 weights in its attention and 2 16 64 in its network; the head has 16 8. Scores and
    // sums of values: 16 16 a token and layer, of which a causal mask leaves half, twice.
    const Training training = small("alibi", 40);
    const double weights = 2 * (4 * 16 * 16 + 2 * 16 * 64) + 16 * 8;
    CHECK(operations_of(training) == 6 * (weights + 2 * 16 * 16) * 16 * 4 * 40);
    // A forward pass over 32 tokens, whose attention is twice as long.
    CHECK(operations_of_pass(training.config, 32) == 2 * (weights + 2 * 16 * 32) * 32);
    for (const int doubled : {0, 1, 2}) {
        Training twice = training;
        twice.batch *= doubled == 0 ? 2 : 1;
        twice.accumulate *= doubled == 1 ? 2 : 1;
        twice.schedule.steps *= doubled == 2 ? 2 : 1;
        CHECK(operations_of(twice) == 2 * operations_of(training));
    }
}

TEST_CASE("a checkpoint is named by its training's key, in a folder of the key's first two letters") {
    const Training training = small();
    const std::string key = key_of(training);
    CHECK(key.size() == 64);
    CHECK(checkpoint_path("cache", training) == "cache/models/" + key.substr(0, 2) + "/" + key + ".safetensors");
    CHECK(unfinished_path("cache", training) ==
          "cache/models/" + key.substr(0, 2) + "/" + key + ".unfinished.safetensors");
    CHECK(keys_of(training, {3, 4}) == std::vector<std::string>{key, [&] {
                                                                    Training other = training;
                                                                    other.seed = 4;
                                                                    return key_of(other);
                                                                }()});
}

TEST_CASE(
    "a condition on lengths that holds in training does not change the key, and a piece whose condition fails does not "
    "either") {
    const auto key_of_mask = [](const std::string& mask) {
        Training training = small();
        training.scheme = scheme_of("extends = 'alibi'" + (mask.empty() ? "" : "\nmask = " + mask));
        return key_of(training);
    };
    CHECK(key_of_mask("{ formula = 'n < 4', when = 'L >= Ltr' }") == key_of_mask("'n < 4'"));
    CHECK(key_of_mask("{ formula = 'n < 4', when = 'L > Ltr' }") == key_of_mask(""));
    CHECK(key_of_mask("'n < 4'") != key_of_mask(""));
    CHECK(key_of_mask("{ formula = 'n < 4', when = 'h > 1' }") != key_of_mask("'n < 4'"));
}
