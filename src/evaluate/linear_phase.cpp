#include "evaluate/linear_phase.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "evaluate/block_worker.hpp"
#include "evaluate/cuda/waves.cuh"
#include "evaluate/interpreter.hpp"
#include "evaluate/part.hpp"
#include "numerics/parallel.hpp"

namespace farfield::evaluate {

namespace {

using formula::Op;

constexpr std::size_t fewest_points = 4096;
constexpr std::size_t fewest_waves = 4;
constexpr double fewest_rows = 16;  ///< of the first factor, so that the columns cover only a part of the range
constexpr double largest_phase_exponent = 600;  ///< of amplitude and envelope, so that no factor over- or underflows
constexpr double largest_error = 1e-12;         ///< of the sum of magnitudes
constexpr std::size_t points_per_operation = 4;

using device::radians;
using device::times;

// Waves that are smaller than this share of the largest are left out; together they are below 2^-54 of the sum of
// magnitudes.
constexpr double negligible = -66 * std::numbers::ln2;

double logarithm_of_size(const Wave& wave, double n) {
    return std::log(std::fabs(wave.amplitude)) + wave.rate * n;
}

// The two factors, and the columns K of the second. Each wave has a row of cosines and a row of sines in the second
// factor. Waves are sorted by their decay, so that only the first few matter at large distances.
class AngleAddition {
public:
    AngleAddition(const std::vector<Wave>& waves, const Range& range, const Kernel<double>& kernel)
        : waves_(waves), range_(range), kernel_(kernel) {
        std::stable_sort(waves_.begin(), waves_.end(), [](const Wave& a, const Wave& b) { return a.rate > b.rate; });
        while (columns_ * columns_ < range.count && columns_ < most_columns) columns_ *= 2;
        right_.resize(inner() * columns_);
        numerics::in_parallel(waves_.size(), 1, [this](std::size_t begin, std::size_t end) {
            for (std::size_t wave = begin; wave < end; ++wave) fill_right(wave);
        });
    }

    /// The number of points that are computed at once, a multiple of a block of lanes.
    std::size_t points_at_once() const { return rows_at_once * columns_; }

    struct Room {
        std::vector<double> left;
        std::vector<double> scratch;
        std::vector<double> last;
    };
    Room room() const {
        return {std::vector<double>(rows_at_once * inner()), std::vector<double>(4 * rounded_up(waves_.size())),
                std::vector<double>(columns_)};
    }

    /// The values from point `begin` on, a multiple of points_at_once(), which result.size() does not exceed.
    void run(std::size_t begin, Room& room, std::span<double> result) const {
        const std::size_t end = begin + result.size();
        const std::size_t count = count_until_negligible(range_.at(begin), range_.at(end - 1));
        const std::size_t rows = (result.size() + columns_ - 1) / columns_;
        for (std::size_t i = 0; i < rows; ++i)
            fill_left(begin / columns_ + i, count, room.left.data() + i * 2 * count, room.scratch);
        const std::size_t whole = result.size() / columns_;
        multiply(room.left.data(), whole, 2 * count, result.data());
        if (whole == rows) return;
        multiply(room.left.data() + whole * 2 * count, 1, 2 * count, room.last.data());
        std::copy_n(room.last.begin(), result.size() - whole * columns_, result.data() + whole * columns_);
    }

private:
    static constexpr std::size_t rows_at_once = 24;
    static constexpr std::size_t most_columns = 512;

    static std::size_t rounded_up(std::size_t count) {
        return (count + lane_multiple - 1) / lane_multiple * lane_multiple;
    }
    std::size_t inner() const { return 2 * waves_.size(); }
    std::int64_t step() const { return static_cast<std::int64_t>(range_.step); }

    void call(Op op, double* out, const double* in, std::size_t lanes) const {
        kernel_.at(op, Uniform::none)(out, in, nullptr, nullptr, lanes);
    }

    // exp(s b) cos(w b) and exp(s b) sin(w b) for the columns b, stored in panels of the columns that the product
    // processes at once.
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

    // How many of the first waves matter between two distances. Logarithms of sizes are straight lines, so a wave that
    // is far below another at both ends is so in between.
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

    void multiply(const double* left, std::size_t rows, std::size_t used, double* out) const {
        kernel_.multiply({left, rows, used, right_.data(), inner(), columns_, out});
    }

