// The measurements that quantities make on a model, whether trained by farfield or read from a file.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <farfield/checkpoint/checkpoint.hpp>
#include <farfield/model/model.hpp>

namespace farfield::measure {

class Network {
public:
    virtual ~Network() = default;

    /// -log softmax(logits)[target] in nats at the last `last` positions of each sequence, [B, last].
    virtual void losses(const model::Batch& batch, std::size_t last, model::Workspace<float>& workspace,
                        std::span<float> result) const = 0;
    /// -log softmax(logits)[target] in nats of the last `last` of the tokens, computed one after the other with the
    /// cached keys and values of the last `window` tokens.
    virtual std::vector<double> cached_losses(std::span<const model::Token> tokens, std::size_t last,
                                              std::size_t window, model::Workspace<float>& workspace) const = 0;
    /// The token with the largest logit after each of the last `last` tokens, the first one if several are equal.
    virtual std::vector<model::Token> predicted(std::span<const model::Token> tokens, std::size_t last,
                                                model::Workspace<float>& workspace) const = 0;
    /// As model::Model::input_gradient.
    virtual std::vector<double> input_gradient(std::span<const model::Token> tokens, model::Token target,
                                               model::Workspace<float>& workspace, std::size_t layer) const = 0;
    /// As checkpoint::Forward::attention and vectors.
    virtual void attention(std::span<const model::Token> tokens, model::Attention what,
                           model::Workspace<float>& workspace, const checkpoint::Forward::TakeRows& take) const = 0;
    virtual void vectors(std::span<const model::Token> tokens, model::Workspace<float>& workspace,
                         const checkpoint::Forward::TakeVectors& take) const = 0;
};

/// A model that farfield trained; it must outlive the result.
std::shared_ptr<const Network> network_of(const model::Model<float>& model);

/// A checkpoint under a scheme.
std::shared_ptr<const Network> network_of(std::shared_ptr<const checkpoint::Forward> forward, scheme::Scheme scheme);

}  // namespace farfield::measure
