#include <algorithm>
#include <string>

#include "farfield/numerics/least_squares.hpp"
#include "farfield/numerics/sum.hpp"
#include "numerics/mpfi_value.hpp"
#include "numerics/mpfr_value.hpp"
#include "numerics/precondition.hpp"
#include "numerics/row_blocks.hpp"

namespace farfield::numerics {

namespace {

constexpr long bits = 192;

using EnclosedVector = std::vector<MpfiValue>;

// A square matrix, stored by rows.
struct EnclosedMatrix {
    explicit EnclosedMatrix(std::size_t order) : size(order), entries(order * order, MpfiValue(0.0, bits)) {}
    MpfiValue& at(std::size_t row, std::size_t column) { return entries[row * size + column]; }
    const MpfiValue& at(std::size_t row, std::size_t column) const { return entries[row * size + column]; }

    std::size_t size;
    EnclosedVector entries;
};

void check(const EnclosedProblem& problem) {
    const auto wanted = std::to_string(problem.data.size());
    const auto refuse_length = [&](const char* argument, std::size_t found) {
        refuse("numerics::enclosed_linear_fit", argument, std::to_string(found) + " numbers", wanted);
    };
    if (problem.columns.empty()) refuse("numerics::enclosed_linear_fit", "columns", "empty", "one column or more");
    for (const std::span<const Interval> column : problem.columns) {
        if (column.size() != problem.data.size()) refuse_length("a column", column.size());
    }
    if (!problem.offset.empty() && problem.offset.size() != problem.data.size()) {
        refuse_length("offset", problem.offset.size());
    }
    if (!problem.weights.empty() && problem.weights.size() != problem.data.size()) {
        refuse_length("weights", problem.weights.size());
    }
}

bool is_bounded(const Interval& x) {
    return std::isfinite(x.lo) && std::isfinite(x.hi);
}

bool all_bounded(const EnclosedProblem& problem) {
    const auto bounded = [](std::span<const Interval> values) {
        return std::all_of(values.begin(), values.end(), is_bounded);
    };
    const auto is_weight = [](const Interval& x) { return is_bounded(x) && x.lo >= 0; };
    return bounded(problem.data) && bounded(problem.offset) &&
           std::all_of(problem.columns.begin(), problem.columns.end(), bounded) &&
           std::all_of(problem.weights.begin(), problem.weights.end(), is_weight);
}

std::vector<double> midpoints(std::span<const Interval> values) {
    std::vector<double> middle(values.size());
    std::transform(values.begin(), values.end(), middle.begin(), midpoint);
    return middle;
}

// The ordinary fit of the middles of the intervals. Its errors do not affect the proof.
Fit approximate_fit(const EnclosedProblem& problem) {
    std::vector<std::vector<double>> columns;
    for (const std::span<const Interval> column : problem.columns) columns.push_back(midpoints(column));
    const std::vector<double> data = midpoints(problem.data);
    const std::vector<double> offset = midpoints(problem.offset);
    LinearProblem middle;
    middle.columns.assign(columns.begin(), columns.end());
    const std::vector<double> weights = midpoints(problem.weights);
    middle.data = data;
    middle.offset = offset;
    middle.weights = weights;
    return fit_linear(middle);
}

Interval weight_at(const EnclosedProblem& problem, std::size_t row) {
    return problem.weights.empty() ? point(1) : problem.weights[row];
}

double approximate_mean(const EnclosedProblem& problem) {
    Accumulator sum;
    Accumulator weights;
    for (std::size_t i = 0; i < problem.data.size(); ++i) {
        const double weight = midpoint(weight_at(problem, i));
        sum.add(weight * midpoint(problem.data[i]));
        weights.add(weight);
    }
    return sum.total() / weights.total();
}

// Arithmetic in place, because these sums take most of the time.
class Worker {
public:
    explicit Worker(const EnclosedProblem& problem) : problem_(problem) {}

    // into += a b
    void add_product(MpfiValue& into, const MpfiValue& a, const MpfiValue& b) {
        mpfi_mul(product_.get(), a.get(), b.get());
        mpfi_add(into.get(), into.get(), product_.get());
    }

    // entries = the design's row
    void load_row(std::size_t row, EnclosedVector& entries) const {
        for (std::size_t j = 0; j < entries.size(); ++j) {
            mpfi_interv_d(entries[j].get(), problem_.columns[j][row].lo, problem_.columns[j][row].hi);
        }
    }

    // residual = data - offset - sum_j entries_j parameters_j
    void load_residual(std::size_t row, const EnclosedVector& entries, const EnclosedVector& parameters,
                       MpfiValue& residual) {
        mpfi_interv_d(residual.get(), problem_.data[row].lo, problem_.data[row].hi);
        if (!problem_.offset.empty()) {
            mpfi_interv_d(product_.get(), problem_.offset[row].lo, problem_.offset[row].hi);
            mpfi_sub(residual.get(), residual.get(), product_.get());
        }
        for (std::size_t j = 0; j < entries.size(); ++j) {
            mpfi_mul(product_.get(), entries[j].get(), parameters[j].get());
            mpfi_sub(residual.get(), residual.get(), product_.get());
        }
    }

private:
    const EnclosedProblem& problem_;
    MpfiValue product_{bits};
};

// EnclosedSums over rows i with design a_i, e_i = data_i - offset_i - a_i x for the approximate parameters x,
// z_i = data_i - c.
struct EnclosedSums {
    explicit EnclosedSums(std::size_t parameters) : normal(parameters), right(parameters, MpfiValue(0.0, bits)) {}

