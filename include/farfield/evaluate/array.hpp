// Arrays of numbers in the host's memory or a device's, and operations on them. Every operation always gives a result.
// It runs on the thread's device (OnDevice) if one of the arrays is on this device and the device accepts that many
// numbers; otherwise it runs on the host. Results of the host are stored and have the digits of a run without a device.
// Results of a device stay in its memory until they are read, and differ from the host's results within the bounds that
// both state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <farfield/core/values.hpp>
#include <farfield/evaluate/array_folds.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/numerics/least_squares.hpp>

namespace farfield::evaluate {

class Resident;

/// Shared numbers that do not change: in the host's memory, in a device's, or a range that is not stored. When they are
/// first read, they are copied to the host's memory and stay there.
class Array {
public:
    Array() : Array(std::vector<double>{}) {}
    explicit Array(std::vector<double> values);
    Array(const Range& range);
    /// The numbers of a column. If they are in a device's memory, they stay there. The column must outlive the array.
    explicit Array(const core::Values& values);
    /// Memory of the caller, which must outlive the array.
    explicit Array(std::span<const double> values);
    /// Numbers that a device computed. `again` computes them on the host if the device is lost; it must use only arrays
    /// that are kept().
    Array(std::shared_ptr<const Resident> resident, std::function<std::vector<double>()> again);

    std::size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    Array part(std::size_t first, std::size_t count) const;

    std::span<const double> here() const;
    /// Reads one number, without copying the others to the host.
    double operator[](std::size_t index) const;
    double front() const { return (*this)[0]; }
    double back() const { return (*this)[count_ - 1]; }

    /// The index of the first number that differs from its index, or size() if the numbers are 0, 1, 2, ...
    std::size_t first_not_own_index() const;

    bool is_on_device() const { return resident() != nullptr; }
    /// The numbers on the device of which this array is a part (null if it is not on a device), and the index of the
    /// array's first number among them.
    const std::shared_ptr<const Resident>& resident() const;
    std::size_t first() const { return first_; }
    /// The array as a range, if its numbers equal those of a range bit for bit; otherwise nothing.
    std::optional<Range> range() const;

    /// As a column, sharing the numbers.
    core::Values values() const;
    /// The same numbers, copied if the caller owns their memory, so that they outlive it.
    Array kept() const;

private:
    class Body;
    Array(std::shared_ptr<const Body> body, std::size_t first, std::size_t count);

