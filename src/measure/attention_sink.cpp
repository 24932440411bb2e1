// Heads that attend to the first token: Gu et al. 2024 (arXiv 2410.10781).
#include <fmt/format.h>

#include <algorithm>
#include <farfield/numerics/statistics.hpp>

#include "measure/contexts.hpp"
#include "measure/whole_numbers.hpp"

namespace farfield::measure {
namespace {

using core::Key;
using core::KeyType;

constexpr std::array<Key, 4> attention_sink_keys = {
    of_key,
    length_key,
    contexts_key,
    Key{.name = "eps",
        .type = KeyType::number,
        .fallback = "0.3",
        .meaning = "a head is a sink of a text if its mean attention to the first token is above this",
        .least = 0,
        .most = 1},
};

/// For each layer and head: the mean attention to the first token, and the share of texts in which it is a sink.
struct Sinks {
    std::vector<double> attention;
    std::vector<double> share;
};

class AttentionSink : public OverContexts {
public:
    AttentionSink(Feed feed, double eps, core::Place eps_place)
        : OverContexts(std::move(feed)), eps_(eps), eps_place_(std::move(eps_place)) {}

    /// In causal attention the first query attends to the first key alone, so every head has a mean of at least 1/N.
    void check(const scheme::Scheme& scheme, core::Problems& problems) const override {
        const auto length = static_cast<double>(feed().lengths.front().tokens);
        if (!scheme.causal || !(eps_ > 0) || eps_ * length >= 1) return;
        problems.add(eps_place_,
                     fmt::format("'eps' is {}, below 1/length: the mean attention of every head is above it", eps_),
                     fmt::format("1/{} or more", length));
    }

    core::Result run(const Inputs& inputs) const override {
        const Alive models = alive(inputs.subject);
        const std::size_t heads = heads_of(inputs);
        const std::size_t heads_of_layer = inputs.subject.trainings.front().config.heads;
        std::vector<Sinks> found(models.models.size(), {std::vector<double>(heads), std::vector<double>(heads)});
        read_texts(models, inputs, [&](std::size_t model, std::span<const train::Token> tokens, auto& workspace) {
            std::vector<double> sums(heads, 0);
            models.models[model]->attention(
                tokens, model::Attention::probabilities, workspace,
                [&](std::size_t layer, std::size_t head, std::size_t, std::span<const float> rows) {
                    double& sum = sums[layer * heads_of_layer + head];
                    for (std::size_t at = 0; at < rows.size(); at += length_) sum += rows[at];
                });
            for (std::size_t head = 0; head < heads; ++head) {
                const double mean = sums[head] / static_cast<double>(length_);
                found[model].attention[head] += mean / static_cast<double>(contexts_);
                found[model].share[head] += (mean > eps_ ? 1.0 : 0.0) / static_cast<double>(contexts_);
            }
        });
        core::Result result;
        if (inputs.interrupted()) return result;
        for (const Sinks& each : found) require_finite(each.attention, inputs.subject, length_);
        tell(result, models, found, inputs);
        result.notes.emplace_back("order",
                                  "for each text, the mean over all queries of each head's attention to the first "
                                  "token; then the share of heads above eps; then the mean over texts");
        return result;
    }

    core::Result outline(const Inputs& inputs) const override {
        const Alive models = untrained(inputs.subject);
        const std::vector<double> zeros(heads_of(inputs));
        core::Result result;
        tell(result, models, std::vector<Sinks>(models.seeds.size(), {zeros, zeros}), inputs);
        return result;
    }

private:
    void tell(core::Result& result, const Alive& models, const std::vector<Sinks>& found, const Inputs& inputs) const {
        const model::Config& config = inputs.subject.trainings.front().config;
        std::vector<double> shares, attentions;
        for (const Sinks& each : found) {
            shares.push_back(numerics::mean(each.share));
            attentions.push_back(numerics::mean(each.attention));
        }
        set_over_seeds(result, "share", "", models, shares);
        set_over_seeds(result, "attention", "", models, attentions);
        core::Series series;
        series.columns = {{"layer", {}, {}}, {"share", {}, {}}, {"attention", {}, {}}};
        for (std::size_t layer = 0; layer < config.layers; ++layer) {
            const auto mean_of = [&](const std::vector<double> Sinks::*part) {
                double sum = 0;
                for (const Sinks& each : found)
                    for (std::size_t head = 0; head < config.heads; ++head)
                        sum += (each.*part)[layer * config.heads + head];
                return sum / static_cast<double>(config.heads * found.size());
            };
            const std::string index = "layer=" + std::to_string(layer + 1);
            const double share = mean_of(&Sinks::share);
            const double attention = mean_of(&Sinks::attention);
            result.set(value_name("share", index), core::Cell::of(share));
            result.set(value_name("attention", index), core::Cell::of(attention));
            series.columns[0].values.push_back(static_cast<double>(layer + 1));
            series.columns[1].values.push_back(share);
            series.columns[2].values.push_back(attention);
        }
        result.series = series;
    }

    double eps_;
    core::Place eps_place_;  ///< of the length if the study gives no eps
};

std::unique_ptr<Prepared> prepare_attention_sink(const core::Entries& settings, core::Problems& problems) {
    Feed feed = read_contexts(settings);
    require_between(settings, "eps", problems);
    if (feed.lengths.empty()) return nullptr;
    const core::Entry* const given = settings.find("eps");
    return std::make_unique<AttentionSink>(std::move(feed), core::Settings(settings, attention_sink_keys).number("eps"),
                                           (given ? given : settings.find("length"))->value.place);
}

}  // namespace

const Kind& attention_sink_kind() {
    static const Kind kind = {"attention-sink",
                              "share of heads that attend to the first token",
                              attention_sink_keys,
                              true,
                              prepare_attention_sink,
                              false,
                              true,
                              false,
                              {"share >= 0 and share <= 1 and attention >= 0 and attention <= 1"}};
    return kind;
}

}  // namespace farfield::measure
