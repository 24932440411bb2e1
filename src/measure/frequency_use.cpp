// Norms of queries and keys by rotary pair: Barbero et al. 2024 (arXiv 2410.06205), Figs. 3 and 4.
#include <cmath>
#include <farfield/numerics/statistics.hpp>

#include "measure/contexts.hpp"

namespace farfield::measure {
namespace {

constexpr std::array<core::Key, 3> frequency_use_keys = {of_key, length_key, contexts_key};

/// Mean norms by pair.
struct Norms {
    std::vector<double> query;
    std::vector<double> key;
};

class FrequencyUse : public OverContexts {
public:
    FrequencyUse(Feed feed, core::Place place) : OverContexts(std::move(feed)), place_(std::move(place)) {}

    void check(const scheme::Scheme& scheme, core::Problems& problems) const override {
        if (!scheme.rotate)
            problems.add(place_, "the scheme '" + scheme.name + "', which rotates nothing", "a scheme with 'rotate'");
    }

    core::Result run(const Inputs& inputs) const override {
        const Alive models = alive(inputs.subject);
        const model::Config& config = inputs.subject.trainings.front().config;
        const std::vector<std::array<std::size_t, 2>> columns = pairs_of(inputs);
        const std::vector<double> zeros(columns.size());
        std::vector<std::vector<Norms>> sums(models.models.size(),
                                             std::vector<Norms>(heads_of(inputs), {zeros, zeros}));
        read_texts(models, inputs, [&](std::size_t model, std::span<const train::Token> tokens, auto& workspace) {
            models.models[model]->vectors(
                tokens, workspace,
                [&](std::size_t layer, std::size_t head, std::span<const float> query, std::span<const float> key) {
                    Norms& sum = sums[model][layer * config.heads + head];
                    for (std::size_t i = 0; i < columns.size(); ++i) {
                        const auto [a, b] = columns[i];
                        sum.query[i] += std::hypot(query[a], query[b]);
                        sum.key[i] += std::hypot(key[a], key[b]);
                    }
                });
        });
        core::Result result;
        if (inputs.interrupted()) return result;
        std::vector<Norms> means;
        for (const std::vector<Norms>& heads : sums) {
            means.push_back({zeros, zeros});
            const auto count = static_cast<double>(heads.size() * contexts_ * length_);
            for (const Norms& head : heads) {
                for (std::size_t i = 0; i < columns.size(); ++i) {
                    means.back().query[i] += head.query[i] / count;
                    means.back().key[i] += head.key[i] / count;
                }
            }
        }
        for (const Norms& each : means) require_finite(each.query, inputs.subject, length_);
        tell(result, models, means);
        result.notes.emplace_back("order",
                                  "q and k are the mean norms of the two columns of pair i over texts, positions, "
                                  "layers and heads; slow is the share of the slower half of pairs in the sum of q k");
        return result;
    }

    core::Result outline(const Inputs& inputs) const override {
        const Alive models = untrained(inputs.subject);
        const std::vector<double> ones(pairs_of(inputs).size(), 1);
        core::Result result;
        tell(result, models, std::vector<Norms>(models.seeds.size(), {ones, ones}));
        return result;
    }

private:
    /// The columns of a head that rotate together, the fastest pair first.
    static std::vector<std::array<std::size_t, 2>> pairs_of(const Inputs& inputs) {
        const train::Training& training = inputs.subject.trainings.front();
        const scheme::Rotation& rotate = *training.scheme.rotate;
        const std::size_t count = rotated_of(rotate, training.config.head_dim()) / 2;
        std::vector<std::array<std::size_t, 2>> columns;
        for (std::size_t i = 0; i < count; ++i) {
            if (rotate.pairs == scheme::Pairs::halves)
                columns.push_back({i, i + count});
            else
                columns.push_back({2 * i, 2 * i + 1});
        }
        return columns;
    }

    static std::size_t rotated_of(const scheme::Rotation& rotate, std::size_t dim) {
        return static_cast<std::size_t>(std::lround(rotate.columns(static_cast<double>(dim))));
    }

    static void tell(core::Result& result, const Alive& models, const std::vector<Norms>& means) {
        const std::size_t count = means.front().query.size();
        core::Series series;
        series.columns = {{"i", {}, {}}, {"q", {}, {}}, {"k", {}, {}}};
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<double> queries, keys;
            for (const Norms& each : means) {
                queries.push_back(each.query[i]);
                keys.push_back(each.key[i]);
            }
            const std::string index = "i=" + std::to_string(i);
            set_over_seeds(result, "q", index, models, queries);
            set_over_seeds(result, "k", index, models, keys);
            series.columns[0].values.push_back(static_cast<double>(i));
            series.columns[1].values.push_back(numerics::mean(queries));
            series.columns[2].values.push_back(numerics::mean(keys));
        }
        std::vector<double> slow;
        for (const Norms& each : means) {
            double all = 0, half = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const double product = each.query[i] * each.key[i];
                all += product;
                if (2 * i >= count) half += product;
            }
            slow.push_back(half / all);
        }
        set_over_seeds(result, "slow", "", models, slow);
        result.series = series;
    }

    core::Place place_;
};

std::unique_ptr<Prepared> prepare_frequency_use(const core::Entries& settings, core::Problems&) {
    Feed feed = read_contexts(settings);
    if (feed.lengths.empty()) return nullptr;
    const core::Entry* of = settings.find("of");
    return std::make_unique<FrequencyUse>(std::move(feed), of ? of->value.place : core::Place{});
}

}  // namespace

const Kind& frequency_use_kind() {
    static const Kind kind = {"frequency-use",
                              "norms of queries and keys by rotary pair",
                              frequency_use_keys,
                              true,
                              prepare_frequency_use,
                              false,
                              true,
                              false,
                              {"q >= 0 and k >= 0 and slow >= 0 and slow <= 1"}};
    return kind;
}

}  // namespace farfield::measure
