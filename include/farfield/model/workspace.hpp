// The memory and the threads that a model computes with.
#pragma once

#include <cstddef>
#include <memory>

namespace farfield::model {

/// Buffers of activations, packed weights and the scheme's tables at the lengths in use, and a few threads of its own.
/// Grows to what the largest batch needs and is used again: a step allocates nothing once it has seen its shape. One
/// caller at a time; a workspace may serve any number of models in turn, and models on other threads have their own.
/// Results do not depend on `threads`.
template <class Real>
class Workspace {
public:
    /// `threads` counts the caller's: 1 starts none. Throws core::PreconditionError for 0.
    explicit Workspace(std::size_t threads = 1);
    ~Workspace();
    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) noexcept;

    std::size_t threads() const;
    /// Bytes held by the buffers.
    std::size_t bytes() const;

    struct State;
    State& state() { return *state_; }

private:
    std::unique_ptr<State> state_;
};

extern template class Workspace<float>;
extern template class Workspace<double>;

}  // namespace farfield::model
