// The gradient of the last output with respect to every input, by a backward pass through the layers.
#pragma once

#include "checkpoint/pass.hpp"

namespace farfield::checkpoint {

/// Keeps the input of each layer, and recomputes a layer in the backward pass. The transposed weights of a layer are
/// read from the file again, because as floats they would need the memory of the model once more.
class GradientPass : public ForwardPass {
public:
    /// Checks the scheme, the tokens and the memory, also that of the gradients. Takes no memory yet.
    GradientPass(const Forward::State& state, const scheme::Scheme& scheme, std::span<const model::Token> tokens);

    /// The norms, by position, of the gradient with respect to the input of a layer, from 1.
    std::vector<double> run(model::Token target, std::size_t first_layer);

private:
    /// y = x W for W [outputs, inputs], packed: the backward pass of y = x W^T.
    struct Transposed {
        std::string_view part;  ///< empty: the architecture lacks it
        Matrix matrix;
        std::vector<float> numbers;
    };

    /// The work memory of a thread for the backward pass of a head.
    struct HeadScratch {
        float* values_turned;
        float* d_outputs;
        float* d_queries;
        float* d_keys;
        float* d_values;
        float* d_far_queries;  ///< the same for a second rotation; null without one
        float* d_far_keys;
        float* turned_back;
    };
    /// The work memory for some tokens.
    struct TokenScratch {
        float* d_hidden;  ///< [tokens_at_once, 2 F]: with respect to gate and up
        float* product;   ///< [tokens_at_once, F]
        float* d_norms;   ///< [tokens_at_once, C]
        float* d_added;   ///< [tokens_at_once, C]: with respect to the input of a post-norm; null without post-norms
        float* d_heads;   ///< [tokens_at_once, (H + 2 G) d]
    };

    void carve_gradient(model::Carver<float>& carver);
    void take_all_memory();
    void read_transposed(std::size_t layer);
    void start(model::Token target);
    void back_through_ffn(std::size_t layer, std::size_t first, std::size_t count, std::size_t thread);
    void back_through_head(std::size_t layer, std::size_t head, const model::Head<float>& head_task,
                           std::size_t thread);
    void back_through_heads(std::size_t layer, std::size_t first, std::size_t count, std::size_t thread);
    /// y = x times the matrix, or y += it. The first numbers of successive rows are `step` apart.
    void multiply_back(const Transposed& by, std::size_t rows, model::HeadRows<const float> x, model::HeadRows<float> y,
                       bool add) const;
    /// d_x += the gradient through normalise().
    void normalise_back(const Norm& norm, const float* x, const float* d_y, std::size_t count, float* d_x) const;
    /// Computes d_gate and d_up from d_y, the gradient with respect to the output of apply_unit(); d_gate may be d_y.
    void unit_back(const float* gate, const float* up, const float* d_y, std::size_t count, float* d_gate,
                   float* d_up) const;
    void attended_back(std::size_t layer, std::size_t first, std::size_t count, std::size_t thread);
    /// The gradient with respect to the input of a post-norm, `added`, where d_y is that with respect to its output;
    /// d_y without the norm.
    const float* post_norm_back(const Norm& norm, const float* added, const float* d_y, std::size_t count,
                                TokenScratch& own) const;
    void head_norms_back(std::size_t layer, std::size_t first, std::size_t count, float* d_heads) const;

    model::Memory<float> gradient_memory_;
    float* inputs_ = nullptr;      ///< [R, L, C]: the input of each layer
    float* middle_ = nullptr;      ///< [L, C]: between attention and MLP of the current layer
    float* d_stream_ = nullptr;    ///< [L, C]
    float* d_attended_ = nullptr;  ///< [L, H d]
    float* d_heads_ = nullptr;     ///< [L, 3 H d]: with respect to the query, key and value of each head
    std::vector<HeadScratch> heads_scratch_;
    std::vector<TokenScratch> token_scratch_;
    std::vector<Transposed> back_;
};

}  // namespace farfield::checkpoint
