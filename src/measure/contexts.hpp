// Common code of quantities that read every head over some held-out texts of one length.
#pragma once

#include <array>
#include <functional>
#include <utility>

#include "measure/kinds.hpp"
#include "measure/seeds.hpp"

namespace farfield::measure {

inline constexpr core::Key length_key = {.name = "length",
                                         .type = core::KeyType::integer,
                                         .unit = "tokens",
                                         .required = true,
                                         .meaning = "N, the length",
                                         .least = 2,
                                         .most = most_length};
inline constexpr core::Key contexts_key = {.name = "contexts",
                                           .type = core::KeyType::integer,
                                           .unit = "sequences",
                                           .fallback = "32",
                                           .meaning = "held-out texts that are averaged over",
                                           .least = 1,
                                           .most = most_repeats};

/// A quantity over `contexts` texts of `length` tokens.
class OverContexts : public Prepared {
public:
    explicit OverContexts(Feed feed)
        : feed_(std::move(feed)), length_(feed_.lengths.front().tokens), contexts_(feed_.rows) {}

    Feed feed() const override { return feed_; }
    /// Counts reading the attention as a second pass, which is an upper estimate.
    double operations(const Pass& pass) const override { return 2 * static_cast<double>(contexts_) * pass(length_); }
    Memory memory(const Measured& of) const override;

protected:
    using ReadText = std::function<void(std::size_t model, std::span<const train::Token> tokens,
                                        model::Workspace<float>& workspace)>;
    /// Reads every text for every model; the texts of a model are read in order.
    void read_texts(const Alive& models, const Inputs& inputs, const ReadText& read) const;

    static std::size_t heads_of(const Inputs& inputs) {
        const model::Config& config = inputs.subject.trainings.front().config;
        return config.layers * config.heads;
    }

    Feed feed_;
    std::size_t length_;
    std::size_t contexts_;
};

/// The feed of `length` and `contexts`; an empty one if there is no length, which check_keys reports.
Feed read_contexts(const core::Entries& settings);

}  // namespace farfield::measure