    EnclosedMatrix normal;                 // sum w a a' (upper triangle)
    EnclosedVector right;                  // sum w e a
    MpfiValue squares{0.0, bits};          // sum w e^2
    MpfiValue weight{0.0, bits};           // sum w
    MpfiValue shifted{0.0, bits};          // sum w z
    MpfiValue shifted_squares{0.0, bits};  // sum w z^2
};

EnclosedSums sums_of_rows(const EnclosedProblem& problem, const EnclosedVector& approximate, double centre,
                          std::size_t first, std::size_t count) {
    const std::size_t size = problem.columns.size();
    EnclosedSums sums(size);
    Worker worker(problem);
    EnclosedVector row(size, MpfiValue(bits));
    MpfiValue residual(bits);
    MpfiValue shifted(bits);
    for (std::size_t i = first; i < first + count; ++i) {
        const MpfiValue weight(weight_at(problem, i), bits);
        worker.load_row(i, row);
        worker.load_residual(i, row, approximate, residual);
        mpfi_interv_d(shifted.get(), problem.data[i].lo, problem.data[i].hi);
        mpfi_sub_d(shifted.get(), shifted.get(), centre);
        worker.add_product(sums.squares, weight, square(residual));
        worker.add_product(sums.shifted, weight, shifted);
        worker.add_product(sums.shifted_squares, weight, square(shifted));
        mpfi_add(sums.weight.get(), sums.weight.get(), weight.get());
        mpfi_mul(residual.get(), residual.get(), weight.get());
        for (std::size_t j = 0; j < size; ++j) {
            worker.add_product(sums.right[j], row[j], residual);
            mpfi_mul(shifted.get(), row[j].get(), weight.get());
            for (std::size_t k = j; k < size; ++k) worker.add_product(sums.normal.at(j, k), shifted, row[k]);
        }
    }
    return sums;
}

EnclosedSums all_sums(const EnclosedProblem& problem, const EnclosedVector& approximate, double centre) {
    const std::size_t size = problem.columns.size();
    const std::vector<EnclosedSums> chunks = for_each_chunk(
        problem.data.size(), EnclosedSums(size),
        [&](std::size_t first, std::size_t count) { return sums_of_rows(problem, approximate, centre, first, count); });
    EnclosedSums total(size);
    for (const EnclosedSums& chunk : chunks) {
        for (std::size_t j = 0; j < size; ++j) total.right[j] = total.right[j] + chunk.right[j];
        for (std::size_t j = 0; j < size * size; ++j) {
            total.normal.entries[j] = total.normal.entries[j] + chunk.normal.entries[j];
        }
        total.squares = total.squares + chunk.squares;
        total.weight = total.weight + chunk.weight;
        total.shifted = total.shifted + chunk.shifted;
        total.shifted_squares = total.shifted_squares + chunk.shifted_squares;
    }
    for (std::size_t j = 0; j < size; ++j) {
        for (std::size_t k = 0; k < j; ++k) total.normal.at(j, k) = total.normal.at(k, j);
    }
    return total;
}

// One step of Gauss-Jordan elimination on the rows of [left | right], at the pivot `step`.
void eliminate(std::vector<std::vector<Multiprecision>>& rows, std::size_t step) {
    std::size_t pivot = step;
    for (std::size_t i = step + 1; i < rows.size(); ++i) {
        if (abs(rows[i][step]) > abs(rows[pivot][step])) pivot = i;
    }
    std::swap(rows[step], rows[pivot]);
    const Multiprecision divisor = rows[step][step];
    for (Multiprecision& entry : rows[step]) entry = entry / divisor;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i == step) continue;
        const Multiprecision factor = rows[i][step];
        for (std::size_t k = 0; k < rows[i].size(); ++k) rows[i][k] = rows[i][k] - factor * rows[step][k];
    }
}

// An approximate inverse of the middles, as points. The proof that follows is valid for any errors of it, including
// NaN.
EnclosedMatrix approximate_inverse(const EnclosedMatrix& matrix) {
    const std::size_t size = matrix.size;
    std::vector<std::vector<Multiprecision>> rows(size);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) rows[i].push_back(matrix.at(i, j).middle());
        for (std::size_t j = 0; j < size; ++j) rows[i].push_back(Multiprecision::with_bits(i == j ? 1 : 0, bits));
    }
    for (std::size_t step = 0; step < size; ++step) eliminate(rows, step);
    EnclosedMatrix inverse(size);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) inverse.at(i, j) = MpfiValue::around(rows[i][size + j], bits);
    }
    return inverse;
}

