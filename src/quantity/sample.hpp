// Samples as inputs of a quantity: numbers of the study, or results of other quantities.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <farfield/quantity/kind.hpp>

#include "numerics/rational.hpp"

namespace farfield::quantity {

/// A number of a sample.
struct Observation {
    std::string name;  ///< "ppl[w=8].delta[256]", or "3" for the third of a list
    core::Cell cell;
    std::vector<std::pair<std::string, std::string>> origin = {};  ///< facts for the evidence
    std::optional<numerics::Rational> exact = {};                  ///< of a typed decimal
};

/// The number, if it is known exactly: as a decimal, as a rational, or as one double.
std::optional<numerics::Rational> exact_value(const Observation& observation);
/// Whether all numbers are known exactly and are equal; paired with others, whether their differences are.
bool is_constant(const std::vector<Observation>& sample);
bool has_constant_difference(const std::vector<Observation>& a, const std::vector<Observation>& b);

/// The source of a sample: a list of numbers (a text means its rounding interval); the name of a quantity, for its
/// series; `{ of, row }` or `{ of, column }` of a table; `{ of, value }` of one or several quantities, where a swept
/// name means all its items; `{ of, seeds }`, one value for each seed.
class SampleSource {
public:
    /// Reads the settings' `key`; reports problems of its meaning.
    SampleSource(const Declaration& declaration, std::string_view key, core::Problems& problems);

    const core::Place& place() const { return place_; }
    /// Whether both are the same sample according to their text.
    bool is_same(const SampleSource& other) const;
    /// Whether it is a list of equal numbers.
    bool is_constant() const;
    /// The quantities that it reads.
    const std::vector<std::string>& needs() const { return of_; }
    /// Throws core::UserError at the place if a result lacks the part, or a number is missing or not finite.
    std::vector<Observation> observe(const Inputs& inputs) const;

private:
    enum class Part { series, row, column, value, seeds };

    void read_list(const core::List& list, core::Problems& problems);
    void read_part(const core::Entries& table, const Declaration& declaration, core::Problems& problems);
    void read_names(const core::Value& value, const Declaration& declaration, core::Problems& problems);
    void add_part(const core::Result& result, std::string_view of, std::vector<Observation>& found) const;
    [[noreturn]] void refuse(std::string found, std::string wanted) const;

    core::Place place_;
    std::vector<Observation> given_;
    std::vector<std::string> of_;
    Part part_ = Part::series;
    std::string part_name_;
};

/// States the origin of each number: "x.0" of a decimal, "x.1.printed" of a printed number; of other quantities
/// "x.2.of" with "x.2.value", "x.2.column" and "x.2.point", or "x.2.row" and "x.2.column". Nothing for more than 1000
/// numbers.
void state_origins(core::Evidence& evidence, const std::string& key, const std::vector<Observation>& observations);

/// The numbers of the observations, without their names.
std::vector<double> numbers_of(const std::vector<Observation>& observations);

}  // namespace farfield::quantity
