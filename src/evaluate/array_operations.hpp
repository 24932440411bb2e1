// Operations on rows that lie on a device. Each gives nothing where no row is on the thread's device, or where that
// does not do the work: the processor does it then, by functions of its own that are named here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <farfield/numerics/least_squares.hpp>

#include "evaluate/array.hpp"
#include "evaluate/machine/row.cuh"
#include "evaluate/weights.hpp"

namespace farfield::evaluate {

std::optional<device::Extremes> extremes_there(const Array& x);
std::optional<device::Steps> steps_there(const Array& x);
/// The first index of a number above the limit, or device::nowhere.
std::optional<std::size_t> first_above_there(const Array& x, double limit);

/// sum_row().
std::optional<RowSums> sum_row_there(const Array& x, double scale, double next);

/// softmax_row() without running sums, and the shift.
struct Softmax {
    double shift;
    Array row;
};
std::optional<Softmax> softmax_there(const Array& x);
/// running_sums().
std::optional<Array> running_sums_there(const Array& x);
/// x factor, and `first` more at 0.
std::optional<Array> mix_there(const Array& x, double factor, double first);
/// a - b.
std::optional<Array> subtract_there(const Array& a, const Array& b);
/// numerics::convolve().
std::optional<Array> convolve_there(const Array& a, const Array& b);

/// The arguments of numerics::fit_linear() as rows; `offset` and `weights` may be empty.
struct LinearFitRows {
    std::vector<Array> columns;
    Array data;
    Array offset;
    Array weights;
};
/// numerics::fit_linear() by its products and residuals.
std::optional<numerics::Fit> fit_linear_there(const LinearFitRows& rows);

/// A model of any kind over rows.
struct CurvedModelRows {
    std::function<Array(std::span<const double> parameters)> values;
    /// The derivatives by each of the parameters.
    std::function<std::vector<Array>(std::span<const double> parameters)> slopes;
};
/// numerics::fit_nonlinear() of a model to data by sums over rows, on the device that has the data; where it fails on
/// the way, the processors' machine gives the same sums. `weights` may be empty.
std::optional<numerics::NonlinearFit> fit_curved_there(const CurvedModelRows& model, const Array& data,
                                                       const Array& weights, const std::vector<double>& start);

/// sum x_i.
std::optional<double> sum_there(const Array& x);

/// [heads, length, length] of biases by distance [heads, 2 length - 1], from the farthest key after to the farthest
/// before, on the thread's device where that takes so many cells.
std::optional<Array> spread_there(const std::vector<double>& by_distance, std::size_t heads, std::size_t length);

/// The mean of one row or more of one length, added up in their order: on the device that has one of them, else here.
Array mean_of_rows(const std::vector<Array>& rows);

/// The union of a set of integers, 64 a word, moved up by each of the shifts; what leaves the words is lost. On the
/// thread's device where that is worth it, else on the processors.
std::vector<std::uint64_t> united_shifts(const std::vector<std::uint64_t>& set, const std::vector<long long>& shifts);

}  // namespace farfield::evaluate
