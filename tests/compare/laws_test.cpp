// Laws on the tensors of tests/references/compare/tensors.py.
#include <catch2/catch.hpp>

#include <cmath>
#include <farfield/compare/laws.hpp>
#include <farfield/core/diagnostic.hpp>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/schemes.hpp"

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

TEST_CASE(
    "a bias by the key alone is not relative, but keeps translation, because it differs by a constant for each row") {
    CHECK(broken("alibi-keys.npy") == Names{"causal", "relative"});
}

TEST_CASE("noise breaks relative and translation") {
    CHECK(broken("alibi-noise.npy") == Names{"causal", "relative", "translation"});
}

TEST_CASE("a window of booleans obeys every law; inverted, it is not causal") {
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

TEST_CASE("tables of a rotation start without rotation and have steady angles") {
    CHECK(broken_of_table("cos.npy", Part::cosine).empty());
    CHECK(broken_of_table("cos-halves.npy", Part::cosine).empty());
    CHECK(broken_of_table("cos-in-single.npy", Part::cosine).empty());
    CHECK(broken_of_table("turn.npy", Part::turn).empty());
    CHECK(broken_of_table("sin-back.npy", Part::sine).empty());
    CHECK(broken_of_table("rotary-stored.npz", Part::cosine, "cos").empty());
}

TEST_CASE("tables that start later, exceed 1 or skip positions break laws") {
    CHECK(broken_of_table("sin-from-1.npy", Part::sine) == Names{"start"});
    CHECK(broken_of_table("cos-sharpened.npy", Part::cosine) == Names{"bounded", "start"});
    CHECK(broken_of_table("cos-scaled.npy", Part::cosine) == Names{"steady"});
    CHECK(broken_of_table("sparse.npz", Part::cosine, "cos") == Names{"steady"});
    CHECK_THROWS_AS(broken_of_table("turn.npy", Part::cosine), core::UserError);
    CHECK_THROWS_AS(broken_of_table("cos.npy", Part::scale), core::UserError);
}

/// The laws that fail for one column of ones but for `numbers` at the end.
template <class Number>
Names broken_after_ones(std::size_t ones, std::vector<Number> numbers) {
    numbers.insert(numbers.begin(), ones, Number{1});
    Names names;
    for (const Law& law : rotation_laws(tensor_of({numbers.size(), 1}, numbers), "array", Part::cosine))
        if (!law.holds) names.push_back(law.name);
    return names;
}

TEST_CASE("errors of a rotation's table are those of two units and of eight roundings of its angles") {
    // The test changes the last number, at position `last`. The documented bound is eight times the sum of two units
    // (the spacing at 1) and of eight roundings of half a unit for each radian of an angle, here up to `last` radians.
    // The spacing below 1 is half a unit.
    const auto check = [](auto number) {
        using Number = decltype(number);
        const Number unit = std::numeric_limits<Number>::epsilon();
        for (const int last : {3, 4, 9}) {
            const auto ones = static_cast<std::size_t>(last);
            const auto allowed = static_cast<Number>(8 * (2 + 4 * last));
            CHECK(broken_after_ones<Number>(ones, {1 - allowed * unit}).empty());
            CHECK(broken_after_ones<Number>(ones, {1 - (allowed + Number{0.5}) * unit}) == Names{"steady"});
        }
        CHECK(broken_after_ones<Number>(3, {1 + 2 * unit}).empty());
        CHECK(broken_after_ones<Number>(3, {1 + 3 * unit}) == Names{"bounded"});
        std::vector<Number> from_start(4, Number{1});
        from_start[0] = 1 - 2 * unit;
        CHECK(broken_after_ones<Number>(0, from_start).empty());
        from_start[0] = 1 - Number{2.5} * unit;
        CHECK(broken_after_ones<Number>(0, from_start) == Names{"start"});
    };
    check(float());
    check(double());
}

TEST_CASE("the laws of rotations are checked if the part, the name or complex numbers indicate one") {
    const auto first_law_but_finite = [](const tensor::Tensor& tensor, std::optional<Part> part) {
        return laws_of(tensor, "array", part).at(1).name;
    };
    const std::vector<double> numbers(9, 1.0);
    const tensor::Tensor plain = tensor_of({3, 3}, numbers);
    const tensor::Tensor named = tensor::tensor_in_memory({"cos", tensor::ElementType::float64, {3, 3}},
                                                          std::as_bytes(std::span(numbers)), nullptr, "array");
    const tensor::Tensor turn = tensor::open_tensor(folder + "turn.npy");
    CHECK(first_law_but_finite(plain, {}) == "causal");
    CHECK(first_law_but_finite(plain, Part::bias) == "causal");
    CHECK(first_law_but_finite(plain, Part::mask) == "causal");
    CHECK(first_law_but_finite(plain, Part::cosine) == "bounded");
    CHECK(first_law_but_finite(named, {}) == "bounded");
    CHECK(first_law_but_finite(named, Part::bias) == "causal");
    CHECK(first_law_but_finite(turn, {}) == "bounded");
}

/// The laws that fail for numbers of queries and keys, from a function of both.
template <class Number>
Names broken_of(std::size_t length, Number (*number)(std::size_t, std::size_t), std::optional<Part> part = {}) {
    std::vector<Number> numbers;
    for (std::size_t q = 0; q < length; ++q)
        for (std::size_t k = 0; k < length; ++k) numbers.push_back(number(q, k));
    Names names;
    for (const Law& law : laws(tensor_of({length, length}, numbers), "array", part))
        if (!law.holds) names.push_back(law.name);
    return names;
}

TEST_CASE("differences within the tolerance from row to row add up") {
    constexpr float hidden = -std::numeric_limits<float>::infinity();
    // Neighbours differ by two units in the last place, rows 256 apart by 512.
    CHECK(broken_of<float>(256, [](std::size_t q, std::size_t k) {
              return k > q ? hidden : 1 + static_cast<float>(q + k) * 0x1p-23F;
          }) == Names{"relative"});
    // The step from key to key grows by a unit from row to row.
    CHECK(broken_of<float>(256, [](std::size_t q, std::size_t k) {
              return k > q ? hidden : 1 + static_cast<float>(k * k / 2) * 0x1p-23F;
          }) == Names{"relative", "translation"});
    // The step of the angle grows by 2e-6 from position to position: 16.8 radians too far at position 4095.
    std::vector<float> numbers;
    for (int p = 0; p < 4096; ++p) numbers.push_back(static_cast<float>(std::cos(0.1 * p + 1e-6 * p * p)));
    Names names;
    for (const Law& law : rotation_laws(tensor_of({numbers.size(), 1}, numbers), "array", Part::cosine))
        if (!law.holds) names.push_back(law.name);
    CHECK(names == Names{"steady"});
}

TEST_CASE("a mask of numbers is one of booleans if the part says so") {
    const auto causal = [](std::size_t q, std::size_t k) { return k <= q ? 1.0F : 0.0F; };
    CHECK(broken_of<float>(8, causal, Part::mask) == Names{"order"});
    CHECK(broken_of<float>(8, causal) == Names{"causal", "order"});
    const auto added = [](std::size_t q, std::size_t k) { return k <= q ? 0.0F : -1e9F; };
    CHECK(broken_of<float>(8, added, Part::mask) == Names{"order"});
}

TEST_CASE("laws need an axis of queries and one of keys") {
    CHECK_THROWS_AS(laws(tensor::open_tensor(folder + "turn.npy"), "turn.npy"), core::UserError);
    CHECK_THROWS_AS(laws(tensor::open_tensor(folder + "cos.npy"), "cos.npy"), core::UserError);
}

}  // namespace
}  // namespace farfield::compare
