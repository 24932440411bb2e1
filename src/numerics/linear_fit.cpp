#include "farfield/numerics/least_squares.hpp"
#include "farfield/numerics/sum.hpp"
#include "numerics/fit_measures.hpp"
#include "numerics/lanes/lanes.hpp"
#include "numerics/precondition.hpp"
#include "numerics/row_blocks.hpp"
#include "numerics/tall_triangle.hpp"

namespace farfield::numerics {

namespace {

// If rows times squared columns is below this number, the factorisation uses long double.
constexpr std::size_t long_double_cost = 2000000;

std::size_t positive_weights(const LinearProblem& problem) {
    if (problem.weights.empty()) return problem.data.size();
    std::size_t count = 0;
    for (const double weight : problem.weights) {
        if (weight < 0) refuse("numerics::fit_linear", "weights", std::to_string(weight), "0 or more");
        count += weight > 0 ? 1 : 0;
    }
    return count;
}

void check_length(const char* argument, std::size_t found, std::size_t wanted) {
    if (found == wanted) return;
    refuse("numerics::fit_linear", argument, std::to_string(found) + " numbers", std::to_string(wanted));
}

std::size_t check(const LinearProblem& problem) {
    const std::size_t rows = problem.data.size();
    if (problem.columns.empty()) refuse("numerics::fit_linear", "columns", "empty", "one column or more");
    for (const std::span<const double> column : problem.columns) check_length("a column", column.size(), rows);
    if (!problem.offset.empty()) check_length("offset", problem.offset.size(), rows);
    if (!problem.weights.empty()) check_length("weights", problem.weights.size(), rows);
    const std::size_t points = positive_weights(problem);
    if (points < problem.columns.size()) {
        refuse("numerics::fit_linear", "data", std::to_string(points) + " points",
               "as many as parameters, " + std::to_string(problem.columns.size()));
    }
    return points;
}

// Prefetches the rows of the next block, a part at each call. Requesting all rows at once would fill the processor's
// memory queue, and the work on this block would wait.
class RowsAhead {
public:
    RowsAhead(const LinearProblem& problem, std::size_t first, std::size_t calls)
        : problem_(problem), next_(first), end_(std::min(first + rows_a_block, problem.data.size())) {
        share_ = (rows_a_block / line + calls - 1) / calls * line;
    }

