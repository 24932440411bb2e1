#include "evaluate/weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <farfield/evaluate/array.hpp>
#include <farfield/numerics/sum.hpp>

#include "evaluate/kernel/kernel.hpp"
#include "numerics/parallel.hpp"

namespace farfield::evaluate {

namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();
// Numbers that fit into the nearest cache together; running sums add up those of a block one after the other.
constexpr std::size_t summed_at_once = 2048;
constexpr std::size_t shared_at_once = 512;
constexpr std::size_t chunk = 16384;

const WeightFunctions& functions() {
    return kernels<double>()[0]->weights;
}

// A block of a row: in place, or a copy padded with logits that have no weight, with the logit after it stored
// separately.
template <std::size_t block>
class Block {
public:
    void read(std::span<const double> x, std::size_t begin, std::size_t end, double scale, double next) {
        count_ = end - begin;
        scale_ = scale;
        from_ = x.data() + begin;
        next_ = nothing;
        if (begin + lanes <= x.size() && count_ == block) return;
        for (std::size_t i = begin; i < end; ++i) logits_[i - begin] = scale * x[i];
        std::fill(logits_.begin() + static_cast<std::ptrdiff_t>(count_), logits_.end(), nothing);
        next_ = end < x.size() ? scale * x[end] : next;
        scale_ = 1;
        from_ = logits_.data();
    }

    RowSums sums() {
        const Ends ends = functions().ends(from_, lanes);
        const double shift = std::max({scale_ * ends.least, scale_ * ends.most, next_});
        // If no logit has a weight, no shift gives it one.
        if (shift == nothing) return {.shift = shift};
        const double least = std::min(scale_ * ends.least, scale_ * ends.most);
        const WeightSums sums = functions().sums(from_, scale_, shift, least, block);
        RowSums found{shift, sums.total, sums.squares, sums.falls};
        if (next_ != nothing) found.falls -= std::exp(scale_ * from_[count_ - 1] - shift) * std::exp(next_ - shift);
        return found;
    }

    /// Computes the shares and their running sums (unless null), `block` of each; returns the last sum.
    double share_out(const Shares& shares, double* out, double* running) {
        return functions().share_out(out, running, from_, shares, block);
    }

private:
    static constexpr std::size_t lanes = block + lane_multiple;

    std::size_t count_ = 0;
    const double* from_ = nullptr;
    double scale_ = 1;
    double next_ = nothing;
    alignas(64) std::array<double, lanes> logits_;
};

RowSums together(std::span<const RowSums> parts) {
    RowSums whole;
    for (const RowSums& part : parts) whole.shift = std::max(whole.shift, part.shift);
    numerics::Accumulator total;
    numerics::Accumulator squares;
    numerics::Accumulator falls;
    for (const RowSums& part : parts) {
        if (part.shift == nothing) continue;
        const double factor = std::exp(part.shift - whole.shift);
        total.add(part.total * factor);
        squares.add(part.squares * factor * factor);
        falls.add(part.falls * factor * factor);
    }
    whole = {whole.shift, total.total(), squares.total(), falls.total()};
    return whole;
}

// Calls work(begin, end) for each chunk of a row, in parallel.
template <class Work>
void for_each_chunk(std::size_t count, Work work) {
    numerics::in_parallel(count, chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; at += chunk) work(at, std::min(at + chunk, end));
    });
}

RowSums sum_of_chunk(std::span<const double> x, std::size_t begin, std::size_t end, double scale, double next) {
    std::array<RowSums, chunk / summed_at_once> parts;
    Block<summed_at_once> room;
    std::size_t count = 0;
    for (std::size_t at = begin; at < end; at += summed_at_once) {
        room.read(x, at, std::min(at + summed_at_once, end), scale, next);
        parts[count++] = room.sums();
    }
    return together(std::span(parts).first(count));
}

std::vector<RowSums> sum_chunks(std::span<const double> x, double scale, double next) {
    std::vector<RowSums> chunks((x.size() + chunk - 1) / chunk);
    for_each_chunk(x.size(), [&](std::size_t begin, std::size_t end) {
        chunks[begin / chunk] = sum_of_chunk(x, begin, end, scale, next);
    });
    return chunks;
}

