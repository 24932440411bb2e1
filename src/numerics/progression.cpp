#include "numerics/progression.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <farfield/numerics/interval.hpp>
#include <limits>
#include <stdexcept>
#include <utility>

namespace farfield::numerics {
namespace {

constexpr long long exact_limit = 1LL << 53;

/// Indices of a 32-bit program have fewer bits than a double.
constexpr auto most_points = std::min<std::uint64_t>(exact_limit, std::numeric_limits<std::size_t>::max());

std::size_t counted(std::uint64_t count) {
    if (count > most_points) throw std::length_error("a range has more points than this program can count");
    return static_cast<std::size_t>(count);
}

}  // namespace

Progression::Progression(Rational from, Rational step, std::uint64_t count)
    : from_(std::move(from)), step_(std::move(step)), count_(counted(count)) {
    const Integer divisor = lcm(denominator(from_), denominator(step_));
    const Integer first = numerator(from_) * (divisor / denominator(from_));
    const Integer stride = numerator(step_) * (divisor / denominator(step_));
    // All three of `from`, step * index and their sum: what is_exact_in_doubles() needs.
    const Integer farthest = abs(first) + abs(stride) * count;
    is_small_ = divisor < exact_limit && farthest < exact_limit;
    if (!is_small_) return;
    first_ = static_cast<long long>(first);
    stride_ = static_cast<long long>(stride);
    divisor_ = static_cast<long long>(divisor);
}

std::optional<Progression> Progression::between(const Rational& from, const Rational& to, const Rational& step) {
    const Integer steps = floor_of(Rational((to - from) / step));
    if (steps >= most_points) return std::nullopt;
    return Progression(from, step, static_cast<std::uint64_t>(steps) + 1);
}

Rational Progression::exact(std::size_t index) const {
    return from_ + step_ * Rational(Integer(index));
}

double Progression::at(std::size_t index) const {
    if (!is_small_) return nearest(exact(index));
    return static_cast<double>(numerator_at(index)) / static_cast<double>(divisor_);
}

Interval Progression::enclose(std::size_t index) const {
    if (!is_small_) return numerics::enclose(exact(index));
    const auto above = static_cast<double>(numerator_at(index));
    const auto below = static_cast<double>(divisor_);
    const double quotient = above / below;
    // This has no error, because the remainder of a rounded quotient is a double.
    const double excess = std::fma(quotient, below, -above);
    if (excess > 0) return {std::nextafter(quotient, -infinity), quotient};
    return {quotient, excess < 0 ? std::nextafter(quotient, infinity) : quotient};
}

Progression Progression::part(std::size_t first, std::size_t count) const {
    return {exact(first), step_, count};
}

std::pair<std::size_t, std::size_t> Progression::between(const Rational& lo, const Rational& hi) const {
    const auto counted_to = [&](const Integer& index) {
        return index <= 0 ? 0 : index >= count_ ? count_ : static_cast<std::size_t>(index);
    };
    const std::size_t begin = counted_to(-floor_of(Rational((from_ - lo) / step_)));
    const std::size_t end = counted_to(floor_of(Rational((hi - from_) / step_)) + 1);
    return {begin, std::max(begin, end)};
}

std::vector<double> Progression::points() const {
    std::vector<double> points(count_);
    for (std::size_t i = 0; i < count_; ++i) points[i] = at(i);
    return points;
}

std::vector<double> Progression::points_to_round() const {
    std::vector<double> points(count_);
    for (std::size_t i = 0; i < count_; ++i) {
        const Interval ends = enclose(i);
        points[i] = std::bit_cast<std::uint64_t>(ends.lo) % 2 == 1 ? ends.lo : ends.hi;
    }
    return points;
}

bool Progression::is_exact_in_doubles() const {
    return is_small_ && (divisor_ & (divisor_ - 1)) == 0;
}

std::optional<Progression> progression_of(const core::Column& column) {
    if (!column.steps) return std::nullopt;
    const std::optional<Rational> from = read_rational(column.steps->from);
    const std::optional<Rational> step = read_rational(column.steps->step);
    if (!from || !step) return std::nullopt;
    return Progression(*from, *step, column.values.size());
}

}  // namespace farfield::numerics
