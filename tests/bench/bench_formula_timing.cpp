// Times a formula of n over a range; the scripts beside it compare.
//   bench_formula_timing FORMULA COUNT REPEATS range|array
// Prints one line of JSON: microseconds of each repeat, of writing as many doubles, threads, and the first and last value.
#include <omp.h>

#include <chrono>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/parser.hpp>

using namespace farfield;

namespace {

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

// Memory that every processor has touched, as results usually are when they are written again.
void write_all(std::vector<double>& values) {
    const auto count = static_cast<long>(values.size());
    constexpr long stretch = 1 << 16;
#pragma omp parallel for
    for (long begin = 0; begin < count; begin += stretch) {
        std::memset(values.data() + begin, 0,
                    static_cast<std::size_t>(std::min(stretch, count - begin)) * sizeof(double));
    }
}

std::string list(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) text += (text.empty() ? "" : ", ") + std::to_string(value * 1e6);
    return "[" + text + "]";
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::cerr << "bench_formula_timing FORMULA COUNT REPEATS range|array\n";
        return 2;
    }
    const std::size_t count = std::stoull(argv[2]);
    const int repeats = std::stoi(argv[3]);
    const formula::Program program = formula::compile(formula::parse(std::string(argv[1])), {{}, {"n"}, {}});
    const evaluate::Range range{0, 1, count};
    std::vector<double> points;
    evaluate::Inputs inputs{{}, {range}, {}, count};
    if (std::string(argv[4]) == "array") {
        for (std::size_t i = 0; i < count; ++i) points.push_back(range.at(i));
        inputs.varying = {std::span<const double>(points)};
    }
    std::vector<double> result(count);
    const std::vector<double> writing = seconds_of(repeats, [&] { write_all(result); });
    const std::vector<double> seconds =
        seconds_of(repeats, [&] { evaluate::evaluate_into(program, inputs, {}, result); });
    std::cout.precision(17);
    std::cout << "{\"seconds_us\": " << list(seconds) << ", \"writing_us\": " << list(writing)
              << ", \"threads\": " << omp_get_max_threads() << ", \"first\": " << result.front()
              << ", \"last\": " << result.back() << "}\n";
    return 0;
}
