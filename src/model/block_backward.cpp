// Block: the backward pass through the layers.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "model/block.hpp"

namespace farfield::model {

template <class Real>
void Block<Real>::normalise_backward(const NormSlices& norm, const Real* x, Moments<Real> moments, const Real* base,
                                     Group<Real>& group) {
    Real* const gradient = group.gradient;
    kernels_.normalise_backward({tokens_, width_, x, moments.mean, moments.inverse, pass_.parameter(norm.weight),
                                 a_.d_branch, base, a_.d_stream, gradient + norm.weight, gradient + norm.bias});
}

template <class Real>
void Block<Real>::linear_backward(const LinearBackward<Real>& l, Group<Real>& group) {
    const auto& [inputs, outputs, weight, bias] = l.linear;
    Real* const gradient = group.gradient;
    kernels_.product(
        {tokens_, inputs, outputs, l.dy, outputs, 1, l.packed.backward, l.dx, inputs, nullptr, l.add, l.slope});
    kernels_.pack({l.dy, outputs, 1, tokens_, outputs, a_.packing});
    kernels_.product({inputs, outputs, tokens_, l.x, 1, inputs, a_.packing, gradient + weight, outputs, nullptr,
                      group.started, nullptr});
    if (bias != Linear::none) kernels_.add_columns(l.dy, tokens_, outputs, gradient + bias);
}

template <class Real>
void Block<Real>::head_backward(const Real* y, std::size_t rows, Real* dy, bool add, Group<Real>& group) {
    const Linear& head = pass_.model.slices.head;
    Real* const gradient = group.gradient + head.weight;
    kernels_.product({rows, head.inputs, head.outputs, a_.logits, head.outputs, 1, pass_.packed.head.backward, dy,
                      head.inputs, nullptr, false});
    if (pass_.model.config.tied) {  // the embedding is [V, C]
        kernels_.pack({y, head.inputs, 1, rows, head.inputs, a_.packing});
        kernels_.product({head.outputs, head.inputs, rows, a_.logits, 1, head.outputs, a_.packing, gradient,
                          head.inputs, nullptr, add});
        return;
    }
    kernels_.pack({a_.logits, head.outputs, 1, rows, head.outputs, a_.packing});
    kernels_.product(
        {head.inputs, head.outputs, rows, y, 1, head.inputs, a_.packing, gradient, head.outputs, nullptr, add});
}

/// On entry, d_branch is the gradient with respect to y1[R], which head() computed.
template <class Real>
void Block<Real>::backward(Group<Real>& group, std::size_t first) {
    const std::size_t layers = pass_.model.config.layers;
    const bool post = pass_.model.config.norm == Norm::post;
    const bool lacks_norms = recomputes_ && !post;  // their outputs were not kept
    Layer& end = layer(layers);
    normalise_backward(norm_before(layers), end.in, {end.mean1, end.inverse1}, nullptr, group);
    for (std::size_t index = layers; index-- > first;) {
        Layer& here = layer(index);
        const typename PackedWeights<Real>::Layer& packed = pass_.packed.layers[index];
        const std::size_t ffn = tokens_ * pass_.model.config.ffn_width();
        if (recomputes_) kernels_.gelu(here.before, here.hidden, here.slope, ffn);
        linear_backward({slices(index).ffn_out, packed.ffn_out, here.hidden, a_.d_stream, a_.d_wide, false, here.slope},
                        group);
        if (post) std::copy(a_.d_stream, a_.d_stream + tokens_ * width_, a_.d_branch);
        if (lacks_norms)
            normalise(norm_between(index), here.mid, nullptr, nullptr, here.y2, {here.mean2, here.inverse2});
        linear_backward({slices(index).ffn_in, packed.ffn_in, here.y2, a_.d_wide, a_.d_branch, post, nullptr}, group);
        normalise_backward(norm_between(index), here.mid, {here.mean2, here.inverse2}, post ? nullptr : a_.d_stream,
                           group);
        linear_backward(
            {slices(index).attention_out, packed.attention_out, here.o, a_.d_stream, a_.d_branch, false, nullptr},
            group);
        attend_backward(index, group);
        if (post) std::copy(a_.d_stream, a_.d_stream + tokens_ * width_, a_.d_branch);
        if (lacks_norms) normalise(norm_before(index), here.in, nullptr, nullptr, here.y1, {here.mean1, here.inverse1});
        linear_backward(
            {slices(index).attention_in, packed.attention_in, here.y1, a_.d_wide, a_.d_branch, post, nullptr}, group);
        if (post && index == first) {
            std::copy(a_.d_branch, a_.d_branch + tokens_ * width_, a_.d_stream);
        } else {
            normalise_backward(norm_before(index), here.in, {here.mean1, here.inverse1}, post ? nullptr : a_.d_stream,
                               group);
        }
    }
}

template <class Real>
void Block<Real>::add_embedding_gradient(const Batch& batch, std::size_t first, Group<Real>& group) {
    const Slices& slices = pass_.model.slices;
    const Real scale = pass_.model.config.tied ? static_cast<Real>(std::sqrt(static_cast<double>(width_))) : Real{1};
    const std::size_t stride = batch.stride > 0 ? batch.stride : batch.length;
    Real* const gradient = group.gradient;
    const bool learns = !group.tables->embedding.empty();
    for (std::size_t token = 0; token < tokens_; ++token) {
        const std::size_t p = token % length_;
        const auto symbol = static_cast<std::size_t>(batch.inputs[(first + token / length_) * stride + p]);
        const Real* const slope = a_.d_stream + token * width_;
        Real* const row = gradient + slices.embedding + symbol * width_;
        for (std::size_t c = 0; c < width_; ++c) row[c] += scale * slope[c];
        if (slices.positions != Linear::none) {
            Real* const learned = gradient + slices.positions + p * width_;
            for (std::size_t c = 0; c < width_; ++c) learned[c] += slope[c];
        }
        for (std::size_t c = 0; learns && c < width_; ++c) group.tables->embedding[p * width_ + c] += slope[c];
    }
}

template class Block<float>;
template class Block<double>;

}  // namespace farfield::model
