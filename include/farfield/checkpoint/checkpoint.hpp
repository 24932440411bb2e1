// A trained Transformer in a GGUF file, or in a folder with config.json and safetensors: its shape, its own position
// scheme, and its logits under any scheme.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <farfield/model/config.hpp>
#include <farfield/model/model.hpp>
#include <farfield/scheme/registry.hpp>

namespace farfield::checkpoint {

struct Architecture;
class Source;

/// Legend of shapes: R layers, H query heads, G key heads (a divisor of H), d head width, C channels, F channels of the
/// MLP, V vocabulary.
struct Shape {
    std::string architecture;
    std::size_t layers = 0;       ///< R
    std::size_t heads = 0;        ///< H
    std::size_t key_heads = 0;    ///< G
    std::size_t head_dim = 0;     ///< d
    std::size_t rotated = 0;      ///< columns of a head that are rotated
    std::size_t width = 0;        ///< C
    std::size_t ffn = 0;          ///< F
    std::size_t vocabulary = 0;   ///< V
    std::size_t context = 0;      ///< Ltr of formulas
    double epsilon = 0;           ///< of the norms
    std::size_t window = 0;       ///< keys that a query of the file's own scheme sees; 0: all up to its own
    std::size_t global_each = 0;  ///< each so many layers one without the window; 0: all have it
    double base = 10000;          ///< of the rotation
    double local_base = 10000;    ///< of layers with a window, if some have none
    double logit_scale = 1;       ///< of products of query and key, beside 1/sqrt(d)
    double attention_cap = 0;     ///< c: a product x of query and key counts as c tanh(x / c); 0: as it is
    double logit_cap = 0;         ///< the same of logits
    bool tied = false;            ///< the head is the token embedding's transpose
    bool parallel = false;        ///< attention and MLP of a layer read the same input
    scheme::Pairs pairs = scheme::Pairs::interleaved;
};

/// An open file. Weights are read when a Forward is made.
class Checkpoint {
public:
    /// Reads the headers and checks that the architecture is supported and that each tensor is there with its shape.
    /// Throws core::UserError naming the file and the key or tensor, core::MissingError if the file cannot be read.
    explicit Checkpoint(const std::string& path);

    const Shape& shape() const { return shape_; }
    const Architecture& architecture() const { return *architecture_; }
    const Source& file() const { return *file_; }
    const std::string& path() const;
    std::size_t parameters() const;
    /// The part of the shape that schemes use; `width` is the width of all heads together.
    model::Config config() const;
    /// A text that identifies the content: the digest of all bytes of weights up to 2 GiB, and of larger ones of size,
    /// time of writing and pieces.
    std::string identity() const;

    /// The scheme with this name and these params (name, decimal text); without a name, the scheme of the file. If the
    /// params `base` and `original` are not given, they are the base and the trained length of the file. The pairs of
    /// columns are those of the file. Throws core::UserError for an unknown name or param, and if the scheme of the
    /// file is not supported.
    scheme::Scheme scheme(const scheme::Registry& registry, const std::optional<std::string>& name,
                          const std::vector<std::pair<std::string, std::string>>& params) const;

private:
    std::shared_ptr<const Source> file_;
    const Architecture* architecture_;
    Shape shape_;
};

/// About how many operations a new Forward and its logits() of `tokens` tokens report to the pulse of their thread
/// (core/pulse.hpp).
double forward_steps(const Checkpoint& checkpoint, std::size_t tokens);

/// Throws core::MissingError with the bytes if a pass of that many tokens, or the gradient with respect to all of them,
/// does not fit into memory, the weights not counted. Reads no weights and builds no tables.
void require_memory(const Checkpoint& checkpoint, const scheme::Scheme& scheme, std::size_t tokens, std::size_t threads,
                    bool has_gradient = false);

/// The token with the largest logit, the first one if several are equal; model::ignored if a logit is not a number.
model::Token largest(std::span<const float> logits);

/// The weights in memory as floats, and the threads that compute.
class Forward {
public:
    /// Throws core::UserError if a weight is not finite, core::MissingError if they do not fit into memory.
    Forward(const Checkpoint& checkpoint, std::size_t threads);
    ~Forward();
    Forward(Forward&&) noexcept;
    Forward& operator=(Forward&&) noexcept;

    /// Calls `take` with the logits [rows, V] of one position after another, some rows at a time and one call at a
    /// time, each on any of the threads. Deterministic: the same bytes for any number of threads on one type of
    /// processor. Throws core::UserError for a token outside the vocabulary, no tokens, or a scheme that the model
    /// cannot compute with; model::PieceError as model::Model; core::MissingError if the length does not fit into
    /// memory.
    void logits(const scheme::Scheme& scheme, std::span<const model::Token> tokens,
                const std::function<void(std::span<const float>)>& take) const;

    /// -log softmax(logits)[target] in nats at the last positions, one for each target; 0 where a target is
    /// model::ignored. Targets below the vocabulary. Throws as logits().
    void losses(const scheme::Scheme& scheme, std::span<const model::Token> tokens,
                std::span<const model::Token> targets, std::span<float> result) const;

    /// largest() of the logits after each of the last `last` tokens. Throws as logits().
    std::vector<model::Token> predicted(const scheme::Scheme& scheme, std::span<const model::Token> tokens,
                                        std::size_t last) const;

    /// g_m = || d(-log softmax(logits at the last position)[target]) / d e_m ||_2 for each input m, where e_m is the
    /// input of the first layer, or of a later one; layers count from 1. Throws as logits().
    std::vector<double> input_gradient(const scheme::Scheme& scheme, std::span<const model::Token> tokens,
                                       model::Token target, std::size_t layer = 1) const;

    /// Some rows of one head's attention, [rows, L], from the query `first` on; layer and head from 0.
    using TakeRows =
        std::function<void(std::size_t layer, std::size_t head, std::size_t first, std::span<const float> rows)>;

    /// Calls `take` with the input or the output of the softmax; masked keys are -inf or 0. The rows of a head come in
    /// order, those of several heads of a layer at the same time from several threads. Throws as logits().
    void attention(const scheme::Scheme& scheme, std::span<const model::Token> tokens, model::Attention what,
                   const TakeRows& take) const;

    /// The query and key of a head at one position, [d], before they are rotated; layer and head from 0.
    using TakeVectors = std::function<void(std::size_t layer, std::size_t head, std::span<const float> query,
                                           std::span<const float> key)>;

    /// Calls `take` with the queries and keys of one position after another, from threads as in attention(). Throws as
    /// logits().
    void vectors(const scheme::Scheme& scheme, std::span<const model::Token> tokens, const TakeVectors& take) const;

    struct State;

private:
    std::unique_ptr<State> state_;
};

}  // namespace farfield::checkpoint
