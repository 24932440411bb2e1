// How a study's claims fared, in five numbers.
#pragma once

#include <cstddef>
#include <farfield/core/keys.hpp>
#include <farfield/core/record.hpp>
#include <span>
#include <string>
#include <vector>

namespace farfield::report {

/// Every claim is in exactly one of the last four counts.
struct Summary {
    std::size_t claims = 0;
    std::size_t as_expected = 0;
    std::size_t unexpected = 0;
    std::size_t missing = 0;
    std::size_t skipped = 0;
};

/// Whether the claim's verdict, and that of every reading with a verdict on record, is the one on record. What is
/// missing or skipped contradicts nothing.
bool is_as_expected(const core::ClaimRecord& claim);

Summary summarise(std::span<const core::ClaimRecord> claims);

/// The texts of a figure's key `series`, or none.
std::vector<std::string> figure_series(const core::FigureRecord& figure);

}  // namespace farfield::report
