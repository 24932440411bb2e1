// Matrix products of every instruction set.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/numerics/format.hpp>
#include <new>
#include <vector>

#include "model/kernel_support.hpp"
#include "support/worst.hpp"

using namespace farfield;
using namespace farfield::model;

namespace {

struct Shape {
    std::size_t rows;
    std::size_t columns;
    std::size_t depth;
};

constexpr Shape shapes[] = {{1, 1, 1},    {7, 5, 3},      {13, 33, 17},   {32, 64, 16},
                            {6, 16, 700}, {195, 40, 300}, {300, 70, 600}, {260, 32, 64}};

/// Which of what a product may do it does.
struct Way {
    bool a_transposed;
    bool b_transposed;
    bool everything;  ///< adds to what is there and to a bias, and multiplies by a slope
};

std::vector<Way> all_ways() {
    std::vector<Way> ways;
    for (int bits = 0; bits < 8; ++bits) ways.push_back({(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
    return ways;
}

/// Numbers at the end of a page behind which nothing may be read.
template <class Real>
class Guarded {
public:
    explicit Guarded(const std::vector<Real>& numbers) {
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        const std::size_t bytes = numbers.size() * sizeof(Real);
        const std::size_t pages = (bytes + page - 1) / page * page;
        size_ = pages + page;
        void* const all = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED) throw std::bad_alloc();
        all_ = static_cast<char*>(all);
        ::mprotect(all_ + pages, page, PROT_NONE);
        data_ = reinterpret_cast<Real*>(all_ + pages - bytes);
        std::copy(numbers.begin(), numbers.end(), data_);
    }
    ~Guarded() { ::munmap(all_, size_); }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;

    const Real* data() const { return data_; }

private:
    std::size_t size_ = 0;
    char* all_ = nullptr;
    Real* data_ = nullptr;
};

struct Errors {
    double largest = 0;
    double mean_square = 0;
};

double same(double x) {
    return x;
}

double as_bf16(double x) {
    return numerics::round_to(*numerics::find_format("bf16"), x);
}

template <class Real>
std::vector<double> seen_through(double (*operand)(double), const std::vector<Real>& values) {
    std::vector<double> seen;
    for (const Real value : values) seen.push_back(operand(static_cast<double>(value)));
    return seen;
}

/// Errors against sums in double of the operands, seen through `operand`.
template <class Real>
Errors product_errors(const Kernels<Real>& kernel, const Shape& s, const Way& way, double (*operand)(double)) {
    const std::vector<Real> a = waves<Real>(s.rows * s.depth, 0.37);
    const std::vector<Real> b = waves<Real>(s.depth * s.columns, 0.61);
    const std::vector<Real> bias = waves<Real>(s.columns, 0.11);
    const std::vector<Real> slope = waves<Real>(s.rows * s.columns, 0.23);
    const std::vector<Real> start = waves<Real>(s.rows * s.columns, 0.91);
    std::vector<Real> packed(kernel.packed(s.depth, s.columns));
    std::vector<Real> c = start;
    const std::size_t b_row = way.b_transposed ? 1 : s.columns;
    const std::size_t b_column = way.b_transposed ? s.depth : 1;
    const Guarded<Real> left_there(a), right_there(b);
    kernel.pack({right_there.data(), b_row, b_column, s.depth, s.columns, packed.data()});
    const std::size_t a_row = way.a_transposed ? 1 : s.depth;
    const std::size_t a_column = way.a_transposed ? s.rows : 1;
    kernel.product({s.rows, s.columns, s.depth, left_there.data(), a_row, a_column, packed.data(), c.data(), s.columns,
                    way.everything ? bias.data() : nullptr, way.everything, way.everything ? slope.data() : nullptr});
    const std::vector<double> left = seen_through(operand, a);
    const std::vector<double> right = seen_through(operand, b);
    Errors errors;
    for (std::size_t m = 0; m < s.rows; ++m) {
        for (std::size_t n = 0; n < s.columns; ++n) {
            const std::size_t at = m * s.columns + n;
            double sum = way.everything ? static_cast<double>(start[at]) + static_cast<double>(bias[n]) : 0;
            for (std::size_t k = 0; k < s.depth; ++k) {
                sum += left[m * a_row + k * a_column] * right[k * b_row + n * b_column];
            }
            if (way.everything) sum *= static_cast<double>(slope[at]);
            const double error = std::fabs(static_cast<double>(c[at]) - sum);
            errors.largest = tests::worse(errors.largest, error);
            errors.mean_square += error * error / static_cast<double>(s.rows * s.columns);
        }
    }
    return errors;
}

template <class Real>
void check_products(Precision precision, double unit, double (*operand)(double)) {
    for (const Kernels<Real>& kernel : all_kernels<Real>(precision)) {
        for (const Shape& s : shapes) {
            for (const Way& way : all_ways()) {
                INFO(kernel.name << " " << s.rows << " x " << s.columns << " x " << s.depth);
                // A sum of n terms below 1 errs by at most n units of the last place of its partial sums.
                const auto depth = static_cast<double>(s.depth) + 2;
                CHECK(product_errors(kernel, s, way, operand).largest <= unit * depth * depth);
            }
        }
    }
}

}  // namespace

TEST_CASE("products of every vector width are the sums of products") {
    check_products<float>(Precision::fp32, 6e-8, same);
    check_products<double>(Precision::fp32, 1.2e-16, same);
}

TEST_CASE("columns that fill whole panels are packed without a gap") {
    // 64 columns are whole panels of two vectors, whatever the width of a vector of doubles.
    for (const Kernels<double>& kernel : all_kernels<double>(Precision::fp32)) {
        INFO(kernel.name);
        CHECK(kernel.packed(5, 64) == 5 * 64);
        CHECK(kernel.packed(5, 63) == 5 * 64);
    }
}

TEST_CASE("products in bf16 are the sums of products of operands rounded to bf16") {
    check_products<float>(Precision::bf16, 6e-8, as_bf16);
}

TEST_CASE("products of floats in three parts err at most twice as much as plain ones") {
    const Kernels<float>& plain = all_kernels<float>(Precision::fp32).back();
    for (const Kernels<float>& kernel : all_kernels<float>(Precision::fp32)) {
        for (const Shape& s : shapes) {
            if (s.rows * s.columns < 100) continue;  // too few to compare
            INFO(kernel.name << " " << s.rows << " x " << s.columns << " x " << s.depth);
            const double bound = 4 * product_errors(plain, s, {}, same).mean_square;
            CHECK(product_errors(kernel, s, {}, same).mean_square <= bound);
        }
    }
}