    std::vector<Wave> waves_;
    Range range_;
    const Kernel<double>& kernel_;
    std::size_t columns_ = 64;
    std::vector<double> right_;
};

// Whether no factor overflows and the stated bound of the error is small enough.
bool are_moderate(const std::vector<Wave>& waves, const Range& range) {
    const double first = range.from;
    const double last = range.at(range.count - 1);
    double steepest = 0;
    for (const Wave& wave : waves) {
        const double size = std::log(std::fabs(wave.amplitude));
        const double largest = std::max(wave.rate * first, wave.rate * last);
        const double across = std::fabs(wave.rate * (last - first)) / fewest_rows;
        if (!(std::fabs(size) <= largest_phase_exponent && size + largest <= largest_phase_exponent &&
              across <= largest_phase_exponent)) {
            return false;
        }
        steepest = std::max(steepest, std::fabs(wave.rate) * std::max(std::fabs(first), std::fabs(last)));
    }
    // A wave with an exponent below that of the smallest double is zero.
    steepest = std::min(steepest, 2 * largest_phase_exponent);
    return (2 * static_cast<double>(waves.size()) + 40 + 3 * steepest) * 0x1p-53 < largest_error;
}

// Calls work(begin, end) in parallel for each part with as many points as a sum of waves computes at once; `make`
// creates the work memory of one range of parts.
template <class Make, class Work>
void for_each_stretch(std::size_t points, std::size_t at_once, Make make, Work work) {
    numerics::in_parallel(points, at_once, [&](std::size_t begin, std::size_t end) {
        auto room = make();
        for (std::size_t at = begin; at < end; at += at_once) work(room, at, std::min(at + at_once, end));
    });
}

void write_sum(const AngleAddition& sum, std::span<double> result) {
    for_each_stretch(
        result.size(), sum.points_at_once(), [&] { return sum.room(); },
        [&](AngleAddition::Room& room, std::size_t begin, std::size_t end) {
            sum.run(begin, room, result.subspan(begin, end - begin));
        });
}

std::size_t first_range_of_integers(const Inputs& inputs) {
    std::size_t input = 0;
    for (; input < inputs.varying.size(); ++input) {
        const Range* const range = std::get_if<Range>(&inputs.varying[input]);
        if (range != nullptr && are_integers(*range)) break;
    }
    return input;
}

// A register of a program that is a sum of waves.
struct WaveRegister {
    std::uint32_t index;
    std::vector<Wave> waves;
};

// The sums of waves in a program, and the varying input on which they depend; an empty list if there are no sums.
struct WaveRegisters {
    std::size_t input = 0;
    std::vector<WaveRegister> list;

    std::vector<std::uint32_t> indexes() const {
        std::vector<std::uint32_t> indexes;
        for (const WaveRegister& each : list) indexes.push_back(each.index);
        return indexes;
    }
};

// The varying input, and the registers that may be sums of waves in it; finding them is fast.
struct Candidates {
    std::size_t input = 0;
    std::vector<std::uint32_t> registers;
};

Candidates find_candidates(const formula::Program& program, const Inputs& inputs) {
    const std::size_t input = first_range_of_integers(inputs);
    if (inputs.points < fewest_points || input == inputs.varying.size()) return {input, {}};
    return {input, find_wave_registers(program, input)};
}

WaveRegisters find_sums(const formula::Program& program, const Inputs& inputs, const Candidates& candidates) {
    WaveRegisters found{candidates.input, {}};
    for (const std::uint32_t index : candidates.registers) {
        auto waves = find_waves(part_of(program, index, {}), inputs, found.input, inputs.points / points_per_operation);
        if (waves && waves->size() >= fewest_waves &&
            are_moderate(*waves, std::get<Range>(inputs.varying[found.input])))
            found.list.push_back({index, std::move(*waves)});
    }
    return found;
}

// Evaluates the formula around its sums of waves, which are its inputs, over blocks of lanes.
class AroundWaves {
public:
    AroundWaves(const formula::Program& program, const Inputs& inputs, const WaveRegisters& sums)
        : inputs_(&inputs),
          rest_(rest_of(program, sums.indexes())),
          plan_(rest_, *kernels<double>()[0]),
          scalar_(rest_, {}, inputs.tables) {
        const Range& range = std::get<Range>(inputs.varying[sums.input]);
        for (const WaveRegister& each : sums.list) sums_.emplace_back(each.waves, range, *kernels<double>()[0]);
        for (std::size_t i = 0; i < inputs.uniform.size(); ++i) scalar_.set_input(i, inputs.uniform[i]);
        scalar_.run_uniform();
    }

