// What the judges of the oracle share: cells against numbers of Arb, and a formula at points and on boxes.
#pragma once

#include <farfield/core/record.hpp>
#include <functional>
#include <string>
#include <vector>

#include "soundness/oracle.hpp"

namespace farfield::soundness {

bool is_certified(const core::Cell* cell);

/// Whether the value is certainly below / above the cell's true value.
bool is_below(const recheck::Number& value, const core::Cell& cell);
bool is_above(const recheck::Number& value, const core::Cell& cell);

std::string decimal(double value);
/// The condition that the cell is where its enclosure says, as a claim asks it.
std::string within(const std::string& name, const core::Cell& cell);

std::string show(const recheck::Number& number);
std::string show(const Point& point);

/// No real number at the point, for certain.
bool has_no_value(const recheck::Number& value);

/// A formula at points and on boxes; "maybe" and unknown where the oracle can say nothing.
class Formula {
public:
    explicit Formula(const std::string& text) : tree_(recheck::parse_tree(text)) {}

    recheck::Number at(const Point& point);
    /// Of a condition.
    recheck::Truth truth(const Point& point);
    const recheck::Node& tree() const { return tree_; }

private:
    recheck::Node tree_;
    recheck::Evaluator evaluator_;
};

/// Whether a part of a condition that is computed in any case certainly has no real value.
bool lacks_value(const recheck::Node& tree, recheck::Evaluator& evaluator, const Point& point);

Outcome wrong(std::string why, std::string holds, bool is_suspect = false);

/// The cell names the first point of the grid at which something happens. If the points are a sample (`are_all` false),
/// it may happen between them.
Outcome judge_first(const std::string& name, const core::Cell* cell, const std::vector<Point>& points,
                    const std::function<recheck::Truth(std::size_t)>& happens, bool are_all = true);

/// min and max of a formula over a domain.
Outcome judge_extremum(const Question& question, const core::Result& result, Random& random);
/// An integral over an interval.
Outcome judge_integral(const Question& question, const core::Result& result);
/// What a curve's summary says, and its steps.
Outcome judge_curve(const Question& question, const core::Result& result, Random& random);
Outcome judge_oscillation(const Question& question, const core::Result& result, Random& random);
/// How often, where first and where last a formula goes from one side of zero to the other.
Outcome judge_crossing(const Question& question, const core::Result& result, Random& random);
/// The best value where a condition holds.
Outcome judge_optimum(const Question& question, const core::Result& result, Random& random);
/// How far a formula computed in a format can be from its real value.
Outcome judge_fit(const Question& question, const core::Result& result, Random& random);
Outcome judge_rounding_error(const Question& question, const core::Result& result, Random& random);
/// How many inputs reach the last output.
Outcome judge_receptive_field(const Question& question, const core::Result& result);
/// How well weights tell a distance from the next.
Outcome judge_resolution(const Question& question, const core::Result& result);
/// What a format does to a logit.
Outcome judge_logit_error(const Question& question, const core::Result& result);
/// Attention by distance.
Outcome judge_profile(const Question& question, const core::Result& result);
/// Scores of equal contents by distance.
Outcome judge_expectation(const Question& question, const core::Result& result);
/// The verdict of a claim about several results, and for which thresholds it stays.
Outcome judge_study(const Question& question, const core::ClaimRecord& claim, Random& random);
/// Where a condition holds.
Outcome judge_feasible(const Question& question, const core::Result& result, Random& random);

}  // namespace farfield::soundness
