#include "evaluate/linear_phase.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "evaluate/interpreter.hpp"
#include "evaluate/parallel.hpp"

namespace farfield::evaluate {

namespace {

using formula::Op;

constexpr std::size_t fewest_points = 4096;
constexpr std::size_t fewest_waves = 4;
constexpr double fewest_rows = 16;        ///< of the first factor: the columns of the second span less of the range
constexpr double largest_exponent = 600;  ///< of amplitude and envelope, so that no factor over- or underflows
constexpr double largest_error = 1e-12;   ///< of the sum of magnitudes
constexpr std::size_t points_per_operation = 4;

// An exact multiple of an angle; negative multiples wrap around as well.
Turns times(Turns angle, std::int64_t count) {
    return angle * static_cast<Turns>(count);
}

// The angle in [-pi, pi], within 3 roundings of 2^-53 each.
double radians(Turns angle) {
    return static_cast<double>(static_cast<std::int64_t>(angle >> 64)) * (2 * std::numbers::pi * 0x1p-64);
}

// Whether a wave counts beside the largest: what is left out is below 2^-54 of the sum of magnitudes altogether.
constexpr double negligible = -66 * std::numbers::ln2;

double logarithm_of_size(const Wave& wave, double n) {
    return std::log(std::fabs(wave.amplitude)) + wave.rate * n;
}

// The two factors, and the columns K of the second. Each wave has a row of cosines and one of sines in the second
// factor. Waves stand in the order in which they die away, so that the first few are all that counts far out.
class AngleAddition {
public:
    AngleAddition(const std::vector<Wave>& waves, const Range& range, const Kernel<double>& kernel)
        : waves_(waves), range_(range), kernel_(kernel) {
        std::stable_sort(waves_.begin(), waves_.end(), [](const Wave& a, const Wave& b) { return a.rate > b.rate; });
        while (columns_ * columns_ < range.count && columns_ < most_columns) columns_ *= 2;
        right_.resize(inner() * columns_);
        in_parallel(waves_.size(), 1, [this](std::size_t begin, std::size_t end) {
            for (std::size_t wave = begin; wave < end; ++wave) fill_right(wave);
        });
    }

    void run(std::span<double> result) {
        const std::size_t rows = (range_.count + columns_ - 1) / columns_;
        in_parallel(rows, rows_at_once, [&](std::size_t begin, std::size_t end) {
            Room room{std::vector<double>(rows_at_once * inner()), std::vector<double>(4 * rounded_up(waves_.size())),
                      std::vector<double>(columns_)};
            for (std::size_t row = begin; row < end; row += rows_at_once) {
                run_rows(row, std::min(rows_at_once, end - row), room, result);
            }
        });
    }

private:
    static constexpr std::size_t rows_at_once = 24;
    static constexpr std::size_t most_columns = 512;

    struct Room {
        std::vector<double> left;
        std::vector<double> scratch;
        std::vector<double> last;
    };

    static std::size_t rounded_up(std::size_t count) {
        return (count + lane_multiple - 1) / lane_multiple * lane_multiple;
    }
    std::size_t inner() const { return 2 * waves_.size(); }
    std::int64_t step() const { return static_cast<std::int64_t>(range_.step); }

    void call(Op op, double* out, const double* in, std::size_t lanes) const {
        kernel_.at(op, Uniform::none)(out, in, nullptr, nullptr, lanes);
    }

    // exp(s b) cos(w b) and exp(s b) sin(w b) for the columns b, laid out in panels of the columns that the product
    // takes at once.
    void fill_right(std::size_t index) {
        const Wave& wave = waves_[index];
        std::vector<double> angle(columns_);
        std::vector<double> exponent(columns_);
        std::vector<double> values(columns_);
        const Turns stride = times(wave.frequency, step());
        Turns turns = 0;
        for (std::size_t b = 0; b < columns_; ++b, turns += stride) {
            angle[b] = radians(turns);
            exponent[b] = wave.rate * (range_.step * static_cast<double>(b));
        }
        if (wave.rate != 0) call(Op::exponential, exponent.data(), exponent.data(), columns_);
        call(Op::cosine, values.data(), angle.data(), columns_);
        place(2 * index, values, wave.rate != 0 ? exponent.data() : nullptr);
        call(Op::sine, values.data(), angle.data(), columns_);
        place(2 * index + 1, values, wave.rate != 0 ? exponent.data() : nullptr);
    }

    void place(std::size_t row, const std::vector<double>& values, const double* envelope) {
        const std::size_t panel = kernel_.panel_columns;
        for (std::size_t b = 0; b < columns_; ++b) {
            right_[(b / panel * inner() + row) * panel + b % panel] =
                values[b] * (envelope != nullptr ? envelope[b] : 1);
        }
    }

