// Mean attention over the distance between query and key.
#include <algorithm>
#include <farfield/numerics/statistics.hpp>

#include "measure/contexts.hpp"

namespace farfield::measure {
namespace {

using core::Key;
using core::KeyType;

constexpr std::array<Key, 4> attention_by_distance_keys = {
    of_key,
    length_key,
    contexts_key,
    Key{.name = "skip",
        .type = KeyType::integer,
        .unit = "tokens",
        .fallback = "0",
        .meaning = "number of first keys that are left out, such as a sink; the attention to the other keys is not "
                   "renormalized",
        .least = 0},
};

/// Attention by distance, summed over all queries, and over those of the second half only.
struct ByDistance {
    std::vector<double> all;
    std::vector<double> late;
};

class AttentionByDistance : public OverContexts {
public:
    AttentionByDistance(Feed feed, std::size_t skip, core::Place place)
        : OverContexts(std::move(feed)), skip_(skip), place_(std::move(place)) {}

    void check(const scheme::Scheme& scheme, core::Problems& problems) const override {
        if (scheme.causal) return;
        problems.add(place_, "attention by distance of the scheme '" + scheme.name + "', which is not causal",
                     "a causal scheme: a distance is the number of tokens from a key back from its query");
    }

    core::Result run(const Inputs& inputs) const override {
        const Alive models = alive(inputs.subject);
        const std::size_t heads_of_layer = inputs.subject.trainings.front().config.heads;
        const std::vector<double> zeros(length_);
        // One sum per head, because heads of one layer are read at the same time.
        std::vector<std::vector<ByDistance>> sums(models.models.size(),
                                                  std::vector<ByDistance>(heads_of(inputs), {zeros, zeros}));
        read_texts(models, inputs, [&](std::size_t model, std::span<const train::Token> tokens, auto& workspace) {
            models.models[model]->attention(
                tokens, model::Attention::probabilities, workspace,
                [&](std::size_t layer, std::size_t head, std::size_t first, std::span<const float> rows) {
                    add(sums[model][layer * heads_of_layer + head], first, rows);
                });
        });
        core::Result result;
        if (inputs.interrupted()) return result;
        std::vector<ByDistance> means;
        means.reserve(sums.size());
        for (const std::vector<ByDistance>& heads : sums) means.push_back(mean_of(heads));
        for (const ByDistance& each : means) require_finite(each.all, inputs.subject, length_);
        tell(result, models, means);
        result.notes.emplace_back(
            "order",
            "p[n] is the mean over texts, layers, heads and queries with a key at distance n; c[n] "
            "is the attention up to distance n of the queries from " +
                std::to_string(length_ / 2) + " on");
        return result;
    }

    core::Result outline(const Inputs& inputs) const override {
        const Alive models = untrained(inputs.subject);
        const std::vector<double> zeros(length_);
        core::Result result;
        tell(result, models, std::vector<ByDistance>(models.seeds.size(), {zeros, zeros}));
        return result;
    }

private:
    void add(ByDistance& sums, std::size_t first, std::span<const float> rows) const {
        for (std::size_t q = first; (q - first) * length_ < rows.size(); ++q) {
            for (std::size_t k = skip_; k <= q; ++k) {
                const double here = rows[(q - first) * length_ + k];
                sums.all[q - k] += here;
                if (q >= length_ / 2) sums.late[q - k] += here;
            }
        }
    }

    ByDistance mean_of(const std::vector<ByDistance>& heads) const {
        ByDistance mean{std::vector<double>(length_, 0), std::vector<double>(length_, 0)};
        const auto texts = static_cast<double>(heads.size() * contexts_);
        const std::size_t half = length_ / 2;
        const auto late = static_cast<double>(length_ - half);
        for (std::size_t n = 0; n < length_; ++n) {
            const auto pairs = static_cast<double>(n + skip_ < length_ ? length_ - n - skip_ : 1);
            for (const ByDistance& head : heads) {
                mean.all[n] += head.all[n] / (texts * pairs);
                mean.late[n] += head.late[n] / (texts * late);
            }
        }
        return mean;
    }

    void tell(core::Result& result, const Alive& models, const std::vector<ByDistance>& means) const {
        core::Series series;
        series.columns = {{"n", {}, {}}, {"p", {}, {}}, {"c", {}, {}}};
        std::vector<double> within(means.size(), 0);
        for (std::size_t n = 0; n < length_; ++n) {
            double p = 0;
            for (std::size_t m = 0; m < means.size(); ++m) {
                p += means[m].all[n] / static_cast<double>(means.size());
                within[m] += means[m].late[n];
            }
            const bool is_power = ((n + 1) & n) == 0;
            if (is_power) set_over_seeds(result, "within", std::to_string(n + 1), models, within);
            series.columns[0].values.push_back(static_cast<double>(n));
            series.columns[1].values.push_back(p);
            series.columns[2].values.push_back(numerics::mean(within));
        }
        set_over_seeds(result, "total", "", models, within);
        result.series = series;
    }

    std::size_t skip_;
    core::Place place_;
};

std::unique_ptr<Prepared> prepare_attention_by_distance(const core::Entries& settings, core::Problems& problems) {
    Feed feed = read_contexts(settings);
    if (feed.lengths.empty()) return nullptr;
    const auto skip = core::Settings(settings, attention_by_distance_keys).count("skip");
    if (skip >= feed.lengths.front().tokens) {
        problems.add(settings.find("skip")->value.place, "'skip' is " + std::to_string(skip),
                     "less than the length, " + std::to_string(feed.lengths.front().tokens));
        return nullptr;
    }
    const core::Entry* of = settings.find("of");
    return std::make_unique<AttentionByDistance>(std::move(feed), skip, of ? of->value.place : core::Place{});
}

}  // namespace

const Kind& attention_by_distance_kind() {
    static const Kind kind = {"attention-by-distance",
                              "mean attention over the distance",
                              attention_by_distance_keys,
                              true,
                              prepare_attention_by_distance,
                              false,
                              true,
                              false,
                              {"within >= 0 and within <= 1 and total >= 0 and total <= 1"}};
    return kind;
}

}  // namespace farfield::measure
