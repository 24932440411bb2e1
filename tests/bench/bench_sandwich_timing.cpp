// Times Sandwich's bias for 12 heads: per distance, and spread over the full matrix of queries and keys.
//   bench_sandwich_timing LENGTH REPEATS
// Prints one line of JSON: seconds per distance, of the matrix, of writing as many bytes, threads, and three values.
#include <omp.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/parser.hpp>

using namespace farfield;

namespace {

constexpr std::size_t heads = 12;

template <class Work>
std::vector<double> seconds_of(int repeats, Work work) {
    std::vector<double> seconds;
    for (int i = 0; i < repeats; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return seconds;
}

std::string list(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) text += (text.empty() ? "" : ", ") + std::to_string(value * 1e6);
    return "[" + text + "]";
}

// Bias of every head and distance, [heads, length].
void bias_per_distance(const formula::Program& program, std::size_t length, std::vector<double>& bias) {
    for (std::size_t h = 1; h <= heads; ++h) {
        const evaluate::Inputs inputs{{static_cast<double>(h)}, {evaluate::Range{0, 1, length}}, {}, length};
        evaluate::evaluate_into(program, inputs, {}, std::span(bias).subspan((h - 1) * length, length));
    }
}

// [heads, queries, keys]: each row is a stretch of the bias mirrored about distance zero.
void spread(const std::vector<double>& bias, std::size_t length, double* matrix) {
    for (std::size_t h = 0; h < heads; ++h) {
        std::vector<double> mirrored(2 * length - 1);
        for (std::size_t n = 0; n < length; ++n) {
            mirrored[length - 1 - n] = mirrored[length - 1 + n] = bias[h * length + n];
        }
        const auto rows = static_cast<long>(length);
#pragma omp parallel for
        for (long q = 0; q < rows; ++q) {
            const auto row = static_cast<std::size_t>(q);
            std::memcpy(matrix + (h * length + row) * length, mirrored.data() + length - 1 - row,
                        length * sizeof(double));
        }
    }
}

void write_all(double* matrix, std::size_t rows, std::size_t length) {
    const auto count = static_cast<long>(rows);
#pragma omp parallel for
    for (long row = 0; row < count; ++row) {
        std::memset(matrix + static_cast<std::size_t>(row) * length, 0, length * sizeof(double));
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "bench_sandwich_timing LENGTH REPEATS\n";
        return 2;
    }
    const std::size_t length = std::stoull(argv[1]);
    const int repeats = std::stoi(argv[2]);
    const formula::Program program = formula::compile(
        formula::parse(std::string("sum(i, 0, 63, cos(n * 10000^(-2*i/128))) * 12/(8*h)")), {{"h"}, {"n"}, {}});
    std::vector<double> bias(heads * length);
    const auto per_distance = seconds_of(repeats, [&] { bias_per_distance(program, length, bias); });
    const std::unique_ptr<double[]> matrix(new double[heads * length * length]);
    const auto writing = seconds_of(repeats, [&] { write_all(matrix.get(), heads * length, length); });
    const auto full = seconds_of(repeats, [&] {
        bias_per_distance(program, length, bias);
        spread(bias, length, matrix.get());
    });
    std::cout.precision(17);
    std::cout << "{\"per_distance_us\": " << list(per_distance) << ", \"matrix_us\": " << list(full)
              << ", \"writing_us\": " << list(writing) << ", \"threads\": " << omp_get_max_threads()
              << ", \"values\": [" << matrix[0] << ", " << matrix[1] << ", " << matrix[length - 1] << "]}\n";
    return 0;
}