    // How many of the first waves count between two distances. Logarithms of sizes are straight lines, so what is far
    // below another wave at both ends is so in between.
    std::size_t count_until_negligible(double from, double to) const {
        const auto best = std::max_element(waves_.begin(), waves_.end(), [&](const Wave& a, const Wave& b) {
            return logarithm_of_size(a, from) < logarithm_of_size(b, from);
        });
        const double largest_from = logarithm_of_size(*best, from);
        const double largest_to = logarithm_of_size(*best, to);
        std::size_t count = waves_.size();
        while (count > 1 && logarithm_of_size(waves_[count - 1], from) < largest_from + negligible &&
               logarithm_of_size(waves_[count - 1], to) < largest_to + negligible) {
            --count;
        }
        return count;
    }

    // A exp(s n) cos(w n + p) and -A exp(s n) sin(w n + p) of the first waves where row `row` begins.
    void fill_left(std::size_t row, std::size_t count, double* left, std::vector<double>& scratch) const {
        const std::size_t lanes = rounded_up(count);
        double* const angle = scratch.data();
        double* const envelope = angle + lanes;
        double* const cosine = envelope + lanes;
        double* const sine = cosine + lanes;
        const double start = range_.at(row * columns_);
        for (std::size_t m = 0; m < count; ++m) {
            angle[m] = radians(times(waves_[m].frequency, static_cast<std::int64_t>(start)) + waves_[m].phase);
            envelope[m] = waves_[m].rate * start;
        }
        call(Op::exponential, envelope, envelope, lanes);
        call(Op::cosine, cosine, angle, lanes);
        call(Op::sine, sine, angle, lanes);
        for (std::size_t m = 0; m < count; ++m) {
            const double size = waves_[m].amplitude * envelope[m];
            left[2 * m] = size * cosine[m];
            left[2 * m + 1] = -size * sine[m];
        }
    }

    void run_rows(std::size_t first, std::size_t rows, Room& room, std::span<double> result) const {
        const std::size_t begin = first * columns_;
        const std::size_t end = std::min(begin + rows * columns_, range_.count);
        const std::size_t count = count_until_negligible(range_.at(begin), range_.at(end - 1));
        for (std::size_t i = 0; i < rows; ++i)
            fill_left(first + i, count, room.left.data() + i * 2 * count, room.scratch);
        const std::size_t whole = (end - begin) / columns_;
        multiply(room.left.data(), whole, 2 * count, result.data() + begin);
        if (whole == rows) return;
        multiply(room.left.data() + whole * 2 * count, 1, 2 * count, room.last.data());
        const std::size_t at = begin + whole * columns_;
        std::copy_n(room.last.begin(), end - at, result.begin() + static_cast<std::ptrdiff_t>(at));
    }

    void multiply(const double* left, std::size_t rows, std::size_t used, double* out) const {
        kernel_.multiply({left, rows, used, right_.data(), inner(), columns_, out});
    }

    std::vector<Wave> waves_;
    Range range_;
    const Kernel<double>& kernel_;
    std::size_t columns_ = 64;
    std::vector<double> right_;
};

bool are_integers(const Range& range) {
    const double last = range.from + range.step * static_cast<double>(range.count);
    return as_integer(range.from) && as_integer(range.step) && std::fabs(last) < largest_integer;
}

// Whether no factor overflows and the stated bound of the error is small enough.
bool are_moderate(const std::vector<Wave>& waves, const Range& range) {
    const double first = range.from;
    const double last = range.at(range.count - 1);
    double steepest = 0;
    for (const Wave& wave : waves) {
        const double size = std::log(std::fabs(wave.amplitude));
        const double largest = std::max(wave.rate * first, wave.rate * last);
        const double across = std::fabs(wave.rate * (last - first)) / fewest_rows;
        if (!(std::fabs(size) <= largest_exponent && size + largest <= largest_exponent &&
              across <= largest_exponent)) {
            return false;
        }
        steepest = std::max(steepest, std::fabs(wave.rate) * std::max(std::fabs(first), std::fabs(last)));
    }
    // An exponent below that of the least double is of a wave that is zero.
    steepest = std::min(steepest, 2 * largest_exponent);
    return (2 * static_cast<double>(waves.size()) + 40 + 3 * steepest) * 0x1p-53 < largest_error;
}

}  // namespace

void add_waves(const std::vector<Wave>& waves, const Range& range, const Kernel<double>& kernel,
               std::span<double> result) {
    AngleAddition(waves, range, kernel).run(result);
}

bool evaluate_linear_phase(const formula::Program& program, const Inputs& inputs, std::span<double> result) {
    if (inputs.varying.size() != 1 || inputs.points < fewest_points) return false;
    const Range* const range = std::get_if<Range>(&inputs.varying[0]);
    if (range == nullptr || !are_integers(*range)) return false;
    const auto waves = find_waves(program, inputs, inputs.points / points_per_operation);
    if (!waves || waves->size() < fewest_waves || !are_moderate(*waves, *range)) return false;
    add_waves(*waves, *range, *kernels<double>()[0], result);
    return true;
}

}  // namespace farfield::evaluate