    std::size_t points_at_once() const { return sums_.front().points_at_once(); }

    struct Room {
        std::vector<AngleAddition::Room> of_sums;
        std::vector<std::vector<double>> values;  ///< of each sum
    };
    Room room() const {
        Room room;
        for (const AngleAddition& sum : sums_) {
            room.of_sums.push_back(sum.room());
            room.values.emplace_back(sum.points_at_once());
        }
        return room;
    }

    void run(Room& room, std::size_t begin, std::span<double> result) const {
        Inputs here{inputs_->uniform, {}, inputs_->tables, result.size()};
        for (const Lane& lane : inputs_->varying) here.varying.push_back(stretch(lane, begin, result.size()));
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            const std::span<double> values = std::span(room.values[i]).first(result.size());
            sums_[i].run(begin, room.of_sums[i], values);
            here.varying.emplace_back(values);
        }
        BlockWorker<double>(plan_, here, scalar_).run(0, result.size(), result);
    }

private:
    static Lane stretch(const Lane& lane, std::size_t begin, std::size_t count) {
        if (const Range* const range = std::get_if<Range>(&lane)) return Range{range->at(begin), range->step, count};
        return std::get<std::span<const double>>(lane).subspan(begin, count);
    }

    const Inputs* inputs_;
    std::vector<AngleAddition> sums_;
    formula::Program rest_;
    BlockPlan<double> plan_;
    BlockWorker<double>::Scalar scalar_;
};

}  // namespace

bool are_integers(const Range& range) {
    const double last = range.from + range.step * static_cast<double>(range.count);
    return as_integer(range.from) && as_integer(range.step) && std::fabs(last) < largest_integer<double>;
}

void add_waves(const std::vector<Wave>& waves, const Range& range, const Kernel<double>& kernel,
               std::span<double> result) {
    write_sum(AngleAddition(waves, range, kernel), result);
}

std::optional<WithoutWaves> without_waves(const formula::Program& program, const Inputs& inputs) {
    WaveRegisters sums = find_sums(program, inputs, find_candidates(program, inputs));
    if (sums.list.empty()) return std::nullopt;
    WithoutWaves found{rest_of(program, sums.indexes()), {}};
    const Range& range = std::get<Range>(inputs.varying[sums.input]);
    for (WaveRegister& each : sums.list) found.sums.push_back({std::move(each.waves), range});
    return found;
}

bool evaluate_linear_phase(const formula::Program& program, const Inputs& inputs, const Destination& destination) {
    const Candidates candidates = find_candidates(program, inputs);
    if (candidates.registers.empty()) return false;
    WaveRegisters sums;
    // Two tasks of one thread each, because the exact frequencies of the waves take about as long as the memory of 10^6
    // values. This thread computes the frequencies, because they allocate memory, for which a new thread would have to
    // wait.
    numerics::in_parallel(2, 1, [&](std::size_t begin, std::size_t end) {
        if (begin == 0) sums = find_sums(program, inputs, candidates);
        if (end == 2) destination();
    });
    if (sums.list.empty()) return false;
    const std::span<double> result = destination();
    if (sums.list.front().index == program.result && program.type == formula::Type::real) {
        const Range& range = std::get<Range>(inputs.varying[sums.input]);
        add_waves(sums.list.front().waves, range, *kernels<double>()[0], result);
        return true;
    }
    const AroundWaves around(program, inputs, sums);
    for_each_stretch(
        result.size(), around.points_at_once(), [&] { return around.room(); },
        [&](AroundWaves::Room& room, std::size_t begin, std::size_t end) {
            around.run(room, begin, result.subspan(begin, end - begin));
        });
    return true;
}

bool evaluate_linear_phase(const formula::Program& program, const Inputs& inputs, std::span<double> result) {
    return evaluate_linear_phase(program, inputs, [result] { return result; });
}

}  // namespace farfield::evaluate
