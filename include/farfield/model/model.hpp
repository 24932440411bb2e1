// A decoder-only Transformer under any scheme: loss, gradient, and measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <farfield/model/config.hpp>
#include <farfield/model/layout.hpp>
#include <farfield/model/workspace.hpp>
#include <farfield/scheme/scheme.hpp>

namespace farfield::model {

/// Inputs and targets of some sequences: sequence b, position p at [b * stride + p]. Tokens below the vocabulary.
struct Batch {
    std::span<const Token> inputs;
    std::span<const Token> targets;  ///< the token to predict at each position, or `ignored`
    std::size_t sequences = 1;       ///< B
    std::size_t length = 0;          ///< L
    std::size_t stride = 0;          ///< tokens from one sequence to the next; 0: length
};

/// Consecutive windows of L + 1 tokens, [B, L+1]: the inputs are the first L tokens, the targets the last L tokens of
/// each.
Batch windows(std::span<const Token> tokens, std::size_t sequences, std::size_t length);

/// How forward_backward updates the gradient: gradient = (add ? gradient : 0) + scale * d loss. To accumulate n batches
/// of equal size as one batch, use scale 1/n, and add from the second batch on.
struct Accumulation {
    bool add = false;
    double scale = 1;
};

enum class Attention { logits, probabilities };

/// y = head(blocks(embed(tokens))). A block is attention, then the MLP gelu(x W + b) W' + b' with
/// gelu(x) = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). A head's logit is
/// temperature(q) (rotated q) . (rotated k + relative key) / sqrt(d) + bias(q, k), for the visible keys. Real is float
/// or double.
template <class Real>
class Model {
public:
    /// Draws the parameters from `seed`: normal with standard deviation 1/(2 sqrt(inputs)) for weights, weights at the
    /// end of a branch are also divided by sqrt(2R); embeddings 1/2 (tied: 1/(2 sqrt(C))), learned positions 1/4,
    /// relative vectors 1/(2 sqrt(d)); norms 1, biases 0; learned names at their `init`. Both Reals draw the same
    /// numbers. Throws core::PreconditionError for an impossible shape (0 heads, C not a multiple of H, an odd rotated
    /// width), and for learned names that cannot be trained, in a mask or in a `when`.
    Model(const Config& config, const scheme::Scheme& scheme, std::uint64_t seed);
    ~Model();
    Model(Model&&) noexcept;
    Model& operator=(Model&&) noexcept;
    Model(const Model& other);

    const Config& config() const;
    const scheme::Scheme& scheme() const;
    const Layout& layout() const;
    std::span<Real> parameters();
    std::span<const Real> parameters() const;

    /// The mean loss, -log softmax(logits)[target] in nats over the targets that are not ignored, and its gradient as
    /// `accumulation` says into `gradient` of layout().size() elements. Throws core::PreconditionError if sizes do not
    /// fit, a token is outside the vocabulary, the length exceeds a learned embedding's, all targets are ignored, or
    /// the scheme's tables hold NaN (naming head and distance). Deterministic: the same bytes for any number of
    /// threads on one type of processor. The loss may be NaN or infinite: the caller decides.
    double forward_backward(const Batch& batch, Workspace<Real>& workspace, std::span<Real> gradient,
                            Accumulation accumulation = {}) const;

    /// -log softmax(logits)[target] in nats of each target, [B, L] without stride; 0 if the target is ignored. Any
    /// length.
    void losses(const Batch& batch, Workspace<Real>& workspace, std::span<Real> result) const;

    /// The same at the last `last` positions of each sequence only, [B, last], at less cost: the head is applied only
    /// to these positions.
    void last_losses(const Batch& batch, std::size_t last, Workspace<Real>& workspace, std::span<Real> result) const;

    /// Logits of the last position, [V].
    void last_logits(std::span<const Token> tokens, Workspace<Real>& workspace, std::span<Real> result) const;

    /// g_m = || d(-log softmax(logits at the last position)[target]) / d e_m ||_2 for each input m = 0..L-1, where e_m
    /// is the input embedding of the first block, or the input of a later one; layers count from 1. Source: Chi et al.
    /// 2023, section 5.1 (before normalising).
    std::vector<double> input_gradient(std::span<const Token> tokens, Token target, Workspace<Real>& workspace,
                                       std::size_t layer = 1) const;

    /// The head's logits or probabilities [L, L], row q, column k; masked keys are -inf and 0. Layer and head count
    /// from 1. Logits are the input of the softmax, a_ij of Sun et al. 2023, Eqs. (5) and (13).
    std::vector<Real> attention(std::span<const Token> tokens, std::size_t layer, std::size_t head, Attention what,
                                Workspace<Real>& workspace) const;

    /// The same of every head, [L, L], in one pass: calls `take` with layer and head from 0.
    void all_attention(
        std::span<const Token> tokens, Attention what, Workspace<Real>& workspace,
        const std::function<void(std::size_t layer, std::size_t head, std::span<const Real>)>& take) const;

    /// Calls `take` with the query and key, [d], of every layer and head (from 0) and position, before they are
    /// rotated.
    void vectors(std::span<const Token> tokens, Workspace<Real>& workspace,
                 const std::function<void(std::size_t layer, std::size_t head, std::span<const Real> query,
                                          std::span<const Real> key)>& take) const;

    /// The values of a learned name after positivity, [R or 1, H or 1, size or 1]; PreconditionError if there is none.
    std::vector<double> learned(std::string_view name) const;

    struct State;
    const State& state() const { return *state_; }

private:
    std::unique_ptr<State> state_;
};

extern template class Model<float>;
extern template class Model<double>;

}  // namespace farfield::model
