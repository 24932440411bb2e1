#include "model/check_batch.hpp"

#include <farfield/core/error.hpp>
#include <string>

namespace farfield::model {
namespace {

void check_token(std::string_view function, std::string_view argument, Token token, std::size_t vocabulary) {
    if (token >= 0 && static_cast<std::size_t>(token) < vocabulary) return;
    throw core::PreconditionError(function, argument, std::to_string(token),
                                  "tokens from 0 to below the vocabulary, " + std::to_string(vocabulary));
}

std::size_t stride_of(const Batch& batch) {
    return batch.stride > 0 ? batch.stride : batch.length;
}

}  // namespace

void check_length(std::string_view function, const Slices& slices, std::size_t length) {
    if (length == 0) throw core::PreconditionError(function, "length", "0", "at least one token");
    if (slices.positions == Linear::none || length <= slices.max_length) return;
    throw core::PreconditionError(function, "length", std::to_string(length),
                                  "at most max_length of the learned embedding, " + std::to_string(slices.max_length));
}

void check_batch(std::string_view function, const Config& config, const Slices& slices, const Batch& batch) {
    check_length(function, slices, batch.length);
    if (batch.sequences == 0) throw core::PreconditionError(function, "batch.sequences", "0", "at least 1");
    const std::size_t stride = stride_of(batch);
    const std::size_t needed = (batch.sequences - 1) * stride + batch.length;
    if (stride < batch.length || batch.inputs.size() < needed || batch.targets.size() < needed) {
        throw core::PreconditionError(function, "batch.inputs.size()", std::to_string(batch.inputs.size()),
                                      "inputs and targets for all sequences: " + std::to_string(needed));
    }
    for (std::size_t sequence = 0; sequence < batch.sequences; ++sequence) {
        for (std::size_t p = 0; p < batch.length; ++p) {
            check_token(function, "batch.inputs", batch.inputs[sequence * stride + p], config.vocabulary);
            const Token target = batch.targets[sequence * stride + p];
            if (target != ignored) check_token(function, "batch.targets", target, config.vocabulary);
        }
    }
}

void check_tokens(std::string_view function, const Config& config, const Slices& slices,
                  std::span<const Token> tokens) {
    check_length(function, slices, tokens.size());
    for (const Token token : tokens) check_token(function, "tokens", token, config.vocabulary);
}

std::size_t counted_targets(const Batch& batch) {
    std::size_t count = 0;
    for (std::size_t sequence = 0; sequence < batch.sequences; ++sequence) {
        for (std::size_t p = 0; p < batch.length; ++p) {
            count += batch.targets[sequence * stride_of(batch) + p] != ignored ? 1 : 0;
        }
    }
    return count;
}

}  // namespace farfield::model
