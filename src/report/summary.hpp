// How a study's claims fared, in five numbers.
#pragma once

#include <cstddef>
#include <farfield/core/keys.hpp>
#include <farfield/core/record.hpp>
#include <span>
#include <string>
#include <vector>

namespace farfield::report {

/// Every claim is in exactly one of the last four counts; one whose own verdict is missing is unexpected if a reading's
/// is not the one on record.
struct Summary {
    std::size_t claims = 0;
    std::size_t as_expected = 0;
    std::size_t unexpected = 0;
    std::size_t missing = 0;
    std::size_t skipped = 0;
};

Summary summarise(std::span<const core::ClaimRecord> claims);

/// The texts of a figure's key `series`, or none.
std::vector<std::string> figure_series(const core::FigureRecord& figure);

}  // namespace farfield::report
