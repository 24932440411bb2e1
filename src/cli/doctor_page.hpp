// The pages of farfield doctor: the findings of the doctor module, with the page and figures of the report module.
#pragma once

#include <farfield/doctor/doctor.hpp>
#include <string>

namespace farfield::cli {

/// One self-contained HTML page. Throws core::MissingError if gnuplot, which draws the figures, is missing.
std::string doctor_page(const doctor::Diagnosis& diagnosis);
std::string doctor_page(const doctor::Comparison& comparison, const doctor::Diagnosis& a, const doctor::Diagnosis& b);

}  // namespace farfield::cli
