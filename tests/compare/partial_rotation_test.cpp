// Vectors of which the scheme turns a part, far out: partial.npz of tests/references/compare/tensors.py.
#include <catch2/catch.hpp>

#include <cmath>
#include <farfield/compare/compare.hpp>
#include <farfield/core/diagnostic.hpp>
#include <string>
#include <vector>

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

TEST_CASE("angles of a part of each head that were computed in fp32 are recognized") {
    CHECK(names_of(answer_to("half", "partial")) == "angles-in-fp32 ");
    CHECK(names_of(answer_to("half", "rotary")) == "half-rotated angles-in-fp32 ");
}

TEST_CASE("dimensions that are not rotated must not change, even if large errors of angles are allowed") {
    // At position 60001 an angle may be off by 8 * 2^-24 * 60001 = 0.03; the last number is off by 0.001, and not
    // turned.
    const Answer answer = answer_to("touched", "partial");
    CHECK_FALSE(answer.is_equal);
    CHECK_FALSE(answer.explained);
}

TEST_CASE("halves that are stored as neighbours after the rotation are recognized") {
    // Pairs i and i + 4 of eight dimensions, turned and written to 2i and 2i + 1.
    constexpr std::size_t positions = 6, width = 8, half = 4;
    std::vector<double> before, after(positions * width);
    for (std::size_t at = 0; at < positions * width; ++at) before.push_back(std::sin(static_cast<double>(3 * at + 1)));
    for (std::size_t p = 0; p < positions; ++p)
        for (std::size_t i = 0; i < half; ++i) {
            const double angle = static_cast<double>(p) * std::pow(10000.0, -static_cast<double>(i) / half);
            const double x = before[p * width + i], y = before[p * width + i + half];
            after[p * width + 2 * i] = x * std::cos(angle) - y * std::sin(angle);
            after[p * width + 2 * i + 1] = x * std::sin(angle) + y * std::cos(angle);
        }
    Question question;
    question.scheme = "own";
    question.part = Part::query;
    question.input = tensor_of({positions, width}, before);
    question.most_changes = 1;
    const scheme::Registry schemes =
        with_own("extends = 'rotary'\nrotate = { angle = 'p * base^(-2*i/d)', pairs = 'halves' }\n");
    const Answer answer = compare(tensor_of({positions, width}, after), "array", question, schemes);
    CHECK(names_of(answer) == "output-regrouped ");
}

TEST_CASE("a fraction that does not rotate whole pairs is refused") {
    CHECK_NOTHROW(answer_to("half", "partial", "0.125"));
    CHECK_THROWS_AS(answer_to("half", "partial", "0.1"), core::UserError);
    CHECK_THROWS_AS(answer_to("half", "partial", "0.3125"), core::UserError);
}

}  // namespace
}  // namespace farfield::compare
