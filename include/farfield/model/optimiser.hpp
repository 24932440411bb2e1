// AdamW over an arena, clipping and the schedule of the learning rate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <farfield/model/layout.hpp>
#include <farfield/model/workspace.hpp>

namespace farfield::model {

/// Warm-up and cosine: rate peak * (step + 1)/warm_up for step < warm_up, then from peak down to floor * peak along
/// half a cosine at step = steps. Steps count from 0; rates are nats^-1.
struct Schedule {
    double peak = 2e-3;
    std::size_t warm_up = 0;
    std::size_t steps = 1000;
    double floor = 0.1;  ///< share of the peak that is left at the end

    double rate(std::size_t step) const;
};

/// sqrt(sum of squares) of a gradient, summed in double in fixed blocks.
template <class Real>
double gradient_norm(std::span<const Real> gradient, Workspace<Real>& workspace);

/// The factor by which the gradient is multiplied so that its norm is at most `limit`: min(1, limit/norm); 1 for limit
/// <= 0.
double clip_factor(double norm, double limit);

struct AdamWSettings {
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double decay = 0.01;
};

/// m = m + (1 - beta1) (g - m); v = v + (1 - beta2) (g^2 - v);
/// w = w - rate (m/(1 - beta1^t) / (sqrt(v/(1 - beta2^t)) + epsilon) + decay w), decay on slices that decay.
/// Source: Loshchilov and Hutter 2019, Algorithm 2 with eta_t * alpha = rate (as PyTorch's AdamW).
template <class Real>
class AdamW {
public:
    AdamW(const Layout& layout, const AdamWSettings& settings = {});

    /// One step with `factor` times the gradient (see clip_factor).
    void step(std::span<Real> parameters, std::span<const Real> gradient, double rate, double factor,
              Workspace<Real>& workspace);

    /// The state that a checkpoint must contain: moments, [layout.size()] each, and the number of steps done.
    std::span<Real> first_moment() { return first_; }
    std::span<Real> second_moment() { return second_; }
    std::span<const Real> first_moment() const { return first_; }
    std::span<const Real> second_moment() const { return second_; }
    std::uint64_t steps() const { return steps_; }
    void set_steps(std::uint64_t steps) { steps_ = steps; }

private:
    struct Range {
        std::size_t begin;
        std::size_t end;
        bool decays;
    };
    AdamWSettings settings_;
    std::vector<Range> ranges_;
    std::vector<Real> first_;
    std::vector<Real> second_;
    std::uint64_t steps_ = 0;
};

extern template double gradient_norm<float>(std::span<const float>, Workspace<float>&);
extern template double gradient_norm<double>(std::span<const double>, Workspace<double>&);
extern template class AdamW<float>;
extern template class AdamW<double>;

}  // namespace farfield::model