    void operator()() {
        const std::size_t end = std::min(next_ + share_, end_);
        for (; next_ < end; next_ += line) {
            __builtin_prefetch(problem_.data.data() + next_);
            for (const std::span<const double> column : problem_.columns) __builtin_prefetch(column.data() + next_);
        }
    }

private:
    static constexpr std::size_t line = 64 / sizeof(double);
    const LinearProblem& problem_;
    std::size_t next_;
    std::size_t end_;
    std::size_t share_;
};

double offset_at(const LinearProblem& problem, std::size_t row) {
    return problem.offset.empty() ? 0 : problem.offset[row];
}
double weight_at(const LinearProblem& problem, std::size_t row) {
    return problem.weights.empty() ? 1 : problem.weights[row];
}

// Rows of the design with the data as one more column, scaled by the roots of their weights.
template <class Scalar>
void copy_rows(const LinearProblem& problem, std::size_t first, Eigen::Ref<Matrix<Scalar>> into) {
    const std::size_t parameters = problem.columns.size();
    const Eigen::Index count = into.rows();
    for (std::size_t j = 0; j < parameters; ++j) {
        into.col(static_cast<Eigen::Index>(j)) =
            Eigen::Map<const Eigen::VectorXd>(problem.columns[j].data() + first, count).template cast<Scalar>();
    }
    auto data = into.col(static_cast<Eigen::Index>(parameters));
    data = Eigen::Map<const Eigen::VectorXd>(problem.data.data() + first, count).template cast<Scalar>();
    for (Eigen::Index i = 0; i < count && !problem.offset.empty(); ++i) {
        data(i) -= problem.offset[first + static_cast<std::size_t>(i)];
    }
    for (Eigen::Index i = 0; i < count && !problem.weights.empty(); ++i) {
        into.row(i) *= std::sqrt(static_cast<Scalar>(problem.weights[first + static_cast<std::size_t>(i)]));
    }
}

// The triangle of `stacked`'s QR factorisation, in place in its first rows.
template <class Scalar>
void triangularise(Eigen::Ref<Matrix<Scalar>> stacked, Matrix<Scalar>& triangle) {
    Eigen::HouseholderQR<Eigen::Ref<Matrix<Scalar>>> factors(stacked);
    const Eigen::Index size = triangle.rows();
    triangle = factors.matrixQR().topRows(size).template triangularView<Eigen::Upper>();
}

// The triangle of the whole design and data: blocks are factored below the triangle so far, chunks stacked in order.
template <class Scalar>
Matrix<Scalar> factor(const LinearProblem& problem, Scalar) {
    const auto size = static_cast<Eigen::Index>(problem.columns.size() + 1);
    const Matrix<Scalar> nothing = Matrix<Scalar>::Zero(size, size);
    const auto of_chunk = [&](std::size_t first, std::size_t count) {
        Matrix<Scalar> triangle = nothing;
        Matrix<Scalar> stacked(size + static_cast<Eigen::Index>(std::min(rows_a_block, count)), size);
        for_each_block(first, count, [&](std::size_t start, std::size_t rows) {
            const auto height = static_cast<Eigen::Index>(rows);
            stacked.topRows(size) = triangle;
            copy_rows<Scalar>(problem, start, stacked.middleRows(size, height));
            triangularise<Scalar>(stacked.topRows(size + height), triangle);
        });
        return triangle;
    };
    const std::vector<Matrix<Scalar>> chunks = for_each_chunk(problem.data.size(), nothing, of_chunk);
    Matrix<Scalar> triangle = nothing;
    Matrix<Scalar> stacked(2 * size, size);
    for (const Matrix<Scalar>& chunk : chunks) {
        stacked.topRows(size) = triangle;
        stacked.bottomRows(size) = chunk;
        triangularise<Scalar>(stacked, triangle);
    }
    return triangle;
}

// The same in double, as fast as memory allows.
Matrix<double> factor(const LinearProblem& problem, double) {
    const std::size_t size = problem.columns.size() + 1;
    const auto of_chunk = [&](std::size_t first, std::size_t count) {
        TallTriangle triangle(size);
        Matrix<double> room(static_cast<Eigen::Index>(rows_a_block), static_cast<Eigen::Index>(size));
        for_each_block(first, count, [&](std::size_t start, std::size_t rows) {
            copy_rows<double>(problem, start, room.topRows(static_cast<Eigen::Index>(rows)));
            RowsAhead ask_ahead(problem, start + rows, size * (size + 1) / 2);
            triangle.add(room.data(), rows, rows_a_block, [&] { ask_ahead(); });
        });
        return triangle;
    };
    TallTriangle triangle(size);
    Matrix<double> entries = Matrix<double>::Zero(static_cast<Eigen::Index>(size), static_cast<Eigen::Index>(size));
    const auto copy_of = [&](const TallTriangle& from) {
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t j = i; j < size; ++j)
                entries(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = from.at(i, j);
        }
    };
    for (const TallTriangle& chunk : for_each_chunk(problem.data.size(), TallTriangle(size), of_chunk)) {
        entries.setZero();
        copy_of(chunk);
        triangle.add(entries.data(), size, size, [] {});
    }
    entries.setZero();
    copy_of(triangle);
    return entries;
}

// The sums over all points from which the measures of a fit are computed.
struct Sums {
    double squares = 0;           // sum w r^2
    double spread = 0;            // sum w (data - mean)^2
    double largest_residual = 0;  // max |r|
    std::vector<double> slopes;   // sum of column times r, for each column; empty where it is not needed
};

// A number of values, their mean, and the sum of their squared distances from it.
struct Moments {
    double count = 0;
    double mean = 0;
    double spread = 0;
};

// Combines the moments of two sets (Chan, Golub, LeVeque 1983).
Moments together(const Moments& a, const Moments& b) {
    const double count = a.count + b.count;
    const double apart = b.mean - a.mean;
    return {count, a.mean + apart * (b.count / count),
            a.spread + b.spread + apart * apart * (a.count * b.count / count)};
}

double weighted_mean(const LinearProblem& problem) {
    const auto rows = static_cast<double>(problem.data.size());
    if (problem.weights.empty()) return compensated_sum(problem.data) / rows;
    return compensated_dot(problem.weights, problem.data) / compensated_sum(problem.weights);
}

// Residuals of a block of rows.
template <class Scalar>
void residuals_of(const LinearProblem& problem, const Vector<Scalar>& parameters, std::size_t first,
                  Eigen::Ref<Vector<Scalar>> residuals) {
    const Eigen::Index count = residuals.size();
    residuals = Eigen::Map<const Eigen::VectorXd>(problem.data.data() + first, count).template cast<Scalar>();
    for (Eigen::Index i = 0; i < count && !problem.offset.empty(); ++i) {
        residuals(i) -= offset_at(problem, first + static_cast<std::size_t>(i));
    }
    for (std::size_t j = 0; j < problem.columns.size(); ++j) {
        residuals -=
            parameters(static_cast<Eigen::Index>(j)) *
            Eigen::Map<const Eigen::VectorXd>(problem.columns[j].data() + first, count).template cast<Scalar>();
    }
}

template <class Scalar>
Sums sums_of_chunk(const LinearProblem& problem, const Vector<Scalar>& parameters, double mean, std::size_t first,
                   std::size_t count) {
    Accumulator squares;
    Accumulator spread;
    double largest = 0;
    Vector<Scalar> room(static_cast<Eigen::Index>(std::min(rows_a_block, count)));
    for_each_block(first, count, [&](std::size_t start, std::size_t rows) {
        Eigen::Ref<Vector<Scalar>> residuals = room.head(static_cast<Eigen::Index>(rows));
        residuals_of<Scalar>(problem, parameters, start, residuals);
        Scalar block_squares = 0;
        double block_spread = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            const double weight = weight_at(problem, start + i);
            const Scalar residual = residuals(static_cast<Eigen::Index>(i));
            const double distance = problem.data[start + i] - mean;
            block_squares += weight * residual * residual;
            block_spread += weight * distance * distance;
            largest = std::max(largest, weight > 0 ? static_cast<double>(std::abs(residual)) : 0);
        }
        squares.add(static_cast<double>(block_squares));
        spread.add(block_spread);
    });
    return {squares.total(), spread.total(), largest, {}};
}

