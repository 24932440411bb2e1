// Attention by tiles with an online softmax, and its gradient. Only for kernel.cpp and pairs.cpp.
//
// `Products` defines how to multiply: PlainProducts<Real>, or products of operands rounded to bf16.
#pragma once

#include "model/kernel/relative.hpp"

namespace farfield::model {
namespace {

template <class Real>
using Tile = Real[query_tile * key_tile];

template <class Real>
constexpr std::size_t rounded_up(std::size_t count) {
    return (count + width<Real> - 1) / width<Real> * width<Real>;
}

template <class Real>
TilePlace place_of(const Head<Real>& head, std::size_t row, const MaskTile& tile) {
    const std::size_t query = row * query_tile;
    const std::size_t rows = head.length - query < query_tile ? head.length - query : query_tile;
    // Whole vectors of keys; keys beyond the range are masked or give exact zeros.
    const std::size_t begin = tile.begin / width<Real> * width<Real>;
    return {query, rows, tile.key, begin, rounded_up<Real>(tile.end)};
}

/// Lane i of the result is all ones if bit i of `bits` is set.
template <class Real>
Vector<Mask<Real>> lanes_of(std::uint64_t bits) {
    using M = Vector<Mask<Real>>;
    M single{};
    for (std::size_t i = 0; i < width<Real>; ++i) single[i] = Mask<Real>{1} << i;
    return (broadcast(static_cast<Mask<Real>>(bits & ((1ULL << width<Real>)-1))) & single) != 0;
}

/// Applies the bias and the mask to the logits of one query in a tile.
template <class Real>
struct RowTerms {
    const Real* bias;  ///< of key k at [k], or null
    std::uint64_t visible;