    std::shared_ptr<const Body> body_;
    std::size_t first_ = 0;
    std::size_t count_ = 0;
};

/// evaluate(), but the result stays where it was computed: on the thread's device if the device accepts the work and
/// every input is a range or on the device; otherwise on the host.
Array evaluate_array(const formula::Program& program, const std::vector<double>& uniform,
                     const std::vector<Array>& varying, std::size_t points, const NumberSystem& system = {});

Extremes extremes(const Array& x);
/// The index of the first number that is NaN (that is not finite), or size() without such a number.
std::size_t first_nan(const Array& x);
std::size_t first_not_finite(const Array& x);
/// The index of the first number above the limit, or `nowhere`.
std::size_t first_above(const Array& x, double limit);
/// By compensated summation.
double sum(const Array& x);

/// How an array changes from number to number; between equal infinities by 0.
struct Steps {
    std::size_t rises = 0;
    std::size_t falls = 0;
    std::size_t first_rise = nowhere;  ///< the index before it
    double largest_rise = 0;
    double variation = 0;  ///< sum of |x_(i+1) - x_i|, compensated
};
Steps steps(const Array& x);

/// The sums over an array that is not empty. `next` is the logit (already times `scale`) after the last one, -inf if
/// the array ends there. Each is within (300 + 2 |scale x_i - shift|) 2^-53 of the magnitude of each of its terms. NaN
/// if some scale x_i is NaN or inf.
RowSums sum_row(const Array& x, double scale, double next);
/// The sums over two adjacent parts of an array, from the sums of each part.
RowSums joined(const RowSums& a, const RowSums& b);

/// The weights exp(x_i - shift)/total, and what they were computed from.
struct Softmax {
    RowSums whole;
    Array row;
    Array sums;  ///< the weights' running sums, where asked for
};
Softmax softmax(const Array& x);
/// Softmax and running sums in one pass, which reduces memory traffic.
Softmax softmax_with_sums(const Array& x);
/// The running sums of nonnegative numbers, each with a relative error of at most 600 x 2^-53.
Array running_sums(const Array& x);
/// x times factor, with `first` added to the first number.
Array mix(const Array& x, double factor, double first);
/// a - b.
Array subtract(const Array& a, const Array& b);
/// numerics::convolve().
Array convolve(const Array& a, const Array& b);
/// The mean of one or more arrays of equal length, added in order.
Array mean_of_rows(const std::vector<Array>& rows);

/// A model linear in its parameters and its data, as numerics::LinearProblem; `offset` and `weights` may be empty.
struct LinearModel {
    std::vector<Array> columns;
    Array data;
    Array offset;
    Array weights;
    /// The model's values at parameters.
    std::function<Array(std::span<const double> parameters)> values;
};
/// If `by_products` is true, the fit was computed from products of the columns with twice the digits of a double.
/// Otherwise it was computed from the columns by Householder QR, as on the host.
struct LinearFit {
    numerics::Fit fit;
    Array values;  ///< of the model
    bool by_products = false;
};
LinearFit fit_linear(const LinearModel& model);

/// A model of any kind.
struct CurvedModel {
    std::function<Array(std::span<const double> parameters)> values;
    /// The derivatives by each of the parameters.
    std::function<std::vector<Array>(std::span<const double> parameters)> slopes;
};
struct CurvedFit {
    numerics::NonlinearFit found;
    bool by_products = false;
};
/// numerics::fit_nonlinear(). It uses products if the data are on a device, and gives the same digits if the device
/// fails during the fit. `weights` may be empty.
CurvedFit fit_curved(const CurvedModel& model, const Array& data, const Array& weights,
                     const std::vector<double>& start);

/// Query and key of each cell of a matrix [length, length].
struct Cells {
    Array q;
    Array k;
};
/// The positions of a square matrix; on the thread's device if the device accepts this many cells.
Cells cells(std::size_t length);

/// Properties of the cells that are not -inf: the least and the greatest value with the first index of each, the first
/// and the last value in the order of the matrix, and the number of cells. All are 0 if there is no such cell.
struct VisibleCells {
    double least = 0;
    double greatest = 0;
    std::size_t at_least = 0;
    std::size_t at_greatest = 0;
    double first = 0;
    double last = 0;
    double count = 0;
};
/// The cells must not contain NaN.
VisibleCells visible_cells(const Array& cells);

/// [heads, length, length] of biases by distance [heads, 2 length - 1], from the farthest key before to the farthest
/// after: row q of a head is the part that begins at length - 1 - q. On the thread's device if it accepts this many
/// cells.
Array spread(const std::vector<double>& by_distance, std::size_t heads, std::size_t length);
/// The same into memory of the caller.
void spread_into(const std::vector<double>& by_distance, std::size_t length, std::span<double> result);

/// Each formula of q and k over every query and key, as arrays [length, length]; on the thread's device if it accepts
/// this many cells.
std::vector<Array> evaluate_pairs(const std::vector<formula::Node>& formulas, std::size_t length);
/// The same for one formula, into memory of the caller.
void evaluate_pairs_into(const formula::Node& formula, std::size_t length, std::span<double> result);

/// The union of copies of a set of integers, each moved up by one of the shifts. The set has 64 integers in a word;
/// integers beyond the last word are dropped. On the thread's device if it accepts this many words.
std::vector<std::uint64_t> united_shifts(const std::vector<std::uint64_t>& set, const std::vector<long long>& shifts);

}  // namespace farfield::evaluate
