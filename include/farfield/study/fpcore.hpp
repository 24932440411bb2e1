// FPBench's format of floating-point benchmarks, as studies of rounding errors.
#pragma once

#include <string>

#include <farfield/study/study.hpp>

namespace farfield::study {

/// The text of a study with a quantity of kind rounding-error for each FPCore of `text`: its expression with `let`
/// substituted, the box of its :pre, its :precision, and inputs that are real numbers. Other conditions of :pre are
/// left out, which makes the box larger, and are written as a comment. `file` is named in messages and in the study.
/// Throws core::UserError with every problem: text that is not an FPCore, operators and forms that the formula language
/// lacks (loops, tensors, annotations), arguments without a range, unknown precisions. With `skips`, an FPCore with
/// such a problem is left out, and a comment says why. Source: FPCore 2.0, https://fpbench.org/spec/fpcore-2.0.html
std::string import_fpcore(const std::string& text, const std::string& file, bool skips = false);

/// The FPCores of a study's rounding errors, or of the one with that name: its formula with all names except the
/// variables substituted, its box, and its format. `computed` becomes a formula of real numbers with `cast` where it
/// rounds, and `exact` becomes the :spec. Sums and products over an index become loops. `inputs` has no counterpart in
/// FPCore. Throws core::UserError with every problem: operators and formats that FPCore lacks, or a study without a
/// rounding error (with that name).
std::string export_fpcore(const Study& study, const std::string& quantity = {});

}  // namespace farfield::study
