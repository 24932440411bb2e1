#include <algorithm>
#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/model/optimiser.hpp>
#include <numbers>

#include "model/state.hpp"

namespace farfield::model {
namespace {

constexpr std::size_t chunk = 16384;

std::size_t chunks(std::size_t count) {
    return (count + chunk - 1) / chunk;
}

}  // namespace

double Schedule::rate(std::size_t step) const {
    if (step < warm_up) return peak * static_cast<double>(step + 1) / static_cast<double>(warm_up);
    if (step >= steps) return floor * peak;
    const double done = static_cast<double>(step - warm_up) / static_cast<double>(steps - warm_up);
    return peak * (floor + (1 - floor) * 0.5 * (1 + std::cos(std::numbers::pi * done)));
}

template <class Real>
double gradient_norm(std::span<const Real> gradient, Workspace<Real>& workspace) {
    std::vector<double> sums(chunks(gradient.size()), 0.0);
    workspace.state().team.run(sums.size(), [&](std::size_t index, std::size_t) {
        const std::size_t end = std::min(gradient.size(), (index + 1) * chunk);
        // Eight running sums, because a single one would wait for each addition.
        double parts[8] = {};
        for (std::size_t i = index * chunk; i + 8 <= end; i += 8) {
            for (std::size_t j = 0; j < 8; ++j) {
                const auto value = static_cast<double>(gradient[i + j]);
                parts[j] += value * value;
            }
        }
        for (std::size_t i = end - end % 8; i < end; ++i) {
            parts[0] += static_cast<double>(gradient[i]) * static_cast<double>(gradient[i]);
        }
        for (const double part : parts) sums[index] += part;
    });
    double total = 0;
    for (const double sum : sums) total += sum;
    return std::sqrt(total);
}

double clip_factor(double norm, double limit) {
    return limit > 0 && norm > limit ? limit / norm : 1;
}

template <class Real>
AdamW<Real>::AdamW(const Layout& layout, const AdamWSettings& settings)
    : settings_(settings), first_(layout.size(), Real{0}), second_(layout.size(), Real{0}) {
    for (const Slice& slice : layout.slices()) {
        for (std::size_t begin = slice.offset; begin < slice.offset + slice.size(); begin += chunk) {
            ranges_.push_back({begin, std::min(slice.offset + slice.size(), begin + chunk), slice.decays});
        }
    }
}

template <class Real>
void AdamW<Real>::step(std::span<Real> parameters, std::span<const Real> gradient, double rate, double factor,
                       Workspace<Real>& workspace) {
    if (parameters.size() != first_.size() || gradient.size() != first_.size()) {
        throw core::PreconditionError("model::AdamW::step", "gradient.size()", std::to_string(gradient.size()),
                                      "the size of the layout, as of the parameters");
    }
    ++steps_;
    const auto count = static_cast<double>(steps_);
    AdamStep<Real> s{};
    s.fresh1 = static_cast<Real>(1 - settings_.beta1);
    s.fresh2 = static_cast<Real>(1 - settings_.beta2);
    s.epsilon = static_cast<Real>(settings_.epsilon);
    s.rate = static_cast<Real>(rate);
    s.factor = static_cast<Real>(factor);
    s.correction1 = static_cast<Real>(1 / (1 - std::pow(settings_.beta1, count)));
    s.correction2 = static_cast<Real>(1 / (1 - std::pow(settings_.beta2, count)));
    workspace.state().team.run(ranges_.size(), [&](std::size_t index, std::size_t) {
        const Range& range = ranges_[index];
        AdamStep<Real> mine = s;
        mine.decay = range.decays ? static_cast<Real>(settings_.decay) : Real{0};
        kernels_of_one_row<Real>().adam(mine, parameters.data() + range.begin, gradient.data() + range.begin,
                                        first_.data() + range.begin, second_.data() + range.begin,
                                        range.end - range.begin);
    });
}

template double gradient_norm<float>(std::span<const float>, Workspace<float>&);
template double gradient_norm<double>(std::span<const double>, Workspace<double>&);
template class AdamW<float>;
template class AdamW<double>;

}  // namespace farfield::model
