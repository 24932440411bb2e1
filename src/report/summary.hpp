// A summary of a study's claims in six numbers.
#pragma once

#include <cstddef>
#include <farfield/core/keys.hpp>
#include <farfield/core/record.hpp>
#include <span>
#include <string>
#include <vector>

namespace farfield::report {

/// Every claim is in exactly one of the last five counts. A claim without its own expected verdict is unexpected if a
/// reading's verdict differs from the recorded one.
struct Summary {
    std::size_t claims = 0;
    std::size_t as_expected = 0;
    std::size_t unexpected = 0;
    std::size_t unstated = 0;  ///< judged, without an expected verdict
    std::size_t missing = 0;
    std::size_t skipped = 0;
};

Summary summarise(std::span<const core::ClaimRecord> claims);

/// The sum of both.
Summary operator+(const Summary& a, const Summary& b);

/// "3 claims: 1 as on record, 1 not, 1 without an expected verdict, 0 missing, 0 skipped".
std::string text_of(const Summary& summary);

/// The texts of a figure's key `series`, or none.
std::vector<std::string> figure_series(const core::FigureRecord& figure);

}  // namespace farfield::report
