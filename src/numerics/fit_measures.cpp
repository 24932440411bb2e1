// The singular values of a fit's triangle. They have their own source file, because it takes ten seconds to compile.
#include "numerics/fit_measures.hpp"

#include <Eigen/SVD>

#include <cstddef>

namespace farfield::numerics {

void measure_columns(const Matrix& scaled, Fit& fit) {
    // A square matrix needs no QR factorisation first.
    const Eigen::JacobiSVD<Matrix, Eigen::NoQRPreconditioner> decomposition(scaled);
    const Vector& values = decomposition.singularValues();
    const double least = 0x1p-52 * static_cast<double>(values.size());
    fit.condition = values(0) / values(values.size() - 1);
    fit.rank = static_cast<std::size_t>((values.array() > least).count());
}

}  // namespace farfield::numerics