// The sum of the parts before each part.
std::vector<double> sums_before(std::span<const double> parts) {
    std::vector<double> before;
    before.reserve(parts.size());
    numerics::Accumulator total;
    for (const double part : parts) {
        before.push_back(total.total());
        total.add(part);
    }
    return before;
}

// Computes running sums of a block after the sum before it; returns the sum at its end. Works on four at a time, so
// that only one addition in four waits for the one before.
double run_on(const double* x, std::size_t count, double before, double* sums) {
    double running = 0;
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const double two = x[i] + x[i + 1];
        sums[i] = before + (running + x[i]);
        sums[i + 1] = before + (running + two);
        sums[i + 2] = before + (running + (two + x[i + 2]));
        running += two + (x[i + 2] + x[i + 3]);
        sums[i + 3] = before + running;
    }
    for (; i < count; ++i) {
        running += x[i];
        sums[i] = before + running;
    }
    return before + running;
}

// Results larger than this bypass the caches.
constexpr std::size_t beyond_caches = std::size_t{1} << 21;

void put(const double* from, std::size_t count, double* to, bool past_caches) {
    if (past_caches)
        functions().stream(from, to, count);
    else
        std::copy_n(from, count, to);
}

}  // namespace

RowSums sum_row(std::span<const double> x, double scale, double next) {
    return together(sum_chunks(x, scale, next));
}

RowSums softmax_row(std::span<const double> x, std::span<double> result, std::span<double> sums) {
    const std::vector<RowSums> chunks = sum_chunks(x, 1, nothing);
    const RowSums whole = together(chunks);
    const double share = 1 / whole.total;
    std::vector<double> shares;
    shares.reserve(chunks.size());
    for (const RowSums& part : chunks)
        shares.push_back(part.shift == nothing ? 0 : part.total * std::exp(part.shift - whole.shift) * share);
    const std::vector<double> before = sums_before(shares);
    const bool past_caches = x.size() >= beyond_caches;
    // Starts from the last chunk, which is still in the caches.
    numerics::in_parallel(chunks.size(), 1, [&](std::size_t first, std::size_t last) {
        Block<shared_at_once> room;
        alignas(64) std::array<double, shared_at_once> scaled;
        alignas(64) std::array<double, shared_at_once> running;
        for (std::size_t at_chunk = first; at_chunk < last; ++at_chunk) {
            const std::size_t begin = (chunks.size() - 1 - at_chunk) * chunk;
            const std::size_t end = std::min(begin + chunk, x.size());
            Shares portion{whole.shift, share, before[begin / chunk]};
            for (std::size_t at = begin; at < end; at += shared_at_once) {
                const std::size_t count = std::min(shared_at_once, end - at);
                room.read(x, at, at + count, 1, nothing);
                portion.before = room.share_out(portion, scaled.data(), sums.empty() ? nullptr : running.data());
                put(scaled.data(), count, result.data() + at, past_caches);
                if (!sums.empty()) put(running.data(), count, sums.data() + at, past_caches);
            }
        }
        functions().fence();
    });
    return whole;
}

void running_sums(std::span<const double> x, std::span<double> sums) {
    std::vector<double> parts((x.size() + chunk - 1) / chunk);
    for_each_chunk(x.size(), [&](std::size_t begin, std::size_t end) {
        parts[begin / chunk] = numerics::compensated_sum(x.subspan(begin, end - begin));
    });
    const std::vector<double> before = sums_before(parts);
    for_each_chunk(x.size(), [&](std::size_t begin, std::size_t end) {
        double running = before[begin / chunk];
        for (std::size_t at = begin; at < end; at += shared_at_once) {
            running = run_on(x.data() + at, std::min(shared_at_once, end - at), running, sums.data() + at);
        }
    });
}

RowSums joined(const RowSums& a, const RowSums& b) {
    const std::array<RowSums, 2> parts{a, b};
    return together(parts);
}

}  // namespace farfield::evaluate