    Vector<Real> applied(Vector<Real> logits, std::size_t k) const {
        if (bias != nullptr) logits += load(bias + k);
        if (visible == ~std::uint64_t{0}) return logits;
        return lanes_of<Real>(visible >> k) ? logits : Vector<Real>{} - infinity<Real>;
    }
};

template <class Real>
RowTerms<Real> terms_of(const Head<Real>& head, const TilePlace& at, const MaskTile& tile, std::size_t r) {
    RowTerms<Real> terms{nullptr, ~std::uint64_t{0}};
    if (head.bias_tiles != nullptr) terms.bias = head.bias_tiles + (tile.slot * query_tile + r) * key_tile;
    if (head.bias_line != nullptr) terms.bias = head.bias_line + (head.length - 1 - at.query - r + at.key);
    if (tile.bits != MaskTile::all_visible) terms.visible = head.mask.words[tile.bits + r];
    return terms;
}

/// tile[r, k] = x[r] . y_t[:, k] for y_t in tiles of keys. Rows of all keys would be a power of two apart at common
/// lengths, so that the rows of a tile would replace each other in the L1 cache.
template <class Products, class Real>
void multiply_transposed(const Head<Real>& head, const TilePlace& at, HeadRows<const Real> x, const Real* y_t,
                         Real* tile) {
    Products::multiply({at.rows, at.end - at.begin, head.dim, x[at.query], x.step, 1,
                        y_t + at.key * head.dim + at.begin, key_tile, panel_columns<Real>, tile + at.begin, key_tile,
                        nullptr, false});
}

/// x[r] += sum_k tile[r, k] y[k].
template <class Products, class Real>
void add_weighted(const Head<Real>& head, const TilePlace& at, const Real* tile, HeadRows<const Real> y,
                  HeadRows<Real> x) {
    Products::multiply({at.rows, head.wide, at.end - at.begin, tile + at.begin, key_tile, 1, y[at.key + at.begin],
                        y.step, panel_columns<Real>, x[at.query], x.step, nullptr, true});
}

/// y[k] += sum_r tile[r, k] x[r].
template <class Products, class Real>
void add_weighted_back(const Head<Real>& head, const TilePlace& at, const Real* tile, HeadRows<const Real> x, Real* y) {
    Products::multiply({at.end - at.begin, head.wide, at.rows, tile + at.begin, 1, key_tile, x[at.query], x.step,
                        panel_columns<Real>, y + (at.key + at.begin) * head.wide, head.wide, nullptr, true});
}

/// x becomes cap tanh(x / cap), with an error of a few units in the last place of cap.
template <class Real>
void cap_products(const TilePlace& at, Real cap, Real* products) {
    for (std::size_t r = 0; r < at.rows; ++r) {
        for (std::size_t k = at.begin; k < at.end; k += width<Real>) {
            Real* const here = products + r * key_tile + k;
            const Vector<Real> x = load(here);
            const Vector<Real> e = exponential(larger(x, -x) * (-2 / cap));
            const Vector<Real> size = cap * (Real{1} - e) / (Real{1} + e);
            store<Real>(here, x < 0 ? -size : size);
        }
    }
}

/// Replaces products by those of the far vectors where the bits of `words` are set.
template <class Products, class Real>
void put_far_products(const Head<Real>& head, const TilePlace& at, const std::uint64_t* words, Real* products) {
    alignas(64) Tile<Real> far;
    multiply_transposed<Products>(head, at, head.far.q, head.far.k_t, far);
    for (std::size_t r = 0; r < at.rows; ++r) {
        for (std::size_t k = at.begin; k < at.end; k += width<Real>) {
            Real* const here = products + r * key_tile + k;
            store<Real>(here, lanes_of<Real>(words[r] >> k) ? load(far + r * key_tile + k) : load(here));
        }
    }
}

/// Logits before bias and mask.
template <class Products, class Real>
void products_of(const Head<Real>& head, const TilePlace& at, const MaskTile& tile, const Real* key_products,
                 Real* logits) {
    const std::uint32_t far = head.far.where.of(tile);
    if (far == FarView::all) {
        multiply_transposed<Products>(head, at, head.far.q, head.far.k_t, logits);
    } else {
        multiply_transposed<Products>(head, at, head.q, head.k_t, logits);
        if (far != FarView::none) put_far_products<Products>(head, at, head.far.where.words + far, logits);
    }
    if (head.relative.keys != nullptr) spread_classes(head, at, key_products, logits);
    if (head.cap != 0) cap_products(at, head.cap, logits);
}

/// The running softmax of a tile of queries.
template <class Real>
struct Running {
    Real most[query_tile];
    Real total[query_tile];
};

/// Products become logits; largest[r] becomes the largest of row r and its previous value.
template <class Real>
void apply_terms(const Head<Real>& head, const TilePlace& at, const MaskTile& tile, const Running<Real>& running,
                 Real* products, Real* largest) {
    for (std::size_t r = 0; r < at.rows; ++r) {
        const RowTerms<Real> terms = terms_of(head, at, tile, r);
        Vector<Real> most = broadcast(running.most[r]);
        for (std::size_t k = at.begin; k < at.end; k += width<Real>) {
            Real* const here = products + r * key_tile + k;
            const Vector<Real> logits = terms.applied(load(here), k);
            store<Real>(here, logits);
            most = larger(logits, most);
        }
        largest[r] = largest_of<Real>(most);
    }
}

/// Logits become exp(logit - most); the previous sums are rescaled.
template <class Real>
void soften(const Head<Real>& head, const TilePlace& at, const Real* largest, Running<Real>& running, Real* logits,
            Real* classes) {
    const std::size_t count = at.end - at.begin;
    for (std::size_t r = 0; r < at.rows; ++r) {
        const Real most = largest[r];
        Real* const row = logits + r * key_tile + at.begin;
        if (most == -infinity<Real>) {  // no visible key so far
            for (std::size_t k = 0; k < count; ++k) row[k] = 0;
            continue;
        }
        if (most > running.most[r] && running.total[r] != 0) {
            const Real keep = exponential_of_one(running.most[r] - most);
            running.total[r] *= keep;
            Real* const o = head.o[at.query + r];
            for (std::size_t i = 0; i < head.wide; ++i) o[i] *= keep;
            for (std::size_t c = 0; classes != nullptr && c < head.relative.classes(); ++c) {
                classes[r * head.relative.classes() + c] *= keep;
            }
        }
        running.most[r] = most;
        running.total[r] += exponentials_in_place(row, count, most);
    }
}

template <class Real>
void finish_rows(const Head<Real>& head, std::size_t query, std::size_t rows, const Running<Real>& running) {
    for (std::size_t r = 0; r < rows; ++r) {
        Real* const o = head.o[query + r];
        const bool blind = running.total[r] == 0;
        const Real share = blind ? Real{0} : Real{1} / running.total[r];
        for (std::size_t i = 0; i < head.wide; ++i) o[i] *= share;
    }
    for (std::size_t r = 0; r < rows; r += width<Real>) {
        const Vector<Real> total = load(running.total + r);
        const Vector<Real> lse = load(running.most + r) + evaluate::log_of(total);
        const Vector<Real> kept = total == 0 ? broadcast(infinity<Real>) : lse;
        for (std::size_t i = 0; i < width<Real> && r + i < rows; ++i) head.lse[query + r + i] = kept[i];
    }
}

template <class Products, class Real>
void attend(const Head<Real>& head) {
    alignas(64) Tile<Real> logits;
    Running<Real> running;
    const std::size_t classes = head.relative.classes();
    Real* const key_products = head.scratch;
    Real* const value_weights = head.relative.values != nullptr ? head.scratch + query_tile * classes : nullptr;
    const std::size_t end = head.end_query < head.length ? head.end_query : head.length;
    for (std::size_t row = head.first_query / query_tile; row * query_tile < end; ++row) {
        const std::size_t query = row * query_tile;
        const std::size_t rows = head.length - query < query_tile ? head.length - query : query_tile;
        for (std::size_t r = 0; r < rows; ++r) {
            running.most[r] = -infinity<Real>;
            running.total[r] = 0;
        }
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t i = 0; i < head.wide; ++i) head.o[query + r][i] = 0;
        }
        if (head.relative.keys != nullptr) {
            products_with_classes(head, head.q, query, rows, head.relative.keys, key_products);
        }
        for (std::size_t i = 0; value_weights != nullptr && i < rows * classes; ++i) value_weights[i] = 0;
        for (std::uint32_t t = head.mask.first[row]; t < head.mask.first[row + 1]; ++t) {
            const MaskTile& tile = head.mask.tiles[t];
            const TilePlace at = place_of(head, row, tile);
            products_of<Products>(head, at, tile, key_products, logits);
            // Two passes, each with its own short chains of operations, are faster than one.
            Real largest[query_tile];
            apply_terms(head, at, tile, running, logits, largest);
            soften(head, at, largest, running, logits, value_weights);
            add_weighted<Products>(head, at, logits, head.v, head.o);
            if (value_weights != nullptr) collect_classes(head, at, logits, value_weights);
        }
        if (value_weights != nullptr) add_classes(head, head.o, query, rows, head.relative.values, value_weights);
        finish_rows(head, query, rows, running);
    }
}

