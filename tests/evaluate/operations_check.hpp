// Holds a machine's operations on rows against plain loops: the same source for the processors' machine, in the tests
// of the room, and for a device, in the gpu suite.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "evaluate/machine/operations.hpp"
#include "support/worst.hpp"

namespace farfield::tests {

/// A row in a machine's memory.
class RowThere {
public:
    RowThere(evaluate::Store& store, std::span<const double> values)
        : memory_(store, std::max<std::size_t>(values.size(), 1) * sizeof(double)), count_(values.size()) {
        if (count_ > 0) store.copy_in(memory_.pointer(), values.data(), count_ * sizeof(double));
    }
    device::Row row() const { return {memory_.as<const double>(), count_}; }
    double* data() const { return memory_.as<double>(); }

private:
    evaluate::Memory memory_;
    std::size_t count_;
};

class OperationsCheck {
public:
    /// Told of every check: whether it holds, what it is, what was found.
    using Expect = std::function<void(bool, const std::string&, const std::string&)>;

    OperationsCheck(evaluate::Operations& operations, evaluate::Store& store, Expect expect)
        : operations_(operations), store_(store), expect_(std::move(expect)) {}

    void run() {
        // Around a lane, a tile, and two levels of folds.
        for (const std::size_t count : {1, 2, 255, 257, 16384, 16385, 100003, 1100003}) {
            extremes(count);
            sums(count);
            steps(count);
            weights(count);
            running(count);
            fits(count);
        }
        ranges();
        matrices();
        sets();
        for (const std::size_t count : {5, 1000, 4099}) convolutions(count);
    }

    std::vector<double> fetch(const evaluate::Memory& memory, std::size_t count) {
        std::vector<double> values(count);
        store_.copy_out(values.data(), memory.pointer(), count * sizeof(double));
        return values;
    }

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    std::vector<double> random_row(std::size_t count, double least, double greatest) {
        std::vector<double> row(count);
        for (double& value : row) value = std::uniform_real_distribution<double>(least, greatest)(random_);
        return row;
    }
    evaluate::Memory room(std::size_t count) { return {store_, std::max<std::size_t>(count, 1) * sizeof(double)}; }

    void expect(bool holds, const std::string& what, std::size_t count, double found = 0, double wanted = 0) {
        expect_(holds, what + " of " + std::to_string(count), std::to_string(found) + " for " + std::to_string(wanted));
    }
    void near(double found, long double wanted, long double bound, const std::string& what, std::size_t count) {
        expect(std::fabs(static_cast<long double>(found) - wanted) <= bound, what, count, found,
               static_cast<double>(wanted));
    }

    void extremes(std::size_t count) {
        // Few values, so that each stands in many lanes; some that are not finite.
        std::vector<double> row(count);
        for (double& value : row) value = static_cast<double>(random_() % 1000) - 500;
        const auto check = [&](const std::string& what) {
            const RowThere there(store_, row);
            const evaluate::Extremes found = operations_.extremes(there.row());
            const auto find = [&](auto holds) {
                const auto at = std::find_if(row.begin(), row.end(), holds);
                return at == row.end() ? evaluate::nowhere : static_cast<std::size_t>(at - row.begin());
            };
            std::size_t least = evaluate::nowhere, greatest = evaluate::nowhere;
            for (std::size_t i = 0; i < count; ++i) {
                if (std::isnan(row[i])) continue;
                if (least == evaluate::nowhere || row[i] < row[least]) least = i;
                if (greatest == evaluate::nowhere || row[i] > row[greatest]) greatest = i;
            }
            const bool values =
                least == evaluate::nowhere || (found.least == row[least] && found.greatest == row[greatest]);
            expect(values && found.at_least == least && found.at_greatest == greatest, "extremes, " + what, count,
                   found.least, found.greatest);
            expect(found.first_nan == find([](double x) { return std::isnan(x); }) &&
                       found.first_not_finite == find([](double x) { return !std::isfinite(x); }),
                   "first bad number, " + what, count);
        };
        check("finite");
        // Later numbers are larger in size, so that both extremes change up to the end.
        for (std::size_t i = 0; i < count; ++i) row[i] *= static_cast<double>(i + 1);
        check("growing");
        row[random_() % count] = infinity;
        row[random_() % count] = -infinity;
        check("infinities");
        row[random_() % count] = std::nan("");
        row[random_() % count] = std::nan("");
        check("NaN");
    }

