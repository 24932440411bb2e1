// Conditions over exact numbers decided by rational arithmetic, where intervals cannot: 426/10 == 42.6.
#pragma once

#include <farfield/evaluate/enclose.hpp>
#include <farfield/formula/tree.hpp>
#include <functional>
#include <optional>
#include <string>

namespace farfield::claim {

/// The exact values that a tree's names and tables stand for.
struct ExactValues {
    std::function<std::optional<double>(const std::string& name)> value;
    std::function<std::optional<double>(const std::string& table, double index)> entry;
};

/// The truth of a boolean tree whose arithmetic is rational: + - * / abs min max floor ceil sign, whole powers up to
/// 1024, comparisons, and, or, not, if. Unknown if it has any other function, a name without a value, a division by
/// zero, or numbers of more than a hundred thousand bits.
evaluate::Truth decide_exactly(const formula::Node& tree, const ExactValues& values);

}  // namespace farfield::claim
