// Draws that the processes share.
#pragma once

#include <cstddef>
#include <vector>

#include <farfield/numerics/philox.hpp>
#include <farfield/train/source.hpp>

namespace farfield::train {

/// Probabilities from a symmetric Dirichlet distribution; if every gamma variate underflows, one symbol has all the
/// mass.
std::vector<double> draw_dirichlet(std::size_t symbols, double alpha, numerics::Random& random);

/// Draws a symbol with these probabilities.
Token draw_from(std::span<const double> probabilities, numerics::Random& random);

}  // namespace farfield::train