    void sums(std::size_t count) {
        // Of many sizes and both signs, so that plain sums would lose digits.
        std::vector<double> x = random_row(count, -1, 1);
        for (double& value : x) value = std::ldexp(value, static_cast<int>(random_() % 20));
        const std::vector<double> y = random_row(count, -1, 1);
        long double sum = 0, size = 0, dot = 0, dot_size = 0;
        for (std::size_t i = 0; i < count; ++i) {
            sum += x[i];
            size += std::fabs(x[i]);
            dot += static_cast<long double>(x[i]) * y[i];
            dot_size += std::fabs(static_cast<long double>(x[i]) * y[i]);
        }
        // The plain loop in long double errs by this much itself.
        const long double loop = static_cast<long double>(count) * 0x1p-64L;
        const RowThere a(store_, x), b(store_, y);
        near(operations_.sum(a.row()), sum, loop * size + 0x1p-53L * std::fabs(sum), "sum", count);
        near(operations_.dot(a.row(), b.row()), dot, loop * dot_size + 0x1p-53L * std::fabs(dot), "dot product", count);
    }

    void steps(std::size_t count) {
        std::vector<double> row(count);
        for (double& value : row) value = static_cast<double>(random_() % 64) / 8;
        std::size_t rises = 0, falls = 0, first = evaluate::nowhere;
        double largest = 0, variation = 0;
        for (std::size_t i = 0; i + 1 < count; ++i) {
            const double step = row[i + 1] - row[i];
            variation += std::fabs(step);  // eighths: exact
            falls += step < 0 ? 1 : 0;
            if (step > 0 && rises++ == 0) first = i;
            largest = std::max(largest, step);
        }
        const RowThere there(store_, row);
        const device::Steps found = operations_.steps(there.row());
        expect(found.rises == rises && found.falls == falls && found.first_rise == first &&
                   found.largest_rise == largest && found.variation.total() == variation,
               "steps", count, found.variation.total(), variation);
        const auto above = std::find_if(row.begin(), row.end(), [](double x) { return x > 7.5; });
        const std::size_t wanted =
            above == row.end() ? evaluate::nowhere : static_cast<std::size_t>(above - row.begin());
        expect(operations_.first_above(there.row(), 7.5) == wanted, "first number above", count);
    }

