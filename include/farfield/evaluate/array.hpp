// Arrays of numbers in the host's memory or a device's, and what is done with them. Every operation gives its result
// wherever the arrays are: on the thread's device (OnDevice) if that holds one of them and takes so many numbers, else
// on the host. On the host results are stored and have the digits of a run without a device; on a device they stay
// there until they are read, and differ from the host's within the bounds that both state.
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

/// Shared numbers that do not change: in the host's memory, in a device's, or a range that is not stored. They come to
/// the host's memory when they are first read, and stay there.
class Array {
public:
    Array() : Array(std::vector<double>{}) {}
    explicit Array(std::vector<double> values);
    Array(const Range& range);
    /// Of a column; numbers of a device stay there. The column's own numbers must outlive the array.
    explicit Array(const core::Values& values);
    /// Memory of the caller's, who keeps it.
    explicit Array(std::span<const double> values);
    /// What a device computed, and how the host computes it should the device be lost: from arrays that are kept().
    Array(std::shared_ptr<const Resident> resident, std::function<std::vector<double>()> again);

    std::size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    Array part(std::size_t first, std::size_t count) const;

    std::span<const double> here() const;
    /// One number, without the others.
    double operator[](std::size_t index) const;
    double front() const { return (*this)[0]; }
    double back() const { return (*this)[count_ - 1]; }

    /// Whether the numbers are 0, 1, 2, ...; the index of the first that is not, or size().
    std::size_t first_not_own_index() const;

    bool is_on_device() const { return resident() != nullptr; }
    /// The device's numbers that it is a part of, null elsewhere, and the index of its first number among them.
    const std::shared_ptr<const Resident>& resident() const;
    std::size_t first() const { return first_; }
    /// The range that it is a part of, where its numbers are a range's own to the bit; else nothing.
    std::optional<Range> range() const;

    /// As a column, sharing the numbers.
    core::Values values() const;
    /// The same numbers, which now outlive those of a caller that they were.
    Array kept() const;

private:
    class Body;
    Array(std::shared_ptr<const Body> body, std::size_t first, std::size_t count);

    std::shared_ptr<const Body> body_;
    std::size_t first_ = 0;
    std::size_t count_ = 0;
};

/// evaluate(), with the result left where it was computed: on the thread's device where that takes the work and every
/// input is a range or on the device.
Array evaluate_array(const formula::Program& program, const std::vector<double>& uniform,
                     const std::vector<Array>& varying, std::size_t points, const NumberSystem& system = {});

Extremes extremes(const Array& x);
/// The index of the first number that is NaN, or not finite; size() without one.
std::size_t first_nan(const Array& x);
std::size_t first_not_finite(const Array& x);
/// The index of the first number above the limit; nowhere without one.
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

/// The sums over an array, not empty; `next` is the logit (already times `scale`) after the last, -inf where none
/// follows. Each is within (300 + 2 |scale x_i - shift|) 2^-53 of the magnitude of each of its terms. NaN if some scale
/// x_i is NaN or inf.
RowSums sum_row(const Array& x, double scale, double next);
/// The sums of two parts of an array as one.
RowSums joined(const RowSums& a, const RowSums& b);

/// The weights exp(x_i - shift)/total, and what they were computed from.
struct Softmax {
    RowSums whole;
    Array row;
    Array sums;  ///< the weights' running sums, where asked for
};
Softmax softmax(const Array& x);
/// At once, which spares memory traffic.
Softmax softmax_with_sums(const Array& x);
/// Of numbers that are not negative, each sum within 600 x 2^-53 of itself.
Array running_sums(const Array& x);
/// x factor, and `first` more at 0.
Array mix(const Array& x, double factor, double first);
/// a - b.
Array subtract(const Array& a, const Array& b);
/// numerics::convolve().
Array convolve(const Array& a, const Array& b);
/// The mean of one array or more of one length, added up in their order.
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
/// `by_products` says how: from products of the columns in twice a double's digits, or from the columns by Householder
/// QR, as on the host.
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
/// numerics::fit_nonlinear(): by products if a device has the data, and to the same digits should it fail on the way.
/// `weights` may be empty.
CurvedFit fit_curved(const CurvedModel& model, const Array& data, const Array& weights,
                     const std::vector<double>& start);

/// Query and key of each cell of a matrix [length, length].
struct Cells {
    Array q;
    Array k;
};
/// On the thread's device where that takes so many cells.
Cells cells(std::size_t length);

/// Of the cells that are not -inf: the least and the greatest with the first index of each, the first and the last in
/// the order of the matrix, and how many there are; all 0 without one.
struct VisibleCells {
    double least = 0;
    double greatest = 0;
    std::size_t at_least = 0;
    std::size_t at_greatest = 0;
    double first = 0;
    double last = 0;
    double count = 0;
};
/// Of cells without NaN.
VisibleCells visible_cells(const Array& cells);

/// [heads, length, length] of biases by distance [heads, 2 length - 1], from the farthest key before to the farthest
/// after: row q of a head is the part that begins at length - 1 - q. On the thread's device where that takes so many
/// cells.
Array spread(const std::vector<double>& by_distance, std::size_t heads, std::size_t length);
/// The same into memory of the caller.
void spread_into(const std::vector<double>& by_distance, std::size_t length, std::span<double> result);

/// Each formula of q and k over every query and key, as arrays [length, length]: on the thread's device where that
/// takes so many cells.
std::vector<Array> evaluate_pairs(const std::vector<formula::Node>& formulas, std::size_t length);
/// One of them into memory of the caller.
void evaluate_pairs_into(const formula::Node& formula, std::size_t length, std::span<double> result);

/// The union of a set of integers, 64 a word, moved up by each of the shifts; what leaves the words is lost. On the
/// thread's device where that takes so many words.
std::vector<std::uint64_t> united_shifts(const std::vector<std::uint64_t>& set, const std::vector<long long>& shifts);

}  // namespace farfield::evaluate