// Widens the interval by a tenth of its width and a tiny amount.
MpfiValue inflated(const MpfiValue& x) {
    MpfiValue result(x);
    mpfi_increase(result.get(), raw(Multiprecision::with_bits(0x1p-600, bits)));
    Multiprecision tenth = blank(bits);
    mpfi_diam_abs(raw(tenth), x.get());
    mpfr_div_ui(raw(tenth), raw(tenth), 10, MPFR_RNDU);
    mpfi_increase(result.get(), raw(tenth));
    return result;
}

// Solutions of `matrix` d = `right` for every matrix and right side inside. Krawczyk: if z + (1 - C matrix) D lies
// strictly inside D, for any C, z = C right, then every matrix inside is regular and D holds all solutions.
std::optional<EnclosedVector> solve(const EnclosedMatrix& matrix, const EnclosedVector& right) {
    const std::size_t size = matrix.size;
    const EnclosedMatrix inverse = approximate_inverse(matrix);
    EnclosedMatrix error(size);
    EnclosedVector start(size, MpfiValue(0.0, bits));
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t k = 0; k < size; ++k) {
            start[i] = start[i] + inverse.at(i, k) * right[k];
            for (std::size_t j = 0; j < size; ++j) error.at(i, j) = error.at(i, j) - inverse.at(i, k) * matrix.at(k, j);
        }
        error.at(i, i) = error.at(i, i) + MpfiValue(1.0, bits);
    }
    EnclosedVector solution = start;
    for (int round = 0; round < 30; ++round) {
        EnclosedVector wide;
        for (const MpfiValue& entry : solution) wide.push_back(inflated(entry));
        bool inside = true;
        for (std::size_t i = 0; i < size; ++i) {
            solution[i] = start[i];
            for (std::size_t j = 0; j < size; ++j) solution[i] = solution[i] + error.at(i, j) * wide[j];
            if (solution[i].is_undefined()) return std::nullopt;
            inside = mpfi_is_strictly_inside(solution[i].get(), wide[i].get()) != 0 && inside;
        }
        if (inside) return solution;
    }
    return std::nullopt;
}

// Bounds of the largest |data - offset - a x - a d| over the rows of positive weight. A row whose weight may be zero
// can raise the upper bound, but not the lower bound.
Interval largest_residual(const EnclosedProblem& problem, const EnclosedVector& parameters) {
    const std::vector<Interval> chunks =
        for_each_chunk(problem.data.size(), point(0), [&](std::size_t first, std::size_t count) {
            Worker worker(problem);
            EnclosedVector row(parameters.size(), MpfiValue(bits));
            MpfiValue residual(bits);
            Interval largest = point(0);
            for (std::size_t i = first; i < first + count; ++i) {
                const Interval weight = weight_at(problem, i);
                if (weight.hi == 0) continue;
                worker.load_row(i, row);
                worker.load_residual(i, row, parameters, residual);
                const Interval size = abs(residual.to_interval());
                largest = max(largest, weight.lo > 0 ? size : hull(point(0), size));
            }
            return largest;
        });
    Interval largest = point(0);
    for (const Interval& chunk : chunks) largest = max(largest, chunk);
    return largest;
}

Interval positive_weights(const EnclosedProblem& problem) {
    Interval count = point(0);
    for (std::size_t i = 0; i < problem.data.size(); ++i) count = count + sign(weight_at(problem, i));
    return count;
}

}  // namespace

std::optional<EnclosedFit> enclosed_linear_fit(const EnclosedProblem& problem) {
    check(problem);
    if (!all_bounded(problem)) return std::nullopt;
    const Fit approximate = approximate_fit(problem);
    if (std::isnan(approximate.parameters.front())) return std::nullopt;
    EnclosedVector parameters;
    for (const double parameter : approximate.parameters) parameters.emplace_back(parameter, bits);
    const EnclosedSums sums = all_sums(problem, parameters, approximate_mean(problem));
    const std::optional<EnclosedVector> step = solve(sums.normal, sums.right);
    if (!step) return std::nullopt;
    EnclosedFit fit;
    // If the normal equations hold, sum w r^2 = sum w e^2 - step . right.
    MpfiValue squares = sums.squares;
    for (std::size_t j = 0; j < parameters.size(); ++j) {
        squares = squares - (*step)[j] * sums.right[j];
        parameters[j] = parameters[j] + (*step)[j];
        fit.parameters.push_back(parameters[j].to_interval());
    }
    squares = max(squares, MpfiValue(0.0, bits));
    const MpfiValue spread = sums.shifted_squares - square(sums.shifted) / sums.weight;
    const MpfiValue r2 = min(MpfiValue(1.0, bits) - squares / spread, MpfiValue(1.0, bits));
    fit.r2 = spread.has_zero() ? undefined_interval() : r2.to_interval();
    fit.rmse = sqrt(squares / sums.weight).to_interval();
    fit.max_error = largest_residual(problem, parameters);
    fit.points = positive_weights(problem);
    return fit;
}

}  // namespace farfield::numerics
