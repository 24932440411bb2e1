// One token after another, with the keys and values of the last w tokens kept.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <farfield/model/model.hpp>

namespace farfield::model {

/// Feeds tokens one at a time. Each token attends to itself and at most the w - 1 tokens before it, with the keys and
/// values computed when these tokens were fed (Chi et al. 2023, Appendix B). If w is at least the number of tokens fed,
/// this equals the full context. A step costs w d operations a head instead of the square of the number of tokens so
/// far. The model must stay alive and unchanged.
template <class Real>
class Generator {
public:
    /// `window` is w. `length` is L of the scheme's formulas and the number of tokens that may be fed (positions 0 to
    /// length - 1). Throws core::PreconditionError for 0, and if the scheme is not causal.
    Generator(const Model<Real>& model, std::size_t window, std::size_t length);
    ~Generator();
    Generator(Generator&&) noexcept;
    Generator& operator=(Generator&&) noexcept;

    /// The logits [V] of the token after `token`; valid until the next call.
    std::span<const Real> step(Token token);

    /// Tokens fed so far.
    std::size_t position() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

extern template class Generator<float>;
extern template class Generator<double>;

}  // namespace farfield::model
