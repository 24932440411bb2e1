// Resolution of a trained model's attention: expected logits by distance, and how well they distinguish distances.
#include <algorithm>
#include <array>
#include <cmath>
#include <farfield/numerics/statistics.hpp>

#include "measure/contexts.hpp"

namespace farfield::measure {
namespace {

constexpr std::array<core::Key, 3> attention_resolution_keys = {
    of_key,
    length_key,
    contexts_key,
};

/// Sums and counts of logits by distance.
struct Expectation {
    std::vector<double> sum;
    std::vector<double> count;

    explicit Expectation(std::size_t length) : sum(length, 0), count(length, 0) {}

    /// Adds rows [rows, L] from the query `first` on.
    void add(std::size_t first, std::span<const float> rows) {
        const std::size_t length = sum.size();
        for (std::size_t q = first; (q - first) * length < rows.size(); ++q) {
            for (std::size_t k = 0; k <= q; ++k) {
                const float logit = rows[(q - first) * length + k];
                if (!(logit > -INFINITY)) continue;
                sum[q - k] += logit;
                count[q - k] += 1;
            }
        }
    }
    /// s[n]; -inf if no key is visible.
    double at(std::size_t n) const { return count[n] > 0 ? sum[n] / count[n] : -INFINITY; }
};

/// R(s), Eq. (4), with sums over n = 0..N-2, so that s[n+1] always exists.
double resolution(const Expectation& s) {
    const std::size_t last = s.sum.size() - 2;
    double largest = -INFINITY;
    for (std::size_t n = 0; n <= last; ++n) largest = std::max(largest, s.at(n));
    double total = 0, sum = 0;
    for (std::size_t n = 0; n <= last; ++n) {
        const double here = std::exp(s.at(n) - largest);
        total += here;
        sum += here * (here - std::exp(s.at(n + 1) - largest));
    }
    return sum / (total * total);
}

class AttentionResolution : public OverContexts {
public:
    using OverContexts::OverContexts;

    core::Result run(const Inputs& inputs) const override {
        const Alive models = alive(inputs.subject);
        const std::size_t heads = heads_of(inputs);
        const std::size_t heads_of_layer = inputs.subject.trainings.front().config.heads;
        std::vector<Expectation> found(models.models.size() * heads, Expectation(length_));
        read_texts(models, inputs, [&](std::size_t model, std::span<const train::Token> tokens, auto& workspace) {
            models.models[model]->attention(
                tokens, model::Attention::logits, workspace,
                [&](std::size_t layer, std::size_t head, std::size_t first, std::span<const float> rows) {
                    found[model * heads + layer * heads_of_layer + head].add(first, rows);
                });
        });
        core::Result result;
        if (inputs.interrupted()) return result;
        tell(result, models, found, inputs.subject);
        result.notes.emplace_back(
            "order",
            "s[n] is the mean over texts and visible pairs at distance n, for each head; R of each "
            "head by Eq. (4) with sums over n = 0.." +
                std::to_string(length_ - 2) + "; then the mean over heads, layers and seeds");
        return result;
    }

    core::Result outline(const Inputs& inputs) const override {
        const Alive models = untrained(inputs.subject);
        Expectation even(length_);
        even.count.assign(length_, 1);
        core::Result result;
        tell(result, models, {models.seeds.size() * heads_of(inputs), even}, inputs.subject);
        return result;
    }

private:
    void tell(core::Result& result, const Alive& models, const std::vector<Expectation>& found,
              const Subject& subject) const {
        const model::Config& config = subject.trainings.front().config;
        const std::size_t heads = config.layers * config.heads;
        std::vector<double> all(heads, 0), whole;
        for (std::size_t m = 0; m < models.models.size(); ++m) {
            double sum = 0;
            for (std::size_t i = 0; i < heads; ++i) {
                const double own = resolution(found[m * heads + i]);
                all[i] += own / static_cast<double>(models.models.size());
                sum += own / static_cast<double>(heads);
            }
            whole.push_back(sum);
        }
        require_finite(whole, subject, length_);
        set_over_seeds(result, "R", "", models, whole);
        for (std::size_t layer = 0; layer < config.layers; ++layer) {
            const auto from = std::span<const double>(all).subspan(layer * config.heads, config.heads);
            const std::string index = "layer=" + std::to_string(layer + 1);
            result.set(value_name("R", index), core::Cell::of(numerics::mean(from)));
            for (std::size_t head = 0; head < config.heads; ++head)
                result.set(value_name("R", index + ",head=" + std::to_string(head + 1)), core::Cell::of(from[head]));
        }
        result.series = series_of(found);
    }

    core::Series series_of(const std::vector<Expectation>& found) const {
        core::Series series;
        series.columns = {{"n", {}, {}}, {"s", {}, {}}};
        for (std::size_t n = 0; n < length_; ++n) {
            double sum = 0;
            for (const Expectation& each : found) sum += each.at(n) / static_cast<double>(found.size());
            series.columns[0].values.push_back(static_cast<double>(n));
            series.columns[1].values.push_back(sum);
        }
        return series;
    }
};

std::unique_ptr<Prepared> prepare_attention_resolution(const core::Entries& settings, core::Problems&) {
    Feed feed = read_contexts(settings);
    if (feed.lengths.empty()) return nullptr;
    return std::make_unique<AttentionResolution>(std::move(feed));
}

}  // namespace

const Kind& attention_resolution_kind() {
    static const Kind kind = {"attention-resolution",
                              "R(s) of a trained model's attention",
                              attention_resolution_keys,
                              true,
                              prepare_attention_resolution,
                              false,
                              true,
                              false,
                              {"R_sd >= 0"}};
    return kind;
}

}  // namespace farfield::measure
