// The shape of a decoder-only Transformer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace farfield::model {

/// A token is a number from 0 to vocabulary - 1; a target of `ignored` adds nothing to the loss.
using Token = std::int32_t;
inline constexpr Token ignored = -1;

/// The position of a block's normalisation: pre, x + f(norm(x)) with one more norm before the head; post, norm(x +
/// f(x)).
enum class Norm { pre, post };

/// How matrix products with weights and within attention are computed: in float, or with operands rounded to bf16 and
/// sums in float. Weights, activations and the optimiser are float in both.
enum class Precision { fp32, bf16 };

/// Legend of shapes: B sequences, L positions, T = B L tokens, C channels, H heads, d = C/H head width, F channels of
/// the MLP, R layers, V vocabulary. Arrays are row-major.
struct Config {
    std::size_t layers = 4;         ///< R
    std::size_t heads = 4;          ///< H
    std::size_t width = 64;         ///< C, a multiple of H
    std::size_t ffn = 0;            ///< F; 0: 4 C
    std::size_t vocabulary = 256;   ///< V
    std::size_t train_length = 64;  ///< Ltr of the scheme's formulas, whatever length is in use
    Norm norm = Norm::pre;
    Precision precision = Precision::fp32;  ///< of a model of floats; one of doubles multiplies in double
    bool tied = false;  ///< the head is the token embedding's transpose, and the input sqrt(C) times the embedding

    std::size_t head_dim() const { return width / heads; }
    std::size_t ffn_width() const { return ffn > 0 ? ffn : 4 * width; }
};

}  // namespace farfield::model