    void weights(std::size_t count) {
        // Levels that differ by hundreds, a tenth without any weight, and a logit after the last that counts.
        std::vector<double> row = random_row(count, -9, 9);
        for (std::size_t i = 0; i < count; ++i)
            row[i] = random_() % 10 == 0 ? -infinity : row[i] - 40.0 * static_cast<double>(i / 700 % 9);
        row[0] = 1;
        const double scale = 0.75, next = 4;
        const RowThere there(store_, row);
        const evaluate::RowSums found = operations_.weights(there.row(), scale, next);
        long double shift = next;
        for (const double x : row) shift = std::max(shift, static_cast<long double>(scale) * x);
        long double total = 0, squares = 0, falls = 0, size = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const long double here = std::exp(static_cast<long double>(scale) * row[i] - shift);
            const long double after = std::exp(i + 1 < count ? static_cast<long double>(scale) * row[i + 1] - shift
                                                             : static_cast<long double>(next) - shift);
            total += here;
            squares += here * here;
            falls += here * (here - after);
            size += here * (here + after);
        }
        // Exponents err by their size in units of 2^-53, and none that counts exceeds 40.
        const long double bound = (300 + 2 * 40) * 0x1p-53L;
        expect(std::fabs(static_cast<long double>(found.shift) - shift) <= 0x1p-50L, "shift of weights", count);
        near(found.total, total, bound * total, "sum of weights", count);
        near(found.squares, squares, 2 * bound * squares, "sum of squared weights", count);
        near(found.falls, falls, 2 * bound * size, "sum of falls", count);
        const evaluate::Memory out = room(count);
        operations_.share_out(there.row(), found.shift, 1 / found.total, out.as<double>());
        const std::vector<double> shares = fetch(out, count);
        double worst = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const long double exact = std::exp(static_cast<long double>(row[i]) - found.shift) / found.total;
            const long double logit = std::fabs(static_cast<long double>(row[i]) - found.shift);
            const bool holds =
                std::isinf(row[i]) ? shares[i] == 0 : std::fabs(shares[i] - exact) <= (8 + logit) * 0x1p-53L * exact;
            if (!holds) worst = worse(worst, std::fabs(shares[i] - static_cast<double>(exact)));
        }
        expect(worst == 0, "softmax", count, worst);
    }

    void running(std::size_t count) {
        const std::vector<double> row = random_row(count, 0, 1);
        const RowThere there(store_, row);
        const evaluate::Memory out = room(count);
        operations_.running_sums(there.row(), out.as<double>());
        const std::vector<double> found = fetch(out, count);
        long double sum = 0, worst = 0;
        for (std::size_t i = 0; i < count; ++i) {
            sum += row[i];
            worst = worse(worst, std::fabs(found[i] - sum) / sum);
        }
        expect(worst <= 200 * 0x1p-53L, "running sums", count, static_cast<double>(worst));
        operations_.mix(there.row(), 0.75, 0.25, out.as<double>());
        std::vector<double> wanted = row;
        for (double& x : wanted) x *= 0.75;
        wanted[0] += 0.25;
        expect(fetch(out, count) == wanted, "row with a residual path", count);
        const RowThere other(store_, wanted);
        operations_.mean({there.row(), other.row(), there.row()}, out.as<double>());
        std::vector<double> mean(count);
        for (std::size_t i = 0; i < count; ++i) mean[i] = (row[i] + wanted[i] + row[i]) / 3;
        expect(fetch(out, count) == mean, "mean of rows", count);
        operations_.subtract(there.row(), other.row(), out.as<double>());
        for (std::size_t i = 0; i < count; ++i) wanted[i] = row[i] - wanted[i];
        expect(fetch(out, count) == wanted, "difference", count);
    }

    /// Products of few factors, of as many as one fold takes and of more; weighted and not; and residuals.
    void fits(std::size_t count) {
        for (const std::size_t columns : {2, 5, 6, 7, 11}) {
            if (columns > 6 && count > 200000) continue;
            std::vector<std::vector<double>> values;
            for (std::size_t j = 0; j < columns + 3; ++j)
                values.push_back(random_row(count, j == columns + 2 ? 0 : -2, 2));
            std::vector<RowThere> there;
            for (const auto& row : values) there.emplace_back(store_, row);
            evaluate::FitRows rows;
            for (std::size_t j = 0; j < columns; ++j) rows.columns.push_back(there[j].row());
            rows.fit.data = there[columns].row();
            rows.fit.offset = there[columns + 1].row();
            if (columns > 2) rows.fit.weights = there[columns + 2].row();
            products(rows, values, count);
            residuals(rows, values, count);
        }
    }

    static long double weight(const evaluate::FitRows& rows, const std::vector<std::vector<double>>& values,
                              std::size_t i) {
        return rows.fit.weights.count != 0 ? values.back()[i] : 1;
    }

    void products(const evaluate::FitRows& rows, const std::vector<std::vector<double>>& values, std::size_t count) {
        const std::size_t columns = rows.columns.size();
        const std::size_t factors = columns + 2;
        const std::vector<device::Sum> found = operations_.products(rows);
        expect(found.size() == factors * (factors + 1) / 2, "how many products", count);
        const auto factor = [&](std::size_t j, std::size_t i) -> long double {
            if (j < columns) return values[j][i];
            return j == columns ? 1 : values[columns][i] - values[columns + 1][i];
        };
        for (std::size_t a = 0; a < factors; ++a) {
            for (std::size_t b = a; b < factors; ++b) {
                long double sum = 0, size = 0;
                for (std::size_t i = 0; i < count; ++i) {
                    const long double product = weight(rows, values, i) * factor(a, i) * factor(b, i);
                    sum += product;
                    size += std::fabs(product);
                }
                const double one = found[evaluate::pair_index(a, b, factors)].total();
                near(one, sum, static_cast<long double>(count + 2) * 0x1p-64L * size + 0x1p-53L * std::fabs(sum),
                     "products of factors " + std::to_string(a) + " and " + std::to_string(b), count);
            }
        }
    }

    void residuals(const evaluate::FitRows& rows, const std::vector<std::vector<double>>& values, std::size_t count) {
        const std::size_t columns = rows.columns.size();
        const double centre = 0.125;
        std::vector<double> parameters;
        for (std::size_t j = 0; j < columns; ++j) parameters.push_back(0.5 - static_cast<double>(j));
        const device::Residuals found = operations_.residuals(rows, parameters, centre);
        long double squares = 0, spread = 0;
        double largest = 0;
        for (std::size_t i = 0; i < count; ++i) {
            double residual = values[columns][i] - values[columns + 1][i];
            for (std::size_t j = 0; j < columns; ++j) residual -= parameters[j] * values[j][i];
            const long double distance = values[columns][i] - centre;
            squares += weight(rows, values, i) * residual * residual;
            spread += weight(rows, values, i) * distance * distance;
            largest = worse(largest, std::fabs(residual));
        }
        // A product with a weight is rounded once before it is squared out.
        const long double bound = 0x1p-52L + static_cast<long double>(count) * 0x1p-63L;
        near(found.squares.total(), squares, bound * squares, "squared residuals", count);
        near(found.spread.total(), spread, bound * spread, "spread of the data", count);
        expect(found.largest == largest, "largest residual", count, found.largest, largest);
    }

    /// A range that is not stored is the same row.
    void ranges() {
        constexpr std::size_t count = 40001;
        const device::Row range{nullptr, count, 0.1, 0.3, 17};
        std::vector<double> row(count);
        for (std::size_t i = 0; i < count; ++i) row[i] = 0.1 + 0.3 * static_cast<double>(17 + i);
        const RowThere there(store_, row);
        expect(operations_.sum(range) == operations_.sum(there.row()), "sum of a range", count);
        expect(operations_.dot(range, there.row()) == operations_.dot(there.row(), there.row()), "dot of a range",
               count);
        const evaluate::Memory out = room(count);
        operations_.mix(range, 1, 0, out.as<double>());
        expect(fetch(out, count) == row, "numbers of a range", count);
    }

    void matrices() {
        for (const std::size_t length : {1, 3, 100, 515}) {
            constexpr std::size_t heads = 3;
            const std::size_t distances = 2 * length - 1;
            const std::vector<double> bias = random_row(heads * distances, -1, 1);
            const RowThere there(store_, bias);
            const evaluate::Memory out = room(heads * length * length);
            operations_.spread_distances(there.data(), heads, length, out.as<double>());
            const std::vector<double> found = fetch(out, heads * length * length);
            std::size_t wrong = 0;
            for (std::size_t h = 0; h < heads; ++h)
                for (std::size_t q = 0; q < length; ++q)
                    for (std::size_t k = 0; k < length; ++k)
                        wrong +=
                            found[(h * length + q) * length + k] == bias[h * distances + length - 1 - q + k] ? 0 : 1;
            expect(wrong == 0, "matrix of distances", length, static_cast<double>(wrong));
        }
    }

    void sets() {
        constexpr std::size_t words = 40;
        constexpr long long length = 64 * words;
        std::vector<bool> members(length);
        std::vector<std::uint64_t> set(words);
        for (long long i = 0; i < length; ++i) {
            if (random_() % 9 != 0) continue;
            members[static_cast<std::size_t>(i)] = true;
            set[static_cast<std::size_t>(i / 64)] |= std::uint64_t{1} << (i % 64);
        }
        const std::vector<long long> shifts = {0, 1, 63, 64, 65, 1000, -1, -64, -100, -3000, 5000};
        std::vector<std::uint64_t> wanted(words);
        for (const long long shift : shifts) {
            for (long long i = 0; i < length; ++i) {
                const long long moved = i + shift;
                if (members[static_cast<std::size_t>(i)] && moved >= 0 && moved < length)
                    wanted[static_cast<std::size_t>(moved / 64)] |= std::uint64_t{1} << (moved % 64);
            }
        }
        const evaluate::Memory from(store_, words * 8), by(store_, shifts.size() * 8), out(store_, words * 8);
        store_.copy_in(from.pointer(), set.data(), words * 8);
        store_.copy_in(by.pointer(), shifts.data(), shifts.size() * 8);
        operations_.unite_shifted(from.as<std::uint64_t>(), words, by.as<long long>(), shifts.size(),
                                  out.as<std::uint64_t>());
        std::vector<std::uint64_t> found(words);
        store_.copy_out(found.data(), out.pointer(), words * 8);
        expect(found == wanted, "union of shifted sets", words);
    }

    void convolutions(std::size_t count) {
        std::vector<double> a = random_row(count, 0, 1), b = random_row(count, 0, 1);
        const double share = 1 / static_cast<double>(count);
        for (auto* row : {&a, &b})
            for (double& value : *row) value *= share;
        const RowThere left(store_, a), right(store_, b);
        const evaluate::Memory out = room(count);
        try {
            operations_.convolve(left.row(), right.row(), out.as<double>());
        } catch (const evaluate::MachineError& error) {
            // cuFFT is a library of its own.
            expect_(error.kind() == evaluate::MachineError::Kind::other, "convolution", error.what());
            return;
        }
        const std::vector<double> found = fetch(out, count);
        // numerics::convolution_error_bound for rows whose entries and sums are at most share and 1.
        const long double norm = std::sqrt(static_cast<long double>(share));
        const long double bound = 0x1p-48L * std::log2(2.0L * count) * (norm * norm + norm);
        long double worst = 0;
        for (std::size_t n = 0; n < count; ++n) {
            long double exact = 0;
            for (std::size_t j = 0; j <= n; ++j) exact += static_cast<long double>(a[n - j]) * b[j];
            worst = worse(worst, std::fabs(found[n] - exact));
        }
        expect(worst <= bound, "convolution", count, static_cast<double>(worst), static_cast<double>(bound));
    }

    evaluate::Operations& operations_;
    evaluate::Store& store_;
    Expect expect_;
    std::mt19937_64 random_{20261121};
};

}  // namespace farfield::tests
