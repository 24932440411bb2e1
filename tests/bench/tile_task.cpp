// The innermost loop of the matrix products, written with three layers over vector instructions. Compiled for this
// processor, so only for the timing program.
#include <cstdint>
#include <experimental/simd>
#include <memory>
#include <random>

#if defined(FARFIELD_HAS_HIGHWAY)
#include <hwy/highway.h>
#endif

#define FARFIELD_KERNEL native
#include "model/kernel/product.hpp"
#include "task.hpp"

namespace farfield::bench {

namespace {

using model::tile_rows;
using model::tile_vectors;
constexpr std::size_t lanes = evaluate::width<float>;
constexpr std::size_t columns = tile_vectors * lanes;
constexpr std::size_t sums = tile_rows * tile_vectors;
constexpr std::size_t depth = 256;
constexpr std::size_t repeats = 20'000;

/// The vectors of the compiler, as the program uses them.
[[gnu::noinline]] void multiply_extensions(const float* a, const float* b, float* c) {
    model::PanelProduct<float> p{};
    p.columns = columns;
    p.depth = depth;
    p.b = b;
    p.c = c;
    p.c_row = columns;
    model::multiply_tile<tile_rows, tile_vectors>(p, model::PackedStrides<float>{}, a, 0, 0);
}

[[gnu::noinline]] void multiply_simd(const float* a, const float* b, float* c) {
    namespace simd = std::experimental;
    using V = simd::native_simd<float>;
    static_assert(V::size() == lanes);
    V sum[sums];
#pragma GCC unroll 32
    for (V& one : sum) one = V(0.0F);
#pragma GCC unroll 4
    for (std::size_t k = 0; k < depth; ++k, a += tile_rows, b += columns) {
        V right[tile_vectors];
#pragma GCC unroll 2
        for (std::size_t v = 0; v < tile_vectors; ++v) right[v].copy_from(b + v * lanes, simd::element_aligned);
#pragma GCC unroll 16
        for (std::size_t r = 0; r < tile_rows; ++r) {
            const V left(a[r]);
#pragma GCC unroll 2
            for (std::size_t v = 0; v < tile_vectors; ++v)
                sum[r * tile_vectors + v] = simd::fma(left, right[v], sum[r * tile_vectors + v]);
        }
    }
#pragma GCC unroll 32
    for (std::size_t i = 0; i < sums; ++i) sum[i].copy_to(c + i * lanes, simd::element_aligned);
}

#if defined(FARFIELD_HAS_HIGHWAY)
[[gnu::noinline]] void multiply_highway(const float* a, const float* b, float* c) {
    namespace highway = hwy::HWY_NAMESPACE;
    const highway::FixedTag<float, lanes> tag;
    using V = highway::Vec<decltype(tag)>;
    V sum[sums];
#pragma GCC unroll 32
    for (V& one : sum) one = highway::Zero(tag);
#pragma GCC unroll 4
    for (std::size_t k = 0; k < depth; ++k, a += tile_rows, b += columns) {
        V right[tile_vectors];
#pragma GCC unroll 2
        for (std::size_t v = 0; v < tile_vectors; ++v) right[v] = highway::LoadU(tag, b + v * lanes);
#pragma GCC unroll 16
        for (std::size_t r = 0; r < tile_rows; ++r) {
            const V left = highway::Set(tag, a[r]);
#pragma GCC unroll 2
            for (std::size_t v = 0; v < tile_vectors; ++v)
                sum[r * tile_vectors + v] = highway::MulAdd(left, right[v], sum[r * tile_vectors + v]);
        }
    }
#pragma GCC unroll 32
    for (std::size_t i = 0; i < sums; ++i) highway::StoreU(sum[i], tag, c + i * lanes);
}
#endif

struct Tile {
    std::vector<float> a = std::vector<float>(depth * tile_rows);
    std::vector<float> b = std::vector<float>(depth * columns);
    std::map<std::string, std::vector<float>> c;

    Tile() {
        std::mt19937 random(1);
        std::uniform_real_distribution<float> number(-1, 1);
        for (float& x : a) x = number(random);
        for (float& x : b) x = number(random);
    }

    void multiply(const std::string& layer, void (*work)(const float*, const float*, float*)) {
        std::vector<float>& to = c[layer];
        to.resize(tile_rows * columns);
        for (std::size_t i = 0; i < repeats; ++i) work(a.data(), b.data(), to.data());
    }

    /// The number of sums that differ between two layers.
    double differences() const {
        double count = 0;
        const std::vector<float>& first = c.at("extensions");
        for (const auto& [layer, numbers] : c)
            for (std::size_t i = 0; i < first.size(); ++i) count += numbers[i] != first[i];
        return count;
    }
};

}  // namespace

Task tile_task(Arguments) {
    const auto tile = std::make_shared<Tile>();
    Task task;
    task.work["extensions"] = [tile] { tile->multiply("extensions", multiply_extensions); };
    task.work["simd"] = [tile] { tile->multiply("simd", multiply_simd); };
#if defined(FARFIELD_HAS_HIGHWAY)
    task.work["highway"] = [tile] { tile->multiply("highway", multiply_highway); };
#endif
    const auto layers = static_cast<double>(task.work.size());
    constexpr double operations = 2.0 * depth * tile_rows * columns * repeats;
    task.values = [tile, layers] { return std::vector<double>{operations, layers, tile->differences()}; };
    return task;
}

}  // namespace farfield::bench
