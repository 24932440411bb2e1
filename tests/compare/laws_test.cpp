// Laws on the tensors of tests/references/compare/tensors.py.
#include <catch2/catch.hpp>

#include <farfield/compare/laws.hpp>
#include <farfield/core/diagnostic.hpp>
#include <string>
#include <vector>

namespace farfield::compare {
namespace {

const std::string folder = FARFIELD_SOURCE "/tests/references/compare/tensors/";

/// The laws that fail.
std::vector<std::string> broken(const std::string& file) {
    std::vector<std::string> names;
    for (const Law& law : laws(tensor::open_tensor(folder + file), file)) {
        if (!law.holds) names.push_back(law.name);
        CHECK(law.holds == law.counterexample.empty());
        CHECK_FALSE(law.meaning.empty());
    }
    return names;
}

using Names = std::vector<std::string>;

TEST_CASE("a masked ALiBi obeys every law") {
    CHECK(broken("alibi-masked.npy").empty());
}

TEST_CASE("without a mask it is not causal, transposed neither") {
    CHECK(broken("alibi.npy") == Names{"causal"});
    CHECK(broken("alibi-transposed.npy") == Names{"causal"});
}

TEST_CASE("a bias of the key alone is not relative, but a softmax does not see that") {
    CHECK(broken("alibi-keys.npy") == Names{"causal", "relative"});
}

TEST_CASE("noise breaks relative and translation") {
    CHECK(broken("alibi-noise.npy") == Names{"causal", "relative", "translation"});
}

TEST_CASE("a window of booleans is relative and knows an order; inverted it is not causal") {
    CHECK(broken("window.npy").empty());
    CHECK(broken("window-inverted.npy") == Names{"causal"});
}

TEST_CASE("one number and two places make a counterexample") {
    for (const Law& law : laws(tensor::open_tensor(folder + "alibi-keys.npy"), "alibi-keys.npy")) {
        // Head 1 of 6 has the slope 1/4 by the public rule, at every key alike.
        if (law.name == "relative") CHECK(law.counterexample == "0.25 at [0, 1, 1], 0 at [0, 0, 0]");
        if (law.name == "causal") CHECK(law.counterexample == "0.25 at [0, 0, 1]");
    }
}

TEST_CASE("laws are of queries and keys") {
    CHECK_THROWS_AS(laws(tensor::open_tensor(folder + "turn.npy"), "turn.npy"), core::UserError);
    CHECK_THROWS_AS(laws(tensor::open_tensor(folder + "cos.npy"), "cos.npy"), core::UserError);
}

}  // namespace
}  // namespace farfield::compare
