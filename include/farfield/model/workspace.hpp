// The memory and the threads with which a model computes.
#pragma once

#include <cstddef>
#include <memory>

namespace farfield::model {

/// Buffers of activations, packed weights and the scheme's tables at the lengths in use, and a few threads. The
/// workspace grows to the size that the largest batch needs, and is reused: after the first step of a shape, further
/// steps allocate nothing. Only one caller may use it at a time. Several models may use one workspace in turn; models
/// on other threads need separate workspaces. Results do not depend on `threads`.
template <class Real>
class Workspace {
public:
    /// `threads` includes the caller's thread: 1 starts no other thread. Throws core::PreconditionError for 0.
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
