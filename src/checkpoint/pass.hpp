// A pass of tokens through a checkpoint's layers, and the data that are read from it.
#pragma once

#include <algorithm>
#include <farfield/checkpoint/checkpoint.hpp>
#include <farfield/train/memory.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "checkpoint/architecture.hpp"
#include "checkpoint/source.hpp"
#include "model/kernel/kernels.hpp"
#include "model/memory.hpp"
#include "model/positions.hpp"
#include "numerics/parallel.hpp"

namespace farfield::checkpoint {

/// A multiple of the rows in a tile of a matrix product, so that no tile is partly empty.
inline constexpr std::size_t tile_tokens = 12;
/// The most tokens that one thread processes at once in norms and products, and the most rows of logits.
inline constexpr std::size_t tokens_at_once = 12 * tile_tokens;
inline constexpr std::size_t logits_at_once = 9 * tile_tokens;

/// `tokens` in blocks of whole tiles and at most `most` tokens, a multiple of tile_tokens. There are as many for each
/// thread, and they differ by one tile; a few tokens have fewer blocks.
class TokenBlocks {
public:
    TokenBlocks(std::size_t tokens, std::size_t threads, std::size_t most)
        : tokens_(tokens), tiles_((tokens + tile_tokens - 1) / tile_tokens) {
        constexpr std::size_t fewest_tiles = 2;
        const std::size_t share = (tokens + threads - 1) / threads;
        const std::size_t wanted = (share + most - 1) / most * threads;
        count_ = std::min(wanted, (tiles_ + fewest_tiles - 1) / fewest_tiles);
    }

    std::size_t count() const { return count_; }
    std::size_t begin(std::size_t block) const { return std::min(tokens_, block * tiles_ / count_ * tile_tokens); }
    std::size_t size(std::size_t block) const { return begin(block + 1) - begin(block); }

private:
    std::size_t tokens_, tiles_;
    std::size_t count_ = 0;
};

/// y = x W^T + bias for W [outputs, inputs], packed.
struct Matrix {
    std::size_t outputs = 0;
    std::size_t inputs = 0;
    float* packed = nullptr;
    float* bias = nullptr;  ///< null: 0
};

/// Weights of a norm over `width` channels.
struct Norm {
    std::size_t width = 0;
    float* weight = nullptr;
    float* bias = nullptr;  ///< null: 0
};

/// A missing part has no numbers.
struct LayerWeights {
    Norm attention_norm;
    Norm query_norm;
    Norm key_norm;
    Matrix query;
    Matrix key;
    Matrix value;
    Matrix attention_out;
    Norm attention_post_norm;
    Norm ffn_norm;
    Norm ffn_post_norm;
    Matrix gate;
    Matrix up;
    Matrix down;
};

class Loading;

struct Forward::State {
    Checkpoint checkpoint;
    const model::Kernels<float>& kernels;
    numerics::Team team;
    model::Memory<float> memory;
    std::vector<LayerWeights> layers;
    Norm embedding_norm;
    Norm norm;
    Matrix head;

    State(const Checkpoint& file, std::size_t threads)
        : checkpoint(file), kernels(model::kernels<float>(model::Precision::fp32)), team(threads) {}

    void lay_out(Loading& loading);
    void read(const Loading& loading);
};

/// Throws core::UserError that names the tensor, row and column of a number that is not finite.
void check_finite(const Source& file, const tensor::GgufTensor& tensor, std::size_t row,
                  std::span<const float> numbers);

/// Mean and reciprocal deviation of an input row of a layer norm.
struct Moments {
    double mean;
    double inverse;
};
Moments moments_of(const float* x, std::size_t count, double epsilon);

/// (1 + erf(x/sqrt(2)))/2
float normal_below(float x);

/// The work memory of a thread for a head and for logits.
struct Scratch {
    float* queries;
    float* keys;
    float* values;
    float* keys_turned;
    float* outputs;
    float* far_queries;  ///< the same three for a second rotation; null without one
    float* far_keys;
    float* far_keys_turned;
    float* lse;
    float* hidden;  ///< [tokens_at_once, 2 F]
    float* norms;   ///< [tokens_at_once, C]
    float* added;   ///< [tokens_at_once, C]: the input of a post-norm; null without post-norms
    float* logits;  ///< [logits_at_once, V]; shares its memory with all parts but norms
};

/// A pass of tokens through the layers with one scheme.
class ForwardPass {
public:
    /// Checks the scheme, the tokens and the memory. Builds no tables and takes no memory yet.
    ForwardPass(const Forward::State& state, const scheme::Scheme& scheme, std::span<const model::Token> tokens);
    virtual ~ForwardPass() = default;

