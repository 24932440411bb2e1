// What a timing program can do on command: named pieces of work over data that is already in memory.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace farfield::bench {

struct Task {
    std::map<std::string, std::function<void()>> work;
    std::function<std::vector<double>()> values = [] { return std::vector<double>{}; };  ///< what work left, to compare
};

using Arguments = std::span<const std::string>;

/// FORMULA COUNT range|array: `ours` is a formula of n over 0..COUNT-1, `write` and `copy` move as many doubles.
Task formula_task(Arguments arguments);
/// LENGTH: Sandwich's bias for 12 heads, `distance` by distance, `matrix` for all pairs, `write` as many bytes.
Task sandwich_task(Arguments arguments);
/// COUNT: `resolution` of a curve, `fit` of a line to it, `profile` of one layer; `read` and `write` its bytes.
Task curve_task(Arguments arguments);
/// R C H L B THREADS SCHEME fp32|bf16 [LAST]: `step` of training on B rows of L, `losses` of the last LAST tokens of
/// the same rows; SCHEME is one of the catalogue or the lines of one ('bias = "..."'). Values: the last step's loss,
/// the bytes of its workspace.
Task step_task(Arguments arguments);
/// One tile of a matrix product of floats, many times, with each layer over vector instructions: `extensions`, `simd`,
/// and `highway` if it is installed. Values: the floating-point operations, the number of layers, the sums that differ
/// between them.
Task tile_task(Arguments arguments);
/// `flops`: as many multiplications and additions of doubles as `values` says, on each thread.
Task floor_task(Arguments arguments);

/// The floors of memory: every byte read, written, or copied once by all threads.
double read_all(std::span<const double> values);
void write_all(std::span<double> values);
void copy_all(std::span<const double> from, std::span<double> to);

}  // namespace farfield::bench
