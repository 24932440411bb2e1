// Recomputes quantities of a results.json from their evidence.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "recheck/number.hpp"
#include "recheck/results.hpp"

namespace farfield::recheck {

/// A recomputed quantity. Throws Unprovable for values that it cannot compute.
class Computed {
public:
    virtual ~Computed() = default;
    /// One of its values.
    virtual Number field(const std::string& name) = 0;
    /// Points of its series; 0 without one.
    virtual long points() { return 0; }
    virtual Rational point(long index);
    virtual Number entry(const std::string& column, long index);
};

/// All quantities of a file, each computed at the first request, at the precision of the thread.
class Recomputation {
public:
    explicit Recomputation(const Results& results) : results_(results) {}
    Recomputation(const Recomputation&) = delete;
    Recomputation& operator=(const Recomputation&) = delete;

    const Quantity& declared(std::string_view name) const;
    const Results& results() const { return results_; }
    Computed& at(std::string_view name);

private:
    const Results& results_;
    std::map<std::string, std::unique_ptr<Computed>, std::less<>> known_;
};

/// The number that a table prints: the interval of numbers that round to it, or, in an exact column, the decimal
/// itself.
Number printed_number(const Quantity& table, std::size_t row, std::size_t column, bool as_decimal);

/// Half a unit of the last digit of a printed decimal. Throws Unprovable for other texts.
Rational half_unit(std::string_view decimal);

}  // namespace farfield::recheck