// The same without weights in double, as fast as memory allows: the data are read once.
Sums unweighted_sums(const LinearProblem& problem, const Vector<double>& parameters) {
    struct Chunk {
        double squares = 0;
        double largest = 0;
        Moments moments;
        std::vector<double> slopes;
    };
    const std::size_t size = problem.columns.size();
    const LaneFunctions& on_lanes = lane_functions();
    const Chunk none{0, 0, {}, std::vector<double>(size, 0.0)};
    const auto of_chunk = [&](std::size_t first, std::size_t count) {
        Chunk chunk = none;
        std::vector<double> room(rows_a_block);
        for_each_block(first, count, [&](std::size_t start, std::size_t rows) {
            const double* const data = problem.data.data() + start;
            RowsAhead ask_ahead(problem, start + rows, 2 * size + 4);
            std::copy_n(data, rows, room.data());
            if (!problem.offset.empty()) on_lanes.subtract(1, problem.offset.data() + start, room.data(), rows);
            for (std::size_t j = 0; j < size; ++j, ask_ahead())
                on_lanes.subtract(parameters(static_cast<Eigen::Index>(j)), problem.columns[j].data() + start,
                                  room.data(), rows);
            chunk.squares += on_lanes.dot(room.data(), room.data(), rows);
            ask_ahead();
            chunk.largest = std::max(chunk.largest, on_lanes.largest(room.data(), rows));
            ask_ahead();
            for (std::size_t j = 0; j < size; ++j, ask_ahead())
                chunk.slopes[j] += on_lanes.dot(problem.columns[j].data() + start, room.data(), rows);
            const double mean = on_lanes.sum(data, rows) / static_cast<double>(rows);
            ask_ahead();
            chunk.moments =
                together(chunk.moments, {static_cast<double>(rows), mean, on_lanes.spread(data, mean, rows)});
        });
        return chunk;
    };
    Accumulator squares;
    Chunk all = none;
    for (const Chunk& chunk : for_each_chunk(problem.data.size(), none, of_chunk)) {
        squares.add(chunk.squares);
        all.largest = std::max(all.largest, chunk.largest);
        all.moments = together(all.moments, chunk.moments);
        for (std::size_t j = 0; j < size; ++j) all.slopes[j] += chunk.slopes[j];
    }
    return {squares.total(), all.moments.spread, all.largest, all.slopes};
}

