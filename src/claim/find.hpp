// What a mention refers to among results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <farfield/core/table.hpp>

#include "claim/reference.hpp"

namespace farfield::claim {

/// A cell (a named value or a table's), or a column of a series to be looked up at the mention's indexes.
struct Target {
    const core::Cell* cell = nullptr;
    const core::Series* series = nullptr;
    const core::Column* column = nullptr;
};

/// Why there is none, in the words of a diagnostic.
struct NameProblem {
    std::string found;
    std::string wanted;
    std::string hint;
};

const core::Result* find_result(const std::vector<const core::Result*>& results, std::string_view name);

/// The target, or an empty one with `problem` set.
Target find_target(const Mention& mention, const core::Result& result, std::optional<NameProblem>& problem);

/// What is wrong with the mention, if anything is.
std::optional<NameProblem> problem_of(const Mention& mention, const core::Result& result);

}  // namespace farfield::claim
