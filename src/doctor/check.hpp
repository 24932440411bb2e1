// Checks of a configuration after it was read.
#pragma once

#include <farfield/doctor/doctor.hpp>
#include <string_view>
#include <vector>

#include "doctor/engine.hpp"
#include "doctor/resolve.hpp"
#include "doctor/value.hpp"

namespace farfield::doctor {

/// Misspelt, unknown and contradictory keys.
void check_keys(const Document& document, const Engine& declared, const Resolution& resolution,
                std::vector<Finding>& findings);

/// Checks lengths (compared with the trained one), sums of cosines, slow pairs and the safe length.
void check_lengths(const Document& document, const Resolution& resolution, const Options& options,
                   std::vector<Finding>& findings);

/// Checks what an engine computes differently from the declaration; adds its answer to the diagnosis.
void check_engine(const Document& document, const std::string& name, const Resolution& declared, const Options& options,
                  Diagnosis& diagnosis);

/// Checks the tables of the file that Options::against names, with the compare module; adds the result of each to the
/// diagnosis.
void check_tables(const Document& document, const Resolution& resolution, const Options& options, Diagnosis& diagnosis);

/// Writes into each finding the public report of the same fault, if one is known.
void cite_reports(std::vector<Finding>& findings, std::string_view model_type);

}  // namespace farfield::doctor
