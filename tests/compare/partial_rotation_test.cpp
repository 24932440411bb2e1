// Vectors of which the scheme turns a part, far out: partial.npz of tests/references/compare/tensors.py.
#include <catch2/catch.hpp>

#include <farfield/compare/compare.hpp>
#include <farfield/core/diagnostic.hpp>
#include <string>

#include "compare/schemes.hpp"

namespace farfield::compare {
namespace {

const std::string file = FARFIELD_SOURCE "/tests/references/compare/tensors/partial.npz";

Answer answer_to(const std::string& tensor, const std::string& scheme, const std::string& fraction = "0.5") {
    Question question;
    question.scheme = scheme;
    question.part = Part::query;
    question.input = tensor::open_tensor(file, "q");
    question.at = {{"positions", read_values(file, "positions").numbers}};
    return compare(tensor::open_tensor(file, tensor), file, question, with_partial_rotation(fraction));
}

std::string names_of(const Answer& answer) {
    std::string names;
    for (const Variation& each : answer.variations) names += each.name + " ";
    return names;
}

TEST_CASE("angles of a part of each head that were computed in fp32 are known") {
    CHECK(names_of(answer_to("half", "partial")) == "angles-in-fp32 ");
    CHECK(names_of(answer_to("half", "rotary")) == "half-rotated angles-in-fp32 ");
}

TEST_CASE("what is not turned must stay as it is, however far off angles may be") {
    // At position 60001 an angle may be off by 8 * 2^-24 * 60001 = 0.03; the last number is off by 0.001, and not
    // turned.
    const Answer answer = answer_to("touched", "partial");
    CHECK_FALSE(answer.is_equal);
    CHECK_FALSE(answer.explained);
}

TEST_CASE("a fraction that turns no whole pairs is refused") {
    CHECK_NOTHROW(answer_to("half", "partial", "0.125"));
    CHECK_THROWS_AS(answer_to("half", "partial", "0.1"), core::UserError);
    CHECK_THROWS_AS(answer_to("half", "partial", "0.3125"), core::UserError);
}

}  // namespace
}  // namespace farfield::compare
