#include <farfield/numerics/philox.hpp>

#if defined(__EMSCRIPTEN__)
#define __riscv  // Random123 refuses processors on which its authors have not tested it
#include <Random123/philox.h>
#undef __riscv
#else
#include <Random123/philox.h>
#endif

#include <cmath>
#include <farfield/core/error.hpp>
#include <numbers>
#include <string>

namespace farfield::numerics {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    const r123::Philox4x32::ctr_type result =
        r123::Philox4x32()({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
    return {result[0], result[1], result[2], result[3]};
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
    // A shape below 1 is raised by 1, which a power of a uniform number compensates.
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
