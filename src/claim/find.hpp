// Finds the result to which a mention refers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <farfield/core/table.hpp>

#include "claim/reference.hpp"
#include "numerics/rational.hpp"

namespace farfield::claim {

/// A cell (a named value or a table's), or a column of a series to be looked up at the mention's indexes.
struct Target {
    const core::Cell* cell = nullptr;
    const core::Series* series = nullptr;
    const core::Column* column = nullptr;
};

/// Why there is no target, in the words of a diagnostic.
struct NameProblem {
    std::string found;
    std::string wanted;
    std::string hint;
};

const core::Result* find_result(const std::vector<const core::Result*>& results, std::string_view name);

/// The target, or an empty one with `problem` set.
Target find_target(const Mention& mention, const core::Result& result, std::optional<NameProblem>& problem);

/// The first row of a series with these coordinates, or rows() if there is none; a missing coordinate matches no row.
std::size_t row_at(const core::Series& series, const std::vector<std::optional<numerics::Rational>>& coordinates);

/// Why no row of the series has these coordinates; nothing if one has, or if a coordinate is missing.
std::optional<NameProblem> problem_of_row(const std::string& mention, const core::Series& series,
                                          const std::vector<std::optional<numerics::Rational>>& coordinates);

}  // namespace farfield::claim
