// Compiled once for each vector width, with FARFIELD_KERNEL naming the namespace. Nothing in this file may be shared
// between widths, so it calls no function of another header except those of C.
#include "model/kernel/attention.hpp"
#include "model/kernel/special_products.hpp"
#include "model/kernel/turn.hpp"

namespace farfield::model {
namespace {

template <class Real>
constexpr Kernels<Real> make_kernels() {
    return {evaluate::kernel_name,
            width<Real>,
            packed_size<Real>,
            pack_panels<Real>,
            multiply_packed<Real>,
            normalise_rows<Real>,
            normalise_rows_backward<Real>,
            root_mean_square_rows<Real>,
            swiglu_of_all<Real>,
            gelu_of_all<Real>,
            add_columns_of<Real>,
            add_parts_of<Real>,
            cross_entropy_of<Real>,
            turn_rows<Real>,
            turn_rows_back<Real>,
            transpose_tiles<Real>,
            attend<PlainProducts<Real>, Real>,
            attend_backward<PlainProducts<Real>, Real>,
            logits_of_tile<PlainProducts<Real>, Real>,
            adam_step<Real>};
}

constexpr Kernels<float> kernels_of_floats = make_kernels<float>();
constexpr Kernels<double> kernels_of_doubles = make_kernels<double>();
constexpr PackedProducts products_of_rounded = {packed_size<float>, pack_rounded, multiply_rounded};
constexpr AttentionOfProducts attention_of_rounded = {
    attend<RoundedProducts, float>, attend_backward<RoundedProducts, float>, logits_of_tile<RoundedProducts, float>};

}  // namespace

namespace FARFIELD_KERNEL {

const Kernels<float>& model_kernels(float) {
    return kernels_of_floats;
}
const Kernels<double>& model_kernels(double) {
    return kernels_of_doubles;
}
const PackedProducts& rounded_products() {
    return products_of_rounded;
}
const AttentionOfProducts& rounded_attention() {
    return attention_of_rounded;
}

}  // namespace FARFIELD_KERNEL
}  // namespace farfield::model
