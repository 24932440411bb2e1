// The pages of farfield doctor: what the doctor room found, in the report room's page and figures.
#pragma once

#include <farfield/doctor/doctor.hpp>
#include <string>

namespace farfield::cli {

/// One self-contained HTML page. Throws core::MissingError if gnuplot, which draws the figures, is not there.
std::string doctor_page(const doctor::Diagnosis& diagnosis);
std::string doctor_page(const doctor::Comparison& comparison, const doctor::Diagnosis& a, const doctor::Diagnosis& b);

}  // namespace farfield::cli
