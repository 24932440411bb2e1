// The gradient of the last output by every input, layer by layer backwards.
#pragma once

#include "checkpoint/pass.hpp"

namespace farfield::checkpoint {

/// Keeps what enters each layer, and computes a layer again on the way back. A layer's weights, transposed, are read
/// from the file again: as floats they would take the memory of the model once more.
class GradientPass : public ForwardPass {
public:
    GradientPass(const Forward::State& state, const scheme::Scheme& scheme, std::span<const model::Token> tokens);

    /// Norms by position, of the gradient by what enters a layer, from 1.
    std::vector<double> run(model::Token target, std::size_t first_layer);

private:
    /// y = x W for W [outputs, inputs], packed: the way back through y = x W^T.
    struct Transposed {
        std::string_view part;  ///< empty: the architecture lacks it
        Matrix matrix;
        std::vector<float> numbers;
    };

    /// What a thread keeps of the head it computes backwards.
    struct HeadScratch {
        float* values_turned;
        float* d_outputs;
        float* d_queries;
        float* d_keys;
        float* d_values;
        float* d_far_queries;  ///< these by a second rotation; null without one
        float* d_far_keys;
        float* turned_back;
    };
    /// And of some tokens.
    struct TokenScratch {
        float* d_hidden;  ///< [tokens_at_once, 2 F]: by gate and up
        float* product;   ///< [tokens_at_once, F]
        float* d_norms;   ///< [tokens_at_once, C]
        float* d_added;   ///< [tokens_at_once, C]: by what a post-norm reads; null without them
        float* d_heads;   ///< [tokens_at_once, (H + 2 G) d]
    };

    void carve_gradient(model::Carver<float>& carver);
    void read_transposed(std::size_t layer);
    void start(model::Token target);
    void back_through_ffn(std::size_t layer, std::size_t first, std::size_t count, std::size_t thread);
    void back_through_head(std::size_t layer, std::size_t head, const model::Head<float>& head_task,
                           std::size_t thread);
    void back_through_heads(std::size_t layer, std::size_t first, std::size_t count, std::size_t thread);
    void multiply_back(const Transposed& by, std::size_t rows, const float* x, std::size_t x_row, float* y,
                       std::size_t y_row, bool add) const;
    /// d_x += the gradient through normalise().
    void normalise_back(const Norm& norm, const float* x, const float* d_y, std::size_t count, float* d_x) const;
    /// d_gate and d_up by d_y, the gradient by what apply_unit() gives; d_gate may be d_y.
    void unit_back(const float* gate, const float* up, const float* d_y, std::size_t count, float* d_gate,
                   float* d_up) const;
    void attended_back(std::size_t layer, std::size_t first, std::size_t count, std::size_t thread);
    /// The gradient by what a post-norm reads, `added`, where the one by what it gives is d_y; d_y without the norm.
    const float* post_norm_back(const Norm& norm, const float* added, const float* d_y, std::size_t count,
                                TokenScratch& own) const;
    void head_norms_back(std::size_t layer, std::size_t first, std::size_t count, float* d_heads) const;

    model::Memory<float> gradient_memory_;
    float* inputs_ = nullptr;      ///< [R, L, C]: what enters each layer
    float* middle_ = nullptr;      ///< [L, C]: between attention and MLP of the layer at hand
    float* d_stream_ = nullptr;    ///< [L, C]
    float* d_attended_ = nullptr;  ///< [L, H d]
    float* d_heads_ = nullptr;     ///< [L, 3 H d]: by the query, key and value that each head reads
    std::vector<HeadScratch> heads_scratch_;
    std::vector<TokenScratch> token_scratch_;
    std::vector<Transposed> back_;
};

}  // namespace farfield::checkpoint
