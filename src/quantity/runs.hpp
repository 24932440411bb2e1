// Sets of integers as runs, for the computation of reach.
#pragma once

#include <cstddef>
#include <vector>

namespace farfield::quantity {

/// The integers first..last, both included.
struct Run {
    long long first;
    long long last;
    bool operator==(const Run&) const = default;
};

/// A set of integers as ascending runs that do not touch.
class Runs {
public:
    Runs() = default;
    /// The runs may have any order and may overlap.
    explicit Runs(std::vector<Run> runs);

    const std::vector<Run>& list() const { return runs_; }
    bool empty() const { return runs_.empty(); }
    long long count() const;
    bool contains(const Run& run) const;  ///< whole
    Runs united(const Runs& other) const;
    /// The integers of the run that are not in the set.
    Runs missing_from(const Run& run) const;
    bool operator==(const Runs&) const = default;

private:
    std::vector<Run> runs_;
};

/// All differences s - d of an s of the first and a d of the second set that lie in 0..length-1. Cost: the product of
/// both numbers of runs if it is small, otherwise the smaller number times length/64.
Runs differences(const Runs& positions, const Runs& distances, long long length);

}  // namespace farfield::quantity
