// NIST's Statistical Reference Datasets, read from tests/references/nist.
#pragma once

#include <string>
#include <vector>

namespace farfield::numerics::nist {

struct Parameter {
    std::vector<double> starts;  // two for nonlinear problems
    double certified = 0;
    double deviation = 0;  // certified standard deviation of the parameter
};

struct Dataset {
    std::vector<Parameter> parameters;
    double deviation = 0;  // certified residual standard deviation
    double r2 = 0;         // certified, linear problems alone
    std::vector<double> y;
    std::vector<std::vector<double>> x;  // [predictor][point]
};

/// The file tests/references/nist/`folder`/`name`.txt.
Dataset read(const std::string& folder, const std::string& name);

/// Correct significant digits: -log10 |found - certified|/|certified| (for a certified zero, -log10 |found|), 16 at
/// most and 0 for NaN.
double digits(double found, double certified);

}  // namespace farfield::numerics::nist