template <class Products, class Real>
void logits_of_tile(const Head<Real>& head, std::size_t row, const MaskTile& tile, Real* logits) {
    const TilePlace at = place_of(head, row, tile);
    if (head.relative.keys != nullptr) {
        products_with_classes(head, head.q, at.query, at.rows, head.relative.keys, head.scratch);
    }
    products_of<Products>(head, at, tile, head.scratch, logits);
    for (std::size_t r = 0; r < at.rows; ++r) {
        const RowTerms<Real> terms = terms_of(head, at, tile, r);
        for (std::size_t k = at.begin; k < at.end; k += width<Real>) {
            Real* const here = logits + r * key_tile + k;
            store<Real>(here, terms.applied(load(here), k));
        }
    }
}

/// Products before bias and mask become probabilities p, and slopes become d product = p (d p - o . d o), times the
/// slope of the cap.
template <class Real>
void soften_backward(const HeadBackward<Real>& back, const TilePlace& at, const MaskTile& tile, const Real* along,
                     Real* p, Real* slopes) {
    const Real share = back.head.cap != 0 ? 1 / back.head.cap : 0;
    for (std::size_t r = 0; r < at.rows; ++r) {
        const RowTerms<Real> terms = terms_of(back.head, at, tile, r);
        const Real lse = back.head.lse[at.query + r];
        for (std::size_t k = at.begin; k < at.end; k += width<Real>) {
            Real* const here = p + r * key_tile + k;
            Real* const slope = slopes + r * key_tile + k;
            const Vector<Real> product = load(here);
            const Vector<Real> probability = exponential(terms.applied(product, k) - lse);
            store<Real>(here, probability);
            Vector<Real> d_product = probability * (load(slope) - along[r]);
            if (share != 0) d_product *= Real{1} - product * product * (share * share);
            store<Real>(slope, d_product);
        }
    }
}

template <class Real>
void add_bias_gradient(const HeadBackward<Real>& back, const TilePlace& at, const MaskTile& tile, const Real* slopes) {
    const Head<Real>& head = back.head;
    for (std::size_t r = 0; r < at.rows; ++r) {
        Real* const total = back.d_bias_tiles != nullptr ? back.d_bias_tiles + (tile.slot * query_tile + r) * key_tile
                                                         : back.d_bias_line + (head.length - 1 - at.query - r + at.key);
        for (std::size_t k = at.begin; k < at.end; k += width<Real>) {
            store<Real>(total + k, load(total + k) + load(slopes + r * key_tile + k));
        }
    }
}

/// Computes d q and d k of the multiplied vectors from d product.
template <class Products, class Real>
void add_product_gradient(const HeadBackward<Real>& back, const TilePlace& at, const MaskTile& tile,
                          const Real* slopes) {
    const Head<Real>& head = back.head;
    const auto add_near = [&](const Real* own) {
        add_weighted<Products>(head, at, own, head.k, {back.d_q, head.wide});
        add_weighted_back<Products>(head, at, own, head.q, back.d_k);
    };
    const auto add_far = [&](const Real* own) {
        add_weighted<Products>(head, at, own, head.far.k, {back.d_far_q, head.wide});
        add_weighted_back<Products>(head, at, own, head.far.q, back.d_far_k);
    };
    const std::uint32_t far = head.far.where.of(tile);
    if (far == FarView::none) return add_near(slopes);
    if (far == FarView::all) return add_far(slopes);
    alignas(64) Tile<Real> parts[2];
    const std::uint64_t* const words = head.far.where.words + far;
    for (std::size_t r = 0; r < at.rows; ++r) {
        for (std::size_t k = at.begin; k < at.end; k += width<Real>) {
            const std::size_t here = r * key_tile + k;
            const Vector<Real> slope = load(slopes + here);
            const auto is_far = lanes_of<Real>(words[r] >> k);
            store<Real>(parts[0] + here, is_far ? Vector<Real>{} : slope);
            store<Real>(parts[1] + here, is_far ? slope : Vector<Real>{});
        }
    }
    add_near(parts[0]);
    add_far(parts[1]);
}

