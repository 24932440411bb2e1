// The operations of a model's layers, compiled once for each vector width and chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <farfield/model/config.hpp>
#include <span>

#include "numerics/instructions.hpp"

namespace farfield::model {

/// Attention processes tiles of this many queries and keys.
inline constexpr std::size_t query_tile = 32;
inline constexpr std::size_t key_tile = 64;

/// c[m, n] = (add ? c : 0) + bias[n] + sum_k a[m, k] b[k, n]; times slope[m, n] with the layout of c, if it is given.
/// Element (m, k) of a is at [m * a_row + k * a_column], where one of the two is 1. b was packed by `pack` of the same
/// kernels.
template <class Real>
struct Product {
    std::size_t rows;
    std::size_t columns;
    std::size_t depth;
    const Real* a;
    std::size_t a_row;
    std::size_t a_column;
    const Real* b;
    Real* c;
    std::size_t c_row;
    const Real* bias;
    bool add;
    const Real* slope = nullptr;
};

/// A matrix to pack: element (k, n) is at [k * row + n * column], where one of the two is 1.
template <class Real>
struct Packing {
    const Real* from;
    std::size_t row;
    std::size_t column;
    std::size_t depth;
    std::size_t columns;
    Real* to;
};

/// sum = x + delta (delta may be null: x), y = (sum - mean) * inverse * weight + bias, row by row; mean and inverse
/// deviation are kept. `sum` is written if delta is given.
template <class Real>
struct Normalisation {
    std::size_t rows;
    std::size_t columns;
    const Real* x;
    const Real* delta;
    Real* sum;
    const Real* weight;
    const Real* bias;
    Real* y;
    Real* mean;
    Real* inverse;
};

/// y = x / sqrt(mean of x^2 + epsilon) * weight, row by row.
template <class Real>
struct RootMeanSquare {
    std::size_t rows;
    std::size_t columns;
    const Real* x;
    const Real* weight;
    Real epsilon;
    Real* y;
};

/// dx = (base ? base : 0) + dy through the normalisation of x; d_weight and d_bias are added to.
template <class Real>
struct NormalisationBackward {
    std::size_t rows;
    std::size_t columns;
    const Real* x;
    const Real* mean;
    const Real* inverse;
    const Real* weight;
    const Real* dy;
    const Real* base;
    Real* dx;
    Real* d_weight;
    Real* d_bias;
};

/// Keys [key, key + key_tile) of a tile of queries: columns [begin, end) have a visible key. `bits` is the start of its
/// words, one per query, or `all_visible`. `slot` numbers the tiles of a mask.
struct MaskTile {
    static constexpr std::uint32_t all_visible = 0xffffffffU;
    std::uint32_t key;
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t bits;
    std::uint32_t slot;
};

/// The tiles of queries [32 t, 32 t + 32) are tiles[first[t]] to tiles[first[t + 1]]; tiles without a visible key are
/// not listed.
struct MaskView {
    const MaskTile* tiles;
    const std::uint32_t* first;
    const std::uint64_t* words;
};

/// Which logits of a mask's tiles are those of the far vectors: by the slot of a tile, `none`, `all`, or the start of
/// its words, one per query, with a bit for each such key.
struct FarView {
    static constexpr std::uint32_t none = 0xffffffffU;
    static constexpr std::uint32_t all = 0xfffffffeU;
    const std::uint32_t* tiles = nullptr;  ///< null: no far logits
    const std::uint64_t* words = nullptr;

    std::uint32_t of(const MaskTile& tile) const { return tiles == nullptr ? none : tiles[tile.slot]; }
};

/// Learned vectors for distances clipped to [-clip, clip], or [0, clip] if causal: [classes, dim].
template <class Real>
struct RelativeView {
    const Real* keys;  ///< null: none
    const Real* values;
    std::size_t clip;
    bool causal;

    std::size_t classes() const { return causal ? clip + 1 : 2 * clip + 1; }
};

/// Some rows of one head, each `step` after the one before: `dim` numbers, and zeros up to `wide` if `wide` is larger.
template <class Number>
struct HeadRows {
    Number* numbers;
    std::size_t step;

