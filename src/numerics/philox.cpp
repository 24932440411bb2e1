#include <farfield/numerics/philox.hpp>

#include <cmath>
#include <farfield/core/error.hpp>
#include <numbers>
#include <string>

namespace farfield::numerics {

namespace {

struct Product {
    std::uint32_t high;
    std::uint32_t low;
};

Product multiply(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t product = std::uint64_t{a} * b;
    return {static_cast<std::uint32_t>(product >> 32), static_cast<std::uint32_t>(product)};
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const Product even = multiply(0xD2511F53U, counter[0]);
        const Product odd = multiply(0xCD9E8D57U, counter[2]);
        counter = {odd.high ^ counter[1] ^ key[0], odd.low, even.high ^ counter[3] ^ key[1], even.low};
        key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
    }
    return counter;
}

std::uint64_t Random::bits() {
    if (left_ == 0) {
        block_ = philox(counter_, key_);
        ++counter_[0];
        left_ = 2;
    }
    const unsigned at = 2 * (2 - left_--);
    return std::uint64_t{block_[at]} << 32 | block_[at + 1];
}

double Random::uniform() {
    return static_cast<double>(bits() >> 11) * 0x1p-53;
}

std::uint64_t Random::below(std::uint64_t count) {
    if (count == 0) throw core::PreconditionError("Random::below", "count", "0", "at least 1");
    // The high half of bits * count, in 32-bit pieces.
    const std::uint64_t value = bits();
    const std::uint64_t low = (value & 0xffffffffU) * (count & 0xffffffffU);
    const std::uint64_t first = (value >> 32) * (count & 0xffffffffU) + (low >> 32);
    const std::uint64_t second = (value & 0xffffffffU) * (count >> 32) + (first & 0xffffffffU);
    return (value >> 32) * (count >> 32) + (first >> 32) + (second >> 32);
}

double Random::normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
}

double Random::gamma(double shape) {
    if (!(shape > 0)) throw core::PreconditionError("Random::gamma", "shape", std::to_string(shape), "above 0");
    // A shape below 1 is raised by 1 and put back by a power of a uniform number.
    const double raised = shape < 1 ? shape + 1 : shape;
    const double d = raised - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    for (;;) {
        const double x = normal();
        const double cube = std::pow(1 + c * x, 3);
        if (cube <= 0) continue;
        if (std::log(1 - uniform()) >= x * x / 2 + d * (1 - cube + std::log(cube))) continue;
        return shape < 1 ? d * cube * std::pow(1 - uniform(), 1 / shape) : d * cube;
    }
}

}  // namespace farfield::numerics