/// The data of relative vectors that the backward pass keeps for a tile of queries: q . keys, d o . values, sums of d
/// logit and of p.
template <class Real>
struct ClassRows {
    Real* key_products;
    Real* value_products;
    Real* slopes;
    Real* weights;
};

template <class Real>
ClassRows<Real> start_classes(const HeadBackward<Real>& back, std::size_t query, std::size_t rows) {
    const Head<Real>& head = back.head;
    if (head.relative.keys == nullptr && head.relative.values == nullptr) return {};
    const std::size_t count = query_tile * head.relative.classes();
    const ClassRows<Real> c{head.scratch, head.scratch + count, head.scratch + 2 * count, head.scratch + 3 * count};
    if (head.relative.keys != nullptr) {
        products_with_classes(head, head.q, query, rows, head.relative.keys, c.key_products);
        for (std::size_t i = 0; i < count; ++i) c.slopes[i] = 0;
    }
    if (head.relative.values != nullptr) {
        products_with_classes(head, back.d_o, query, rows, head.relative.values, c.value_products);
        for (std::size_t i = 0; i < count; ++i) c.weights[i] = 0;
    }
    return c;
}

template <class Real>
void finish_classes(const HeadBackward<Real>& back, std::size_t query, std::size_t rows, const ClassRows<Real>& c) {
    const Head<Real>& head = back.head;
    if (head.relative.keys != nullptr) {
        add_classes(head, HeadRows<Real>{back.d_q, head.wide}, query, rows, head.relative.keys, c.slopes);
        add_to_classes(head, head.q, query, rows, c.slopes, back.d_relative_keys);
    }
    if (head.relative.values != nullptr) {
        add_to_classes(head, back.d_o, query, rows, c.weights, back.d_relative_values);
    }
}

template <class Products, class Real>
void attend_backward(const HeadBackward<Real>& back) {
    const Head<Real>& head = back.head;
    alignas(64) Tile<Real> p;
    alignas(64) Tile<Real> slopes;
    Real along[query_tile];
    const bool learns_bias = back.d_bias_line != nullptr || back.d_bias_tiles != nullptr;
    for (std::size_t row = 0; row * query_tile < head.length; ++row) {
        const std::size_t query = row * query_tile;
        const std::size_t rows = head.length - query < query_tile ? head.length - query : query_tile;
        for (std::size_t r = 0; r < rows; ++r) {
            const Real* const o = head.o[query + r];
            const Real* const d_o = back.d_o[query + r];
            along[r] = sum_over<Real>(
                head.wide, [&](std::size_t i) { return load(o + i) * load(d_o + i); },
                [&](std::size_t i) { return o[i] * d_o[i]; });
        }
        Real* const d_q = back.d_q + query * head.wide;
        for (std::size_t i = 0; i < rows * head.wide; ++i) d_q[i] = 0;
        if (Real* const far = back.d_far_q) {
            for (std::size_t i = 0; i < rows * head.wide; ++i) far[query * head.wide + i] = 0;
        }
        const ClassRows<Real> classes = start_classes(back, query, rows);
        for (std::uint32_t t = head.mask.first[row]; t < head.mask.first[row + 1]; ++t) {
            const MaskTile& tile = head.mask.tiles[t];
            const TilePlace at = place_of(head, row, tile);
            products_of<Products>(head, at, tile, classes.key_products, p);
            multiply_transposed<Products>(head, at, back.d_o, head.v_t, slopes);
            if (head.relative.values != nullptr) spread_classes(head, at, classes.value_products, slopes);
            soften_backward(back, at, tile, along, p, slopes);
            add_weighted_back<Products>(head, at, p, back.d_o, back.d_v);
            add_product_gradient<Products>(back, at, tile, slopes);
            if (learns_bias) add_bias_gradient(back, at, tile, slopes);
            if (head.relative.keys != nullptr) collect_classes(head, at, slopes, classes.slopes);
            if (head.relative.values != nullptr) collect_classes(head, at, p, classes.weights);
        }
        finish_classes(back, query, rows, classes);
    }
}

}  // namespace
}  // namespace farfield::model
