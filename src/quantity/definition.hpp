// What holds of a quantity's fields by its definition: its arguments lie in its domain, its first value is that of its
// first point.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/quantity/kind.hpp>

#include "numerics/progression.hpp"
#include "quantity/boxes.hpp"
#include "quantity/curve_input.hpp"

namespace farfield::quantity {

/// What a declaration alone, before anything is computed, says of a result.
struct Definition {
    std::vector<std::string> facts;               ///< comparisons of fields, as in Kind::facts
    std::optional<numerics::Progression> points;  ///< of the variable of the result's series, if they are known
    bool has_infinity = false;                    ///< values of the series may be infinite
};

/// The points of a curve, restricted to limits. Nothing if they are not known before it is computed.
std::optional<numerics::Progression> points_of(const Of& of, const std::optional<Limits>& limits,
                                               const DefinitionOf& definition_of);
std::optional<numerics::Progression> points_of(const CurveInput& input, const DefinitionOf& definition_of);

/// States that the field is between two numbers.
void state_between(std::string_view field, const numerics::Rational& lo, const numerics::Rational& hi, Definition& own);

/// States that the field is one of the points, or between the first and the last of them.
void state_within(std::string_view field, const numerics::Progression& points, Definition& own);

/// States for each field that it lies in the domain; over several variables, that FIELD_x does for each variable x.
void state_within(const std::vector<std::string_view>& fields, const Domain& domain, Definition& own);

/// States it of FIELD_x for each variable x, also for a single one.
void state_within_each(std::string_view field, const Domain& domain, Definition& own);

/// States that the field is this number.
void state_equal(std::string_view field, const numerics::Rational& value, Definition& own);

/// States that the fields, which are integers, are at most `most`.
void state_at_most(const std::vector<std::string_view>& fields, const numerics::Rational& most, Definition& own);

/// States that the fields may be infinite.
void state_infinite(const std::vector<std::string_view>& fields, Definition& own);

/// States for a series of this formula that its values may be infinite, if the formula contains inf: no other infinity
/// of double arithmetic counts as a value.
void state_infinity_of(const formula::Node& tree, Definition& own);
/// The same for a formula in a number system. Those that round may overflow.
void state_infinity_of(const Tabulation& tabulation, Definition& own);

/// States what summarise() sets for a curve over these points: where argmin and argmax lie, that min and max are their
/// rows, which rows first and last are, and if the series may be infinite, that the extremes may be.
void state_summary(const numerics::Progression& points, Definition& own);

/// States that the fields of summarise() are those of another quantity, whose curve, restricted to the limits, they
/// summarise.
void state_summary_of(const Of& of, const std::optional<Limits>& limits, const DefinitionOf& definition_of,
                      Definition& own);

}  // namespace farfield::quantity
