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

std::vector<std::string> broken_of_table(const std::string& file, Part part, const std::string& tensor = {}) {
    std::vector<std::string> names;
    for (const Law& law : rotation_laws(tensor::open_tensor(folder + file, tensor), file, part)) {
        if (!law.holds) names.push_back(law.name);
        CHECK(law.holds == law.counterexample.empty());
    }
    return names;
}

TEST_CASE("tables of a rotation turn steadily from where nothing is turned") {
    CHECK(broken_of_table("cos.npy", Part::cosine).empty());
    CHECK(broken_of_table("cos-halves.npy", Part::cosine).empty());
    CHECK(broken_of_table("cos-in-single.npy", Part::cosine).empty());
    CHECK(broken_of_table("turn.npy", Part::turn).empty());
    CHECK(broken_of_table("sin-back.npy", Part::sine).empty());
    CHECK(broken_of_table("rotary-stored.npz", Part::cosine, "cos").empty());
}

TEST_CASE("tables that start later, are longer than 1, or stand apart break a law each") {
    CHECK(broken_of_table("sin-from-1.npy", Part::sine) == Names{"start"});
    CHECK(broken_of_table("cos-sharpened.npy", Part::cosine) == Names{"bounded", "start"});
    CHECK(broken_of_table("cos-scaled.npy", Part::cosine) == Names{"steady"});
    CHECK(broken_of_table("sparse.npz", Part::cosine, "cos") == Names{"steady"});
    CHECK_THROWS_AS(broken_of_table("turn.npy", Part::cosine), core::UserError);
    CHECK_THROWS_AS(broken_of_table("cos.npy", Part::scale), core::UserError);
}

TEST_CASE("laws are of queries and keys") {
    CHECK_THROWS_AS(laws(tensor::open_tensor(folder + "turn.npy"), "turn.npy"), core::UserError);
    CHECK_THROWS_AS(laws(tensor::open_tensor(folder + "cos.npy"), "cos.npy"), core::UserError);
}

}  // namespace
}  // namespace farfield::compare