    Number* operator[](std::size_t row) const { return numbers + row * step; }
};

/// Queries and keys with a head's second rotation, like those of the head; without relative vectors.
template <class Real>
struct FarHead {
    FarView where;
    HeadRows<const Real> q{};
    HeadRows<const Real> k{};  ///< backward only
    const Real* k_t = nullptr;
};

/// One head of one sequence. `wide` is `dim` rounded up to whole vectors; `padded` is the length rounded up to key
/// tiles. Queries carry the temperature over sqrt(dim). Keys and values beyond the length, up to whole vectors, are
/// multiplied by zeros, so they must be finite numbers.
template <class Real>
struct Head {
    std::size_t length;
    std::size_t padded;
    std::size_t dim;
    std::size_t wide;
    HeadRows<const Real> q;  ///< length
    HeadRows<const Real> k;  ///< length; backward only
    HeadRows<const Real> v;  ///< length
    const Real* k_t;         ///< [padded / key_tile, dim, key_tile]
    const Real* v_t;         ///< the same of v; backward only
    MaskView mask;
    const Real* bias_line;   ///< of q - k = n at [length - 1 - n], or null
    const Real* bias_tiles;  ///< [slot, query_tile, key_tile], or null
    RelativeView<Real> relative;
    HeadRows<Real> o;  ///< length
    Real* lse;         ///< [length]: log of the sum of exponentials, inf where no key is visible
    Real* scratch;     ///< relative vectors only: 4 * query_tile * classes
    /// Forward: whole tiles of queries before the first, or from the end on, are skipped.
    std::size_t first_query = 0;
    std::size_t end_query = static_cast<std::size_t>(-1);
    Real cap = 0;  ///< c: a product x becomes c tanh(x / c) before bias and mask, neither of them learned; 0: no cap
    FarHead<Real> far{};
};

/// Gradients of a head. d_q and d_far_q are written. The kernel adds to d_k, d_v and d_far_k, and to the others if they
/// are not null.
template <class Real>
struct HeadBackward {
    Head<Real> head;
    HeadRows<const Real> d_o;  ///< length
    Real* d_q;                 ///< [length, wide]
    Real* d_k;                 ///< [padded, wide]
    Real* d_v;                 ///< [padded, wide]
    Real* d_bias_line;
    Real* d_bias_tiles;
    Real* d_relative_keys;
    Real* d_relative_values;
    Real* d_far_q = nullptr;  ///< [length, wide], only for a head with far vectors
    Real* d_far_k = nullptr;  ///< [padded, wide]
};

/// Rotates a head's columns of some rows of activations: y[j] = factor (x[j] cosine[j] + x[partner(j)] sine[j]) for the
/// first `rotated` columns, factor x[j] for the others, zeros from dim to wide. partner(j) is the other column of the
/// pair: j ^ 1, or, if `halves`, the column at a distance of half of `rotated`. Tables are [rows, rotated], factor
/// [rows]; null: 1.
template <class Real>
struct Turn {
    std::size_t rows;
    std::size_t dim;
    std::size_t wide;
    std::size_t rotated;
    bool halves;
    const Real* cosine;
    const Real* sine;
    const Real* factor;
    const Real* from;
    std::size_t from_row;
    Real* to;
    std::size_t to_row;
};

/// m and v of AdamW, see optimiser.hpp. `fresh1` is 1 - beta1 and `correction1` is 1/(1 - beta1^t), both computed in
/// double, because in float 1 - 0.999999 is wrong by 1.4 %. The moments move by `fresh` times the difference, because
/// beta2 rounded to float has the same error.
template <class Real>
struct AdamStep {
    Real fresh1;
    Real fresh2;
    Real epsilon;
    Real rate;
    Real decay;
    Real factor;
    Real correction1;
    Real correction2;
};

template <class Real>
struct Kernels {
    const char* name;
    std::size_t lanes;  ///< numbers in a vector
    /// The number of values of a packed matrix.
    std::size_t (*packed)(std::size_t depth, std::size_t columns);
    void (*pack)(const Packing<Real>&);
    void (*product)(const Product<Real>&);
    void (*normalise)(const Normalisation<Real>&);
    void (*normalise_backward)(const NormalisationBackward<Real>&);
    void (*root_mean_square)(const RootMeanSquare<Real>&);
    /// y = silu(gate) up with silu(x) = x/(1 + exp(-x)); y may be either.
    void (*swiglu)(const Real* gate, const Real* up, Real* y, std::size_t count);
    /// y becomes gelu(x), and `slope` its derivative unless null; y may be x.
    void (*gelu)(const Real* x, Real* y, Real* slope, std::size_t count);
    /// total[n] += sum_m x[m, n].
    void (*add_columns)(const Real* x, std::size_t rows, std::size_t columns, Real* total);
    /// total[i] = (add ? total[i] : 0) + scale * sum of parts[p][i] in their order.
    void (*add_parts)(const Real* const* parts, std::size_t count, std::size_t size, Real scale, bool add, Real* total);
    /// -log softmax(logits)[target]; logits become (softmax - onehot) * scale if `backward`.
    Real (*cross_entropy)(Real* logits, std::size_t columns, std::size_t target, Real scale, bool backward);
    void (*turn)(const Turn<Real>&);
    /// The transpose of turn, without the zeros: from [rows, wide] to activations.
    void (*turn_back)(const Turn<Real>&);
    /// Writes rows [begin, end) of `from` to tiles of key_tile rows, each transposed: [tile, columns, key_tile].
    void (*transpose)(const HeadRows<const Real>& from, std::size_t begin, std::size_t end, std::size_t columns,
                      Real* to);
    void (*attention)(const Head<Real>&);
    void (*attention_backward)(const HeadBackward<Real>&);
    /// The logits [query_tile, key_tile] of one tile of a head; those of masked keys are -inf, and columns outside the
    /// tile's range are not written.
    void (*attention_logits)(const Head<Real>&, std::size_t tile_row, const MaskTile&, Real* logits);
    void (*adam)(const AdamStep<Real>&, Real* w, const Real* g, Real* m, Real* v, std::size_t count);
};

/// The fastest kernels that this processor can run. Those of double always multiply in double.
template <class Real>
const Kernels<Real>& kernels(Precision precision);

/// All kernels that this processor can run, the fastest first. They agree up to rounding, but not to the last digit.
template <class Real>
std::span<const Kernels<Real>> all_kernels(Precision precision);

/// The fastest kernels for products of a single row with the accuracy of Real. Kernels that are fast for many rows may
/// be slow for one.
template <class Real>
const Kernels<Real>& kernels_of_one_row();

#define DECLARE(set)                              \
    namespace set {                               \
    const Kernels<float>& model_kernels(float);   \
    const Kernels<double>& model_kernels(double); \
    }
FARFIELD_INSTRUCTION_SETS(DECLARE)
#undef DECLARE

}  // namespace farfield::model
