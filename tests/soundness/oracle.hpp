// What Arb says of a question's answer, at 200 digits: whether it proves the opposite.
#pragma once

#include <farfield/core/table.hpp>
#include <farfield/quantity/safe_length.hpp>
#include <optional>
#include <string>
#include <vector>

#include "recheck/format.hpp"
#include "soundness/generator.hpp"

namespace farfield::soundness {

/// A certified answer that is disproved: why, and a condition of a claim that holds by it and is false.
struct Wrong {
    std::string why;
    std::string holds;
    bool is_suspect = false;  ///< not disproved, but nothing was found that speaks for it
};

/// What came of a question.
struct Outcome {
    bool is_certified = false;
    std::optional<Wrong> wrong;
};

/// Points of the domain: all of a grid, of reals its ends, those at which formulas turn, jump or have no value, and
/// random ones.
using Point = recheck::Evaluator::Box;
std::vector<Point> points_of(const Question& question, Random& random);

Outcome judge_result(const Question& question, const core::Result& result, Random& random);
/// A length that is safe in the question's format, and whether one token more is not.
Outcome judge_safe_length(const Question& question, const quantity::SafeLength& safe, Random& random);
/// `holds` as a certified verdict has it.
Outcome judge_condition(const Question& question, bool holds);

}  // namespace farfield::soundness
