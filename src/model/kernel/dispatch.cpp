#include <vector>

#include "model/kernel/kernels.hpp"
#include "model/kernel/special_instructions.hpp"
#include "model/kernel/special_products.hpp"

namespace farfield::model {
namespace {

/// The kernels of every instruction set, the widest first.
template <class Real>
std::vector<Kernels<Real>> find_plain() {
    std::vector<Kernels<Real>> found;
#define ADD(set) \
    if (numerics::runs::set()) found.push_back(set::model_kernels(Real{}));
    FARFIELD_INSTRUCTION_SETS(ADD)
#undef ADD
    return found;
}

Kernels<float> with(Kernels<float> kernels, const char* name, const PackedProducts& products) {
    kernels.name = name;
    kernels.packed = products.packed;
    kernels.pack = products.pack;
    kernels.product = products.product;
    return kernels;
}

std::vector<Kernels<float>> find_float() {
    std::vector<Kernels<float>> found = find_plain<float>();
#ifdef FARFIELD_AMX
    if (has_amx()) found.insert(found.begin(), with(found.front(), "amx", tiles_of_floats()));
#endif
    return found;
}

Kernels<float> rounded(const Kernels<float>& kernels, const char* name, const PackedProducts& products,
                       const AttentionOfProducts& attention) {
    Kernels<float> result = with(kernels, name, products);
    result.attention = attention.forward;
    result.attention_backward = attention.backward;
    result.attention_logits = attention.logits;
    return result;
}

#ifdef FARFIELD_AMX
/// Attention in bf16 on a processor with AVX-512.
const AttentionOfProducts& best_attention() {
#ifdef FARFIELD_AVX512_BF16
    if (has_avx512_bf16()) return attention_of_pairs();
#endif
    return avx512::rounded_attention();
}
#endif

std::vector<Kernels<float>> find_bf16() {
    std::vector<Kernels<float>> found;
#ifdef FARFIELD_AMX
    if (has_amx()) {
        found.push_back(rounded(avx512::model_kernels(0.0F), "amx bf16", tiles_of_bf16(), best_attention()));
    }
#endif
#ifdef FARFIELD_AVX512_BF16
    if (has_avx512_bf16()) {
        found.push_back(rounded(avx512::model_kernels(0.0F), "avx512 bf16", pairs_of_bf16(), attention_of_pairs()));
    }
#endif
#define ADD(set)                                                                                                    \
    if (numerics::runs::set()) {                                                                                    \
        found.push_back(                                                                                            \
            rounded(set::model_kernels(0.0F), #set " rounded", set::rounded_products(), set::rounded_attention())); \
    }
    FARFIELD_INSTRUCTION_SETS(ADD)
#undef ADD
    return found;
}

}  // namespace

template <>
std::span<const Kernels<float>> all_kernels<float>(Precision precision) {
    static const std::vector<Kernels<float>> floats = find_float();
    static const std::vector<Kernels<float>> rounded = find_bf16();
    return precision == Precision::bf16 ? rounded : floats;
}

template <>
std::span<const Kernels<double>> all_kernels<double>(Precision) {
    static const std::vector<Kernels<double>> found = find_plain<double>();
    return found;
}

template <class Real>
const Kernels<Real>& kernels(Precision precision) {
    return all_kernels<Real>(precision).front();
}

template <class Real>
const Kernels<Real>& kernels_of_one_row() {
    static const Kernels<Real> found = find_plain<Real>().front();
    return found;
}

template const Kernels<float>& kernels<float>(Precision);
template const Kernels<double>& kernels<double>(Precision);
template const Kernels<float>& kernels_of_one_row<float>();
template const Kernels<double>& kernels_of_one_row<double>();

}  // namespace farfield::model
