// A plot of a single series, on the terminal or in a file.
#pragma once

#include <cstddef>
#include <string>

#include <farfield/core/record.hpp>
#include <farfield/core/table.hpp>

namespace farfield::report {

struct PlotOptions {
    std::string title;
    bool log_x = false;
    bool log_y = false;
    std::size_t columns = 79;  ///< of the terminal; 40 at least
    std::size_t rows = 24;     ///< of the terminal; 10 at least
};

/// The curves of a series in characters, as gnuplot's terminal `dumb` draws them; every line ends with a line break.
/// `series` must have one variable (matrices are not supported) and at least one row; otherwise throws
/// core::PreconditionError. Throws core::MissingError if gnuplot is not installed.
std::string terminal_plot(const core::Series& series, const PlotOptions& options = {});

/// The same, or the heat map of a matrix, as a file whose name must end in .svg or .png (otherwise core::UserError).
/// Throws core::MissingError if gnuplot is not installed or the file cannot be written.
void plot_to_file(const core::Series& series, const std::string& path, const PlotOptions& options = {});

/// A figure of the study's series, as a file whose name must end in .svg or .png (otherwise core::UserError).
void figure_to_file(const core::FigureRecord& figure, const core::StudyRecord& study, const std::string& path);

}  // namespace farfield::report
