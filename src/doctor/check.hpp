// Findings of a configuration beside those of reading it.
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

/// Lengths against what was trained, sums of cosines, slow pairs, the safe length.
void check_lengths(const Document& document, const Resolution& resolution, const Options& options,
                   std::vector<Finding>& findings);

/// What an engine computes otherwise than declared; adds its answer to the diagnosis.
void check_engine(const Document& document, const std::string& name, const Resolution& declared, const Options& options,
                  Diagnosis& diagnosis);

/// Tables of the file that Options::against names, by the compare room; adds what was found of each to the diagnosis.
void check_tables(const Document& document, const Resolution& resolution, const Options& options, Diagnosis& diagnosis);

/// Writes into each finding the public report of the same fault, if one is known.
void cite_reports(std::vector<Finding>& findings, std::string_view model_type);

}  // namespace farfield::doctor
