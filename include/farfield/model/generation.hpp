// One token after another, with the keys and values of the last w tokens kept.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <farfield/model/model.hpp>

namespace farfield::model {

/// Feeds tokens one at a time. Each sees itself and at most the w - 1 tokens before it, by keys and values computed
/// when they came (Chi et al. 2023, Appendix B); with w >= the number of tokens fed this equals the full context. A
/// step costs w d operations a head instead of the square of the tokens so far. The model must stay alive and
/// unchanged.
template <class Real>
class Generator {
public:
    /// `window` is w. `length` is L of the scheme's formulas and the number of tokens that may be fed (positions 0 to
    /// length - 1). Throws core::PreconditionError for 0, and if the scheme is not causal.
    Generator(const Model<Real>& model, std::size_t window, std::size_t length);
    ~Generator();
    Generator(Generator&&) noexcept;
    Generator& operator=(Generator&&) noexcept;

    /// Logits [V] of what follows `token`; valid until the next call.
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
