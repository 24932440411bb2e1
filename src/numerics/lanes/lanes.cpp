// Compiled once for each vector width, with FARFIELD_KERNEL naming the namespace. Nothing in this file may be shared
// between widths, so it calls no function of another header.
#include "numerics/lanes/lanes.hpp"

namespace farfield::numerics::FARFIELD_KERNEL {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t lane_bytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t lane_bytes = 32;
#else
constexpr std::size_t lane_bytes = 16;
#endif
using Lanes __attribute__((vector_size(lane_bytes))) = double;
using Floats __attribute__((vector_size(lane_bytes / 2))) = float;
constexpr std::size_t width = sizeof(Lanes) / sizeof(double);
constexpr std::size_t side_by_side = lanes_of_sums / width;

template <class Number>
Number load(const double* from) {
    Number loaded;
    __builtin_memcpy(&loaded, from, sizeof loaded);
    return loaded;
}

double magnitude(double x) {
    return __builtin_fabs(x);
}
Lanes magnitude(Lanes x) {
    return x < 0 ? -x : x;
}

struct Dot {
    const double* x;
    const double* y;
    template <class Number>
    void operator()(std::size_t i, Number& sum) const {
        sum += load<Number>(x + i) * load<Number>(y + i);
    }
};
struct Sum {
    const double* x;
    template <class Number>
    void operator()(std::size_t i, Number& sum) const {
        sum += load<Number>(x + i);
    }
};
struct Spread {
    const double* x;
    double centre;
    template <class Number>
    void operator()(std::size_t i, Number& sum) const {
        const Number distance = load<Number>(x + i) - centre;
        sum += distance * distance;
    }
};

template <class Term>
double summed(std::size_t count, const Term& add_term) {
    Lanes sums[side_by_side] = {};
    std::size_t i = 0;
    for (; i + width * side_by_side <= count; i += width * side_by_side) {
        for (std::size_t j = 0; j < side_by_side; ++j) add_term(i + j * width, sums[j]);
    }
    double lanes[lanes_of_sums];
    __builtin_memcpy(lanes, sums, sizeof lanes);
    for (std::size_t half = lanes_of_sums / 2; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
    }
    double total = lanes[0];
    for (; i < count; ++i) add_term(i, total);
    return total;
}

double dot(const double* x, const double* y, std::size_t count) {
    return summed(count, Dot{x, y});
}
double sum(const double* x, std::size_t count) {
    return summed(count, Sum{x});
}
double spread(const double* x, double centre, std::size_t count) {
    return summed(count, Spread{x, centre});
}

double largest(const double* x, std::size_t count) {
    Lanes most = {};
    std::size_t i = 0;
    for (; i + width <= count; i += width) {
        const Lanes next = magnitude(load<Lanes>(x + i));
        most = next > most ? next : most;
    }
    double found = 0;
    for (std::size_t lane = 0; lane < width; ++lane) found = most[lane] > found ? most[lane] : found;
    for (; i < count; ++i) found = magnitude(x[i]) > found ? magnitude(x[i]) : found;
    return found;
}

void subtract(double factor, const double* x, double* y, std::size_t count) {
    std::size_t i = 0;
    for (; i + width <= count; i += width) {
        const Lanes left = load<Lanes>(y + i) - factor * load<Lanes>(x + i);
        __builtin_memcpy(y + i, &left, sizeof left);
    }
    for (; i < count; ++i) y[i] -= factor * x[i];
}

void multiply_to_floats(double factor, double* x, std::size_t count) {
    std::size_t i = 0;
    for (; i + width <= count; i += width) {
        const Floats rounded = __builtin_convertvector(factor * load<Lanes>(x + i), Floats);
        const Lanes widened = __builtin_convertvector(rounded, Lanes);
        __builtin_memcpy(x + i, &widened, sizeof widened);
    }
    for (; i < count; ++i) x[i] = static_cast<double>(static_cast<float>(factor * x[i]));
}

Ends differences(const double* x, double first, Ends factors, std::size_t count) {
    constexpr double infinity = __builtin_inf();
    Lanes least = Lanes{} + infinity;
    Lanes most = Lanes{} - infinity;
    Lanes position = Lanes{} + first;
    for (std::size_t lane = 0; lane < width; ++lane) position[lane] += static_cast<double>(lane);
    std::size_t i = 0;
    for (; i + width <= count; i += width) {
        const Lanes own = load<Lanes>(x + i);
        const Lanes low = own - position * factors.high;
        const Lanes high = own - position * factors.low;
        least = low < least ? low : least;
        most = high > most ? high : most;
        position += static_cast<double>(width);
    }
    Ends found = {infinity, -infinity};
    const auto take = [&](double low, double high) {
        found.low = low < found.low ? low : found.low;
        found.high = high > found.high ? high : found.high;
    };
    for (std::size_t lane = 0; lane < width; ++lane) take(least[lane], most[lane]);
    for (; i < count; ++i) {
        const double here = first + static_cast<double>(i);
        take(x[i] - here * factors.high, x[i] - here * factors.low);
    }
    return found;
}

}  // namespace

extern const LaneFunctions lanes = {dot, sum, spread, largest, subtract, multiply_to_floats, differences};

}  // namespace farfield::numerics::FARFIELD_KERNEL