    void logits(const std::function<void(std::span<const float>)>& take);
    void losses(std::span<const model::Token> targets, std::span<float> result);
    std::vector<model::Token> predicted(std::size_t last);
    void attention(model::Attention what, const Forward::TakeRows& take);
    void vectors(const Forward::TakeVectors& take);

protected:
    /// For a pass that needs more memory and checks all of it.
    struct NeedsMore {};
    ForwardPass(const Forward::State& state, const scheme::Scheme& scheme, std::span<const model::Token> tokens,
                NeedsMore);

    /// A function that is called for a head after its attention.
    using AfterHead = std::function<void(std::size_t layer, std::size_t head, const model::Head<float>& task)>;

    template <class Work>
    void in_blocks(const Work& work) {
        const TokenBlocks blocks(length_, state_.team.threads(), tokens_at_once);
        state_.team.run(blocks.count(), [&](std::size_t index, std::size_t thread) {
            work(blocks.begin(index), blocks.size(index), thread);
        });
    }

    /// Throws core::MissingError if the memory of the pass, and more, is not available.
    void require_memory(std::vector<train::MemoryPart> more);
    /// Builds the position tables and takes the memory.
    void take_memory();
    void embed();
    void run_layer(std::size_t layer, const AfterHead& after = {});
    void make_heads(std::size_t layer, std::size_t first, std::size_t count, Scratch& scratch);
    /// Whether the rotated keys and values of two heads are the same.
    bool shares_keys(std::size_t layer, std::size_t head, std::size_t other) const;
    /// Keys and values of a head, rotated and laid out for the kernel.
    void load_keys(std::size_t layer, std::size_t head, Scratch& scratch) const;
    /// The same with its queries. `before` is the head that `scratch` already has, if any.
    model::Head<float> load_head(std::size_t layer, std::size_t head, std::optional<std::size_t> before,
                                 Scratch& scratch) const;
    /// Computes attended_ of all heads.
    void attend(std::size_t layer, const AfterHead& after = {});
    /// The queries of heads [first, end) in part `part` of `parts`, which have about the same number of visible keys.
    struct HeadsPart {
        std::size_t first, end, part, parts;
    };
    void attend_part(std::size_t layer, const HeadsPart& heads, Scratch& scratch, const AfterHead& after);
    void finish_layer(std::size_t layer, std::size_t first, std::size_t count, Scratch& scratch);
    /// Multiplies queries by the scale of the logits.
    void scale_queries(float* rows, std::size_t count) const;
    /// Applies the cap to logits of the head.
    void cap_logits(std::span<float> logits) const;
    void multiply(const Matrix& matrix, std::size_t rows, const float* x, float* y, std::size_t y_row, bool add) const;
    /// Adds x W^T to the stream's rows, through the norm if it has weights; in this case, `before` keeps the input of
    /// the norm.
    void add_product(const Matrix& matrix, const Norm& norm, std::size_t count, const float* x, float* stream,
                     float* before) const;
    /// Normalises rows of the norm's width; y may be x.
    void normalise(const Norm& norm, const float* x, std::size_t count, float* y) const;
    void enter_ffn(const LayerWeights& weights, std::size_t count, const float* x, float* gate, float* up) const;
    void apply_unit(float* gate, const float* up, std::size_t count) const;
    /// A head's columns, rotated if `table` is given, and multiplied by the factors if they are given.
    model::Turn<float> turn(const float* table, const float* factor) const;
    void turn_from(model::Turn<float> turn, const float* from, float* to) const;
    const float* query_table(std::size_t layer, std::size_t head) const;
    const float* key_table(std::size_t layer, std::size_t head) const;
    std::size_t key_head_of(std::size_t head) const { return head / (shape_.heads / shape_.key_heads); }

    const Forward::State& state_;
    const Shape& shape_;
    const Architecture& architecture_;
    const model::Kernels<float>& kernels_;
    std::span<const model::Token> tokens_;
    bool has_file_positions_;  ///< the scheme's learned embedding is that of the file
    model::Layout layout_;     ///< of learned names, which keep their `init`
    std::shared_ptr<const model::Pieces> pieces_;
    model::Positions<float> tables_;
    std::size_t length_;
    std::size_t wide_;
    std::size_t heads_row_;  ///< queries, keys and values of a token
    model::Memory<float> memory_;
    float* stream_ = nullptr;     ///< [L, C]
    float* heads_ = nullptr;      ///< [L, (H + 2 G) d]
    float* raw_heads_ = nullptr;  ///< the same before the norms of heads; null without such norms
    float* attended_ = nullptr;   ///< [L, H d]
    std::vector<Scratch> scratch_;

private:
    void carve(model::Carver<float>& carver);
    void check_tokens() const;
    void run_layers(const AfterHead& after = {});
    /// Calls in_parallel(position, logits of some rows) from the first position on; in_order, if given, gets the same
    /// rows in order.
    void take_logits(std::size_t first, const std::function<void(std::size_t, std::span<float>)>& in_parallel,
                     const std::function<void(std::span<const float>)>& in_order = {});
};

}  // namespace farfield::checkpoint
