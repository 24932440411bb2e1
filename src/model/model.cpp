#include <algorithm>
#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/model/model.hpp>

#include "model/check_batch.hpp"
#include "model/step.hpp"

namespace farfield::model {

Batch windows(std::span<const Token> tokens, std::size_t sequences, std::size_t length) {
    if (tokens.size() != sequences * (length + 1) || sequences == 0 || length == 0) {
        throw core::PreconditionError("model::windows", "tokens.size()", std::to_string(tokens.size()),
                                      "sequences * (length + 1), both above 0");
    }
    return {tokens.first(tokens.size() - 1), tokens.subspan(1), sequences, length, length + 1};
}

template <class Real>
Model<Real>::State::State(const Config& shape, const scheme::Scheme& whole) : config(shape), scheme(whole) {
    // The pieces of the formulas check the shape first, but learned names come after the model's own slices.
    Layout names;
    const Pieces checked(config, scheme, names);
    slices = make_slices(config, scheme, layout);
    pieces = std::make_shared<const Pieces>(config, scheme, layout);
}

template <class Real>
Model<Real>::Model(const Config& config, const scheme::Scheme& scheme, std::uint64_t seed)
    : state_(std::make_unique<State>(config, scheme)) {
    state_->memory.require(state_->layout.size());
    draw_parameters<Real>(config, state_->layout, seed, state_->parameters());
    state_->pieces->names.start(state_->parameters());
}

template <class Real>
Model<Real>::Model(const Model& other) : state_(std::make_unique<State>(other.config(), other.scheme())) {
    state_->memory.require(state_->layout.size());
    std::copy(other.parameters().begin(), other.parameters().end(), parameters().begin());
}

template <class Real>
Model<Real>::~Model() = default;
template <class Real>
Model<Real>::Model(Model&&) noexcept = default;
template <class Real>
Model<Real>& Model<Real>::operator=(Model&&) noexcept = default;

template <class Real>
const Config& Model<Real>::config() const {
    return state_->config;
}
template <class Real>
const scheme::Scheme& Model<Real>::scheme() const {
    return state_->scheme;
}
template <class Real>
const Layout& Model<Real>::layout() const {
    return state_->layout;
}
template <class Real>
std::span<Real> Model<Real>::parameters() {
    return state_->parameters();
}
template <class Real>
std::span<const Real> Model<Real>::parameters() const {
    return std::as_const(*state_).parameters();
}

template <class Real>
double Model<Real>::forward_backward(const Batch& batch, Workspace<Real>& workspace, std::span<Real> gradient,
                                     Accumulation accumulation) const {
    check_batch("model::Model::forward_backward", *state_, batch);
    if (gradient.size() != layout().size()) {
        throw core::PreconditionError("model::Model::forward_backward", "gradient.size()",
                                      std::to_string(gradient.size()), "layout().size()");
    }
    const std::size_t counted = counted_targets(batch);
    if (counted == 0) {
        throw core::PreconditionError("model::Model::forward_backward", "batch.targets", "all ignored",
                                      "at least one target");
    }
    return step<Real>(*state_, batch, workspace.state(), gradient, accumulation, counted);
}

template <class Real>
void Model<Real>::losses(const Batch& batch, Workspace<Real>& workspace, std::span<Real> result) const {
    last_losses(batch, batch.length, workspace, result);
}

template <class Real>
void Model<Real>::last_losses(const Batch& batch, std::size_t last, Workspace<Real>& workspace,
                              std::span<Real> result) const {
    check_batch("model::Model::last_losses", *state_, batch);
    if (last == 0 || last > batch.length) {
        throw core::PreconditionError("model::Model::last_losses", "last", std::to_string(last),
                                      "from 1 to the batch's length");
    }
    if (result.size() != batch.sequences * last) {
        throw core::PreconditionError("model::Model::last_losses", "result.size()", std::to_string(result.size()),
                                      "one number for each target asked for");
    }
    evaluate_losses<Real>(*state_, batch, last, workspace.state(), result);
}

template <class Real>
void Model<Real>::last_logits(std::span<const Token> tokens, Workspace<Real>& workspace, std::span<Real> result) const {
    check_tokens("model::Model::last_logits", *state_, tokens);
    if (result.size() != config().vocabulary) {
        throw core::PreconditionError("model::Model::last_logits", "result.size()", std::to_string(result.size()),
                                      "the vocabulary");
    }
    SinglePass<Real> pass(*state_, tokens, workspace.state(), false);
    pass.block().last_logits(result.data());
}

template <class Real>
std::vector<double> Model<Real>::input_gradient(std::span<const Token> tokens, Token target, Workspace<Real>& workspace,
                                                std::size_t layer) const {
    check_tokens("model::Model::input_gradient", *state_, tokens);
    if (layer == 0 || layer > config().layers)
        throw core::PreconditionError("model::Model::input_gradient", "layer", std::to_string(layer),
                                      "1 to " + std::to_string(config().layers));
    check_tokens("model::Model::input_gradient", *state_, {&target, 1});
    SinglePass<Real> pass(*state_, tokens, workspace.state(), true);
    const std::span<const Real> slopes = pass.slopes_of_last(target, layer);
    const std::size_t width = config().width;
    std::vector<double> norms;
    for (std::size_t p = 0; p < tokens.size(); ++p) {
        double squares = 0;
        for (const Real slope : slopes.subspan(p * width, width)) {
            squares += static_cast<double>(slope) * static_cast<double>(slope);
        }
        norms.push_back(std::sqrt(squares));
    }
    return norms;
}

template <class Real>
std::vector<Real> Model<Real>::attention(std::span<const Token> tokens, std::size_t layer, std::size_t head,
                                         Attention what, Workspace<Real>& workspace) const {
    check_tokens("model::Model::attention", *state_, tokens);
    if (layer == 0 || layer > config().layers) {
        throw core::PreconditionError("model::Model::attention", "layer", std::to_string(layer),
                                      "from 1 to the number of layers");
    }
    if (head == 0 || head > config().heads) {
        throw core::PreconditionError("model::Model::attention", "head", std::to_string(head),
                                      "from 1 to the number of heads");
    }
    SinglePass<Real> pass(*state_, tokens, workspace.state(), true);
    std::vector<Real> result(tokens.size() * tokens.size());
    pass.block().read_attention(layer - 1, head - 1, what, result.data());
    return result;
}

template <class Real>
void Model<Real>::all_attention(
    std::span<const Token> tokens, Attention what, Workspace<Real>& workspace,
    const std::function<void(std::size_t, std::size_t, std::span<const Real>)>& take) const {
    check_tokens("model::Model::all_attention", *state_, tokens);
    SinglePass<Real> pass(*state_, tokens, workspace.state(), true);
    std::vector<Real> result(tokens.size() * tokens.size());
    for (std::size_t layer = 0; layer < config().layers; ++layer) {
        for (std::size_t head = 0; head < config().heads; ++head) {
            pass.block().read_attention(layer, head, what, result.data());
            take(layer, head, result);
        }
    }
}

template <class Real>
void Model<Real>::vectors(
    std::span<const Token> tokens, Workspace<Real>& workspace,
    const std::function<void(std::size_t, std::size_t, std::span<const Real>, std::span<const Real>)>& take) const {
    check_tokens("model::Model::vectors", *state_, tokens);
    SinglePass<Real> pass(*state_, tokens, workspace.state(), true);
    const std::size_t width = config().width;
    const std::size_t dim = config().head_dim();
    for (std::size_t layer = 0; layer < config().layers; ++layer) {
        const Real* const all = pass.block().queries_keys_values(layer);
        for (std::size_t head = 0; head < config().heads; ++head) {
            for (std::size_t p = 0; p < tokens.size(); ++p) {
                const Real* const query = all + p * 3 * width + head * dim;
                take(layer, head, {query, dim}, {query + width, dim});
            }
        }
    }
}

template <class Real>
std::vector<double> Model<Real>::learned(std::string_view name) const {
    const LearnedName* const learned = state_->pieces->names.find(name);
    if (learned == nullptr) {
        throw core::PreconditionError("model::Model::learned", "name", name, "a learned name of the scheme");
    }
    const std::vector<double> all = state_->pieces->names.template values<Real>(parameters());
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(learned->first);
    return {first, first + static_cast<std::ptrdiff_t>(learned->count())};
}

template class Model<float>;
template class Model<double>;

}  // namespace farfield::model
