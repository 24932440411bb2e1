#include <farfield/measure/network.hpp>

#include <algorithm>
#include <cmath>
#include <farfield/formula/parser.hpp>
#include <farfield/model/generation.hpp>
#include <string>

namespace farfield::measure {
namespace {

double nll_of(std::span<const float> logits, model::Token target) {
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const float logit : logits) sum += std::exp(logit - largest);
    return std::log(sum) + largest - logits[static_cast<std::size_t>(target)];
}

/// The scheme with a mask that also hides keys at the distance w and beyond.
scheme::Scheme within(scheme::Scheme scheme, std::size_t window) {
    formula::Node mask = formula::parse("q - k < " + std::to_string(window));
    if (scheme.mask) {
        formula::Node own = scheme.mask->formula;
        if (scheme.mask->when)
            own = formula::make(formula::Op::logical_or,
                                {formula::make(formula::Op::logical_not, {scheme.mask->when}), own});
        mask = formula::make(formula::Op::logical_and, {own, mask});
    } else {
        scheme.mask.emplace();
    }
    scheme.mask->formula = mask;
    scheme.mask->when = nullptr;
    return scheme;
}

class Trained : public Network {
public:
    explicit Trained(const model::Model<float>& model) : model_(model) {}

    std::vector<model::Token> predicted(std::span<const model::Token> tokens, std::size_t last,
                                        model::Workspace<float>& workspace) const override {
        std::vector<float> logits(model_.config().vocabulary);
        std::vector<model::Token> found;
        for (std::size_t length = tokens.size() - last + 1; length <= tokens.size(); ++length) {
            model_.last_logits(tokens.first(length), workspace, logits);
            found.push_back(checkpoint::largest(logits));
        }
        return found;
    }

    void losses(const model::Batch& batch, std::size_t last, model::Workspace<float>& workspace,
                std::span<float> result) const override {
        if (last == batch.length)
            model_.losses(batch, workspace, result);
        else
            model_.last_losses(batch, last, workspace, result);
    }
    std::vector<double> cached_losses(std::span<const model::Token> tokens, std::size_t last, std::size_t window,
                                      model::Workspace<float>&) const override {
        const std::size_t length = tokens.size() - 1;
        model::Generator<float> generator(model_, window, length);
        std::vector<double> losses;
        for (std::size_t t = 0; t < length; ++t) {
            const std::span<const float> logits = generator.step(tokens[t]);
            if (t + last >= length) losses.push_back(nll_of(logits, tokens[t + 1]));
        }
        return losses;
    }
    std::vector<double> input_gradient(std::span<const model::Token> tokens, model::Token target,
                                       model::Workspace<float>& workspace, std::size_t layer) const override {
        return model_.input_gradient(tokens, target, workspace, layer);
    }
    void attention(std::span<const model::Token> tokens, model::Attention what, model::Workspace<float>& workspace,
                   const checkpoint::Forward::TakeRows& take) const override {
        model_.all_attention(
            tokens, what, workspace,
            [&](std::size_t layer, std::size_t head, std::span<const float> rows) { take(layer, head, 0, rows); });
    }
    void vectors(std::span<const model::Token> tokens, model::Workspace<float>& workspace,
                 const checkpoint::Forward::TakeVectors& take) const override {
        model_.vectors(tokens, workspace, take);
    }

private:
    const model::Model<float>& model_;
};

class Read : public Network {
public:
    Read(std::shared_ptr<const checkpoint::Forward> forward, scheme::Scheme scheme)
        : forward_(std::move(forward)), scheme_(std::move(scheme)) {}

    void losses(const model::Batch& batch, std::size_t last, model::Workspace<float>&,
                std::span<float> result) const override {
        const std::size_t stride = batch.stride > 0 ? batch.stride : batch.length;
        for (std::size_t row = 0; row < batch.sequences; ++row) {
            const std::size_t begin = row * stride;
            forward_->losses(scheme_, batch.inputs.subspan(begin, batch.length),
                             batch.targets.subspan(begin + batch.length - last, last),
                             result.subspan(row * last, last));
        }
    }
    std::vector<model::Token> predicted(std::span<const model::Token> tokens, std::size_t last,
                                        model::Workspace<float>&) const override {
        return forward_->predicted(scheme_, tokens, last);
    }
    /// A key that is cached was computed from the keys of its own window, as under a mask. Therefore one pass gives all
    /// losses.
    std::vector<double> cached_losses(std::span<const model::Token> tokens, std::size_t last, std::size_t window,
                                      model::Workspace<float>&) const override {
        std::vector<float> found(last);
        forward_->losses(within(scheme_, window), tokens.first(tokens.size() - 1), tokens.last(last), found);
        return {found.begin(), found.end()};
    }
    std::vector<double> input_gradient(std::span<const model::Token> tokens, model::Token target,
                                       model::Workspace<float>&, std::size_t layer) const override {
        return forward_->input_gradient(scheme_, tokens, target, layer);
    }
    void attention(std::span<const model::Token> tokens, model::Attention what, model::Workspace<float>&,
                   const checkpoint::Forward::TakeRows& take) const override {
        forward_->attention(scheme_, tokens, what, take);
    }
    void vectors(std::span<const model::Token> tokens, model::Workspace<float>&,
                 const checkpoint::Forward::TakeVectors& take) const override {
        forward_->vectors(scheme_, tokens, take);
    }

private:
    std::shared_ptr<const checkpoint::Forward> forward_;
    scheme::Scheme scheme_;
};

}  // namespace

std::shared_ptr<const Network> network_of(const model::Model<float>& model) {
    return std::make_shared<Trained>(model);
}

std::shared_ptr<const Network> network_of(std::shared_ptr<const checkpoint::Forward> forward, scheme::Scheme scheme) {
    return std::make_shared<Read>(std::move(forward), std::move(scheme));
}

}  // namespace farfield::measure
