// Samples that a quantity is given: numbers of the study, or what other quantities found.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <farfield/quantity/kind.hpp>

namespace farfield::quantity {

/// A number of a sample and where it is from: "ppl[w=8].delta[256]", or "3" for the third of a list.
struct Observation {
    std::string name;
    core::Cell cell;
};

/// Where a sample comes from: a list of numbers (texts stand for their rounding interval); the name of a quantity, for
/// its series; `{ of, row }` or `{ of, column }` of a table; `{ of, value }` of one or several quantities, a swept name
/// standing for all its items; `{ of, seeds }`, a value of each seed.
class SampleSource {
public:
    /// Reads the settings' `key`; adds problems of its meaning.
    SampleSource(const Declaration& declaration, std::string_view key, core::Problems& problems);

    const core::Place& place() const { return place_; }
    /// Whether both are one sample by what is written.
    bool is_same(const SampleSource& other) const;
    /// Whether it is a list of numbers that are all the same.
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

/// The observations' cells as intervals would lose their names; a list of the numbers alone.
std::vector<double> numbers_of(const std::vector<Observation>& observations);

}  // namespace farfield::quantity