template <class Scalar>
Sums sums_of(const LinearProblem& problem, const Vector<Scalar>& parameters) {
    if constexpr (std::is_same_v<Scalar, double>) {
        if (problem.weights.empty()) return unweighted_sums(problem, parameters);
    }
    const double mean = weighted_mean(problem);
    const std::vector<Sums> chunks =
        for_each_chunk(problem.data.size(), Sums{}, [&](std::size_t first, std::size_t count) {
            return sums_of_chunk<Scalar>(problem, parameters, mean, first, count);
        });
    Accumulator squares;
    Accumulator spread;
    double largest = 0;
    for (const Sums& chunk : chunks) {
        squares.add(chunk.squares);
        spread.add(chunk.spread);
        largest = std::max(largest, chunk.largest_residual);
    }
    return {squares.total(), spread.total(), largest, {}};
}

template <class Scalar>
Fit fitted(const LinearProblem& problem, std::size_t points) {
    const auto size = static_cast<Eigen::Index>(problem.columns.size());
    const Matrix<Scalar> factors = factor(problem, Scalar{});
    const Matrix<Scalar> triangle = factors.topLeftCorner(size, size);
    Fit fit;
    fit.points = points;
    all_unknown(fit, problem.columns.size());
    if (!factors.allFinite()) {
        fit.condition = std::numeric_limits<double>::quiet_NaN();
        return fit;
    }
    measure_triangle(triangle, fit);
    if (fit.rank < problem.columns.size()) return fit;
    const auto upper = triangle.template triangularView<Eigen::Upper>();
    Vector<Scalar> parameters = upper.solve(factors.col(size).head(size));
    const Matrix<Scalar> inverse = upper.solve(Matrix<Scalar>::Identity(size, size));
    const Sums sums = sums_of<Scalar>(problem, parameters);
    if (!sums.slopes.empty()) {
        // The remaining gradient after rounding, by the corrected seminormal equations (Bjoerck 1987).
        const Vector<Scalar> slopes = Eigen::Map<const Eigen::VectorXd>(sums.slopes.data(), size).cast<Scalar>();
        const Vector<Scalar> half_way = triangle.transpose().template triangularView<Eigen::Lower>().solve(slopes);
        parameters += upper.solve(half_way);
    }
    const double weights = problem.weights.empty() ? static_cast<double>(points) : compensated_sum(problem.weights);
    measure_residuals({sums.squares, sums.spread, sums.largest_residual, points}, weights, fit);
    set_parameters<Scalar>(parameters, inverse, fit);
    return fit;
}

}  // namespace

Fit fit_linear(const LinearProblem& problem) {
    const std::size_t points = check(problem);
    const std::size_t cost = problem.data.size() * problem.columns.size() * problem.columns.size();
    return cost <= long_double_cost ? fitted<long double>(problem, points) : fitted<double>(problem, points);
}

}  // namespace farfield::numerics
