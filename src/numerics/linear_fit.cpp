#include "farfield/numerics/least_squares.hpp"
#include "farfield/numerics/sum.hpp"
#include "numerics/fit_measures.hpp"
#include "numerics/lanes/lanes.hpp"
#include "numerics/precondition.hpp"
#include "numerics/product_fit.hpp"
#include "numerics/row_blocks.hpp"
#include "numerics/tall_triangle.hpp"

namespace farfield::numerics {

namespace {

// If rows times squared columns is at most this number, the fit is by products with twice the digits of double.
constexpr std::size_t products_cost = 2000000;

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
void copy_rows(const LinearProblem& problem, std::size_t first, Eigen::Ref<Matrix> into) {
    const std::size_t parameters = problem.columns.size();
    const Eigen::Index count = into.rows();
    for (std::size_t j = 0; j < parameters; ++j)
        into.col(static_cast<Eigen::Index>(j)) =
            Eigen::Map<const Eigen::VectorXd>(problem.columns[j].data() + first, count);
    auto data = into.col(static_cast<Eigen::Index>(parameters));
    data = Eigen::Map<const Eigen::VectorXd>(problem.data.data() + first, count);
    for (Eigen::Index i = 0; i < count && !problem.offset.empty(); ++i)
        data(i) -= problem.offset[first + static_cast<std::size_t>(i)];
    for (Eigen::Index i = 0; i < count && !problem.weights.empty(); ++i)
        into.row(i) *= std::sqrt(problem.weights[first + static_cast<std::size_t>(i)]);
}

// The triangle of the whole design and data: blocks are factored below the triangle so far, chunks stacked in order.
Matrix factor(const LinearProblem& problem) {
    const std::size_t size = problem.columns.size() + 1;
    const auto of_chunk = [&](std::size_t first, std::size_t count) {
        TallTriangle triangle(size);
        Matrix room(static_cast<Eigen::Index>(rows_a_block), static_cast<Eigen::Index>(size));
        for_each_block(first, count, [&](std::size_t start, std::size_t rows) {
            copy_rows(problem, start, room.topRows(static_cast<Eigen::Index>(rows)));
            RowsAhead ask_ahead(problem, start + rows, size * (size + 1) / 2);
            triangle.add(room.data(), rows, rows_a_block, [&] { ask_ahead(); });
        });
        return triangle;
    };
    TallTriangle triangle(size);
    Matrix entries = Matrix::Zero(static_cast<Eigen::Index>(size), static_cast<Eigen::Index>(size));
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

double largest_of(std::span<const double> values) {
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    return largest;
}

// The power of two at or below the magnitude, and at least -1000, so that its inverse is a double; 0 if the magnitude
// is 0 or not finite.
int scale_of(double magnitude) {
    return magnitude > 0 && std::isfinite(magnitude) ? std::max(std::ilogb(magnitude), -1000) : 0;
}

// Scaled products have neither overflow nor a loss of digits.
FitScales scales_of(const LinearProblem& problem) {
    FitScales scales;
    for (const std::span<const double> column : problem.columns) scales.columns.push_back(scale_of(largest_of(column)));
    scales.data = scale_of(std::max(largest_of(problem.data), largest_of(problem.offset)));
    scales.weights = scale_of(largest_of(problem.weights)) & ~1;
    return scales;
}

// The products of one row's columns, 1 and data, in the order of FitProducts. Of those with 1, a fit reads the weights
// alone.
class RowProducts {
public:
    RowProducts(const LinearProblem& problem, const FitScales& scales)
        : problem_(problem), row_(problem.columns.size() + 1) {
        for (const int scale : scales.columns) columns_.push_back(std::ldexp(1.0, -scale));
        data_ = std::ldexp(1.0, -scales.data);
        weights_ = std::ldexp(1.0, -scales.weights);
    }

    void add(std::size_t at, std::vector<DoubleDouble>& sums) {
        const std::size_t columns = columns_.size();
        for (std::size_t j = 0; j < columns; ++j) row_[j] = {problem_.columns[j][at] * columns_[j], 0};
        row_[columns] = two_sum(problem_.data[at] * data_, -offset_at(problem_, at) * data_);
        const double weight = weight_at(problem_, at) * weights_;
        DoubleDouble* sum = sums.data();
        for (std::size_t i = 0; i < columns; ++i) {
            const DoubleDouble weighted = weight == 1 ? row_[i] : row_[i] * weight;
            for (std::size_t j = i; j < columns; ++j, ++sum) *sum = *sum + weighted * row_[j].hi;
            ++sum;
            *sum = *sum + weighted * row_[columns];
            ++sum;
        }
        *sum = *sum + DoubleDouble{weight, 0};
        sum += 2;
        *sum = *sum + row_[columns] * weight * row_[columns];
    }

private:
    const LinearProblem& problem_;
    std::vector<double> columns_;
    double data_;
    double weights_;
    std::vector<DoubleDouble> row_;
};

// Sums of blocks are added up in chunks, and those of chunks in order.
FitProducts products_of(const LinearProblem& problem, const FitScales& scales) {
    const std::size_t columns = problem.columns.size();
    const std::vector<DoubleDouble> none((columns + 2) * (columns + 3) / 2);
    const auto add_to = [](std::vector<DoubleDouble>& sums, const std::vector<DoubleDouble>& more) {
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = sums[i] + more[i];
    };
    const auto of_chunk = [&](std::size_t first, std::size_t count) {
        RowProducts products(problem, scales);
        std::vector<DoubleDouble> sums = none;
        for_each_block(first, count, [&](std::size_t start, std::size_t rows) {
            std::vector<DoubleDouble> of_block = none;
            for (std::size_t row = start; row < start + rows; ++row) products.add(row, of_block);
            add_to(sums, of_block);
        });
        return sums;
    };
    FitProducts products{columns, none};
    for (const auto& chunk : for_each_chunk(problem.data.size(), none, of_chunk)) add_to(products.entries, chunk);
    return products;
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

// Residuals with parameters of a fit by the QR factorisation, in double.
void residuals_of(const LinearProblem& problem, std::span<const double> parameters, std::size_t first,
                  std::span<double> residuals) {
    const auto count = static_cast<Eigen::Index>(residuals.size());
    Eigen::Map<Vector> found(residuals.data(), count);
    found = Eigen::Map<const Vector>(problem.data.data() + first, count);
    if (!problem.offset.empty()) found -= Eigen::Map<const Vector>(problem.offset.data() + first, count);
    for (std::size_t j = 0; j < problem.columns.size(); ++j)
        found -= parameters[j] * Eigen::Map<const Vector>(problem.columns[j].data() + first, count);
}

// The same with twice the digits, rounded at the end.
void exact_residuals_of(const LinearProblem& problem, std::span<const double> parameters, std::size_t first,
                        std::span<double> residuals) {
    for (std::size_t i = 0; i < residuals.size(); ++i) {
        const std::size_t row = first + i;
        DoubleDouble residual = two_sum(problem.data[row], -offset_at(problem, row));
        for (std::size_t j = 0; j < problem.columns.size(); ++j)
            residual = residual - two_product(parameters[j], problem.columns[j][row]);
        residuals[i] = residual.hi;
    }
}

using ResidualsOf = decltype(residuals_of);

Sums sums_of_chunk(const LinearProblem& problem, std::span<const double> parameters, ResidualsOf& set_residuals,
                   double mean, std::size_t first, std::size_t count) {
    Accumulator squares;
    Accumulator spread;
    double largest = 0;
    std::vector<double> room(std::min(rows_a_block, count));
    for_each_block(first, count, [&](std::size_t start, std::size_t rows) {
        const std::span<double> residuals(room.data(), rows);
        set_residuals(problem, parameters, start, residuals);
        double block_squares = 0;
        double block_spread = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            const double weight = weight_at(problem, start + i);
            const double distance = problem.data[start + i] - mean;
            block_squares += weight * residuals[i] * residuals[i];
            block_spread += weight * distance * distance;
            largest = std::max(largest, weight > 0 ? std::abs(residuals[i]) : 0);
        }
        squares.add(block_squares);
        spread.add(block_spread);
    });
    return {squares.total(), spread.total(), largest, {}};
}

// The sums without weights in double, as fast as memory allows: the data are read once.
Sums unweighted_sums(const LinearProblem& problem, std::span<const double> parameters) {
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
                on_lanes.subtract(parameters[j], problem.columns[j].data() + start, room.data(), rows);
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

Sums sums_of(const LinearProblem& problem, std::span<const double> parameters, ResidualsOf& set_residuals) {
    const double mean = weighted_mean(problem);
    const std::vector<Sums> chunks =
        for_each_chunk(problem.data.size(), Sums{}, [&](std::size_t first, std::size_t count) {
            return sums_of_chunk(problem, parameters, set_residuals, mean, first, count);
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

Fit fit_by_products(const LinearProblem& problem, std::size_t points) {
    const FitScales scales = scales_of(problem);
    Fit fit = fit_scaled(products_of(problem, scales), scales, [&](std::span<const double> parameters) {
        const Sums sums = sums_of(problem, parameters, exact_residuals_of);
        return FitResiduals{sums.squares, sums.spread, sums.largest_residual, points};
    });
    fit.points = points;
    return fit;
}

// By Householder's QR factorisation in double.
Fit fit_by_factors(const LinearProblem& problem, std::size_t points) {
    const auto size = static_cast<Eigen::Index>(problem.columns.size());
    const Matrix factors = factor(problem);
    const Matrix triangle = factors.topLeftCorner(size, size);
    Fit fit;
    fit.points = points;
    all_unknown(fit, problem.columns.size());
    if (!factors.allFinite()) {
        fit.condition = std::numeric_limits<double>::quiet_NaN();
        return fit;
    }
    measure_triangle(triangle, fit);
    if (fit.rank < problem.columns.size()) return fit;
    const auto upper = triangle.triangularView<Eigen::Upper>();
    Vector parameters = upper.solve(factors.col(size).head(size));
    const Matrix inverse = upper.solve(Matrix::Identity(size, size));
    const std::span<const double> found(parameters.data(), problem.columns.size());
    const Sums sums = problem.weights.empty() ? unweighted_sums(problem, found) : sums_of(problem, found, residuals_of);
    if (!sums.slopes.empty()) {
        // The remaining gradient after rounding, by the corrected seminormal equations (Bjoerck 1987).
        const Vector slopes = Eigen::Map<const Vector>(sums.slopes.data(), size);
        const Vector half_way = triangle.transpose().triangularView<Eigen::Lower>().solve(slopes);
        parameters += upper.solve(half_way);
    }
    const double weights = problem.weights.empty() ? static_cast<double>(points) : compensated_sum(problem.weights);
    measure_residuals({sums.squares, sums.spread, sums.largest_residual, points}, weights, fit);
    fit.parameters.assign(parameters.begin(), parameters.end());
    for (Eigen::Index j = 0; j < size; ++j)
        fit.standard_errors[static_cast<std::size_t>(j)] = fit.deviation * inverse.row(j).stableNorm();
    return fit;
}

}  // namespace

Fit fit_linear(const LinearProblem& problem) {
    const std::size_t points = check(problem);
    const std::size_t cost = problem.data.size() * problem.columns.size() * problem.columns.size();
    return cost <= products_cost ? fit_by_products(problem, points) : fit_by_factors(problem, points);
}

}  // namespace farfield::numerics
