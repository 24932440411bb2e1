// The parts of a condition, and the numbers with which they compare expressions of unknown value.
#pragma once

#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <farfield/formula/tree.hpp>

#include "formula/bounds.hpp"
#include "formula/comparison.hpp"
#include "numerics/rational.hpp"

namespace farfield::formula {

/// A comparison of an unknown with a threshold. With a radius, the distance between both is compared with it: rounds()
/// and about() are one part of a condition. A condition of its own is an unknown that is 1 or 0.
struct Leaf {
    Node node;
    Op op = Op::equals;
    numerics::Rational threshold = 1;
    std::optional<numerics::Rational> radius = {};
    std::size_t unknown = 0;  ///< of the list of unknowns

    bool holds_at(const numerics::Rational& at) const {
        if (!radius) return compares(op, at, threshold);
        return compares(op, at < threshold ? numerics::Rational(threshold - at) : numerics::Rational(at - threshold),
                        *radius);
    }
};

/// An expression whose value is not known, with the numbers that it is compared with.
struct Unknown {
    std::string text;
    std::set<numerics::Rational> thresholds;
    ValueRange range;
    bool is_condition = false;

    /// One number of each interval between thresholds, and the thresholds, as far as they are in the range.
    std::vector<numerics::Rational> samples() const {
        if (is_condition) return {0, 1};
        std::set<numerics::Rational> ends = thresholds;
        if (range.least) ends.insert(range.least->at);
        if (range.greatest) ends.insert(range.greatest->at);
        if (range.is_whole) return whole_samples(ends);
        std::vector<numerics::Rational> all = {*ends.begin() - 1};
        for (auto end = ends.begin(); end != ends.end(); ++end) {
            all.push_back(*end);
            const auto next = std::next(end);
            all.push_back(next == ends.end() ? numerics::Rational(*end + 1) : numerics::Rational((*end + *next) / 2));
        }
        std::erase_if(all, [this](const numerics::Rational& sample) { return !range.contains(sample); });
        return all;
    }

    /// The integers next to each end, on both sides.
    std::vector<numerics::Rational> whole_samples(const std::set<numerics::Rational>& ends) const {
        std::set<numerics::Rational> all;
        for (const numerics::Rational& end : ends) {
            const numerics::Rational below(numerics::floor_of(end));
            for (const int step : {-1, 0, 1, 2}) all.insert(below + step);
        }
        std::erase_if(all, [this](const numerics::Rational& sample) { return !range.contains(sample); });
        return {all.begin(), all.end()};
    }
};

}  // namespace farfield::formula
