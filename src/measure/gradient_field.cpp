// The effective receptive field of the last output: norms of the gradient with respect to the input embeddings.
#include <algorithm>
#include <array>
#include <cmath>
#include <farfield/numerics/philox.hpp>
#include <farfield/numerics/statistics.hpp>
#include <farfield/train/memory.hpp>
#include <numeric>

#include "measure/kinds.hpp"
#include "measure/seeds.hpp"
#include "measure/tasks.hpp"
#include "measure/whole_numbers.hpp"

namespace farfield::measure {
namespace {

using core::Key;
using core::KeyType;

constexpr std::uint32_t bootstrap_stream = 0x626f6f74;
constexpr std::size_t resamples = 1000;

constexpr std::array<Key, 5> gradient_field_keys = {
    of_key,
    Key{.name = "length",
        .type = KeyType::integer,
        .unit = "tokens",
        .required = true,
        .meaning = "L, the length",
        .least = 1,
        .most = most_length},
    Key{.name = "threshold",
        .type = KeyType::number,
        .fallback = "0.99",
        .meaning = "the ERF is the smallest number of most recent tokens whose c is above this",
        .least = 0,
        .most = 1},
    Key{.name = "layer",
        .type = KeyType::integer,
        .fallback = "1",
        .meaning =
            "the loss is differentiated with respect to the inputs of this layer; those of layer 1 are the embeddings",
        .least = 1},
    Key{.name = "contexts",
        .type = KeyType::integer,
        .unit = "sequences",
        .fallback = "100",
        .meaning = "held-out contexts, the same for every scheme",
        .least = 1,
        .most = most_repeats},
};

/// Shares s by distance from the last input, which has distance 0, for each context. [contexts, L]
using Shares = std::vector<std::vector<double>>;

/// The cumulative sum of the mean over some contexts, from the nearest input on.
std::vector<double> cumulative(const Shares& shares, std::span<const std::size_t> contexts) {
    std::vector<double> c(shares.front().size(), 0);
    for (const std::size_t context : contexts)
        for (std::size_t n = 0; n < c.size(); ++n) c[n] += shares[context][n];
    double sum = 0;
    for (double& each : c) each = sum += each / static_cast<double>(contexts.size());
    return c;
}

/// The smallest number of nearest tokens whose c exceeds the threshold; all tokens if none does because of rounding.
double field_of(const std::vector<double>& c, double threshold) {
    for (std::size_t n = 0; n < c.size(); ++n)
        if (c[n] > threshold) return static_cast<double>(n + 1);
    return static_cast<double>(c.size());
}

/// A mean over seeds, and the number of seeds for which the value is only a lower bound.
struct Mean {
    double value;
    std::size_t censored = 0;
};

/// The ends of the middle 95 %. A censored value may be larger, which can move only the ends above it. An end is
/// censored with the largest number of censored seeds of it or of a smaller value.
std::pair<Mean, Mean> middle(std::vector<Mean> values) {
    std::sort(values.begin(), values.end(), [](const Mean& a, const Mean& b) { return a.value < b.value; });
    const auto end = [&values](double at) {
        const auto index = static_cast<std::size_t>(at);
        Mean found = values[index];
        for (std::size_t i = 0; i < index; ++i) found.censored = std::max(found.censored, values[i].censored);
        return found;
    };
    const auto last = static_cast<double>(values.size() - 1);
    return {end(0.025 * last), end(std::ceil(0.975 * last))};
}

/// A layer, from 1, and the place in the study that requests it.
struct Layer {
    std::size_t number = 1;
    core::Place place;
};

class GradientField : public Prepared {
public:
    GradientField(Feed feed, double threshold, Layer layer)
        : feed_(std::move(feed)),
          length_(feed_.lengths.front().tokens),
          threshold_(threshold),
          layer_(std::move(layer)),
          contexts_(feed_.rows) {
        feed_.needs_gradient = true;
    }

    Feed feed() const override { return feed_; }

    void check_shape(const model::Config& config, core::Problems& problems) const override {
        const std::size_t layers = config.layers;
        if (layer_.number > layers)
            problems.add(layer_.place,
                         "layer " + std::to_string(layer_.number) + " of a model with " + std::to_string(layers),
                         "1 to " + std::to_string(layers));
    }

    double operations(const Pass& pass) const override { return 3 * static_cast<double>(contexts_) * pass(length_); }

    Memory memory(const Measured& of) const override {
        Memory memory{train::parts_of(of.footprint(model::Work::input_gradient, {1, length_, 1}), of.processors),
                      "gradients of '" + of.name + "' at length " + std::to_string(length_)};
        const std::size_t shares = length_ * contexts_ * of.seeds;
        memory.parts.push_back({"shares of the contexts", static_cast<double>(shares * sizeof(double))});
        return memory;
    }

    core::Result run(const Inputs& inputs) const override {
        const Alive models = alive(inputs.subject);
        core::Problems problems;
        check_shape(inputs.subject.trainings.front().config, problems);
        problems.raise();
        require_memory(inputs);
        const std::vector<Shares> shares = measure(models, inputs);
        core::Result result;
        if (inputs.interrupted()) return result;
        for (const Shares& each : shares) {
            for (const std::vector<double>& context : each) require_finite(context, inputs.subject, length_);
        }
        const std::vector<double> field = tell(result, models, shares, inputs);
        bootstrap(result, shares, inputs);
        result.notes.emplace_back("threshold", "erf is the smallest count of the most recent tokens whose c is above " +
                                                   std::to_string(threshold_));
        if (const std::size_t censored = censored_of(field); censored > 0) {
            result.notes.emplace_back("censored", seeds_text(censored, field.size()) + " need all " +
                                                      std::to_string(length_) +
                                                      " tokens that were fed: erf is a lower bound");
        }
        return result;
    }

    core::Result outline(const Inputs& inputs) const override {
        const Alive models = untrained(inputs.subject);
        core::Result result;
        const Shares shares(1, std::vector<double>(length_));
        tell(result, models, std::vector<Shares>(models.seeds.size(), shares), inputs);
        for (const char* name : {"erf_lo", "erf_hi", "share_lo", "share_hi"}) result.set(name, core::Cell::missing());
        return result;
    }

private:
    /// Sets the series and all values except those of the bootstrap; returns the fields of the seeds.
    std::vector<double> tell(core::Result& result, const Alive& models, const std::vector<Shares>& shares,
                             const Inputs& inputs) const {
        std::vector<std::size_t> all(shares.front().size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        std::vector<double> field, share;
        std::vector<std::vector<double>> curves;
        for (const Shares& each : shares) {
            curves.push_back(cumulative(each, all));
            field.push_back(field_of(curves.back(), threshold_));
            share.push_back(share_of(curves.back(), inputs));
        }
        tell_fields(result, models, field);
        set_over_seeds(result, "share", "", models, share);
        result.series = series_of(curves);
        return field;
    }

    std::vector<Shares> measure(const Alive& models, const Inputs& inputs) const {
        std::vector<Shares> shares(models.models.size(), Shares(contexts_));
        in_parallel(models.models.size() * contexts_, inputs, [&](std::size_t i, model::Workspace<float>& workspace) {
            const std::size_t context = i % contexts_;
            const train::Row row = inputs.subject.source().held_out(context, contexts_, length_);
            const std::span<const train::Token> tokens = row.tokens;
            std::vector<double> norms = models.models[i / contexts_]->input_gradient(
                tokens.first(length_), row.tokens[length_], workspace, layer_.number);
            double sum = 0;
            for (const double norm : norms) sum += norm;
            for (double& norm : norms) norm /= sum;
            shares[i / contexts_][context].assign(norms.rbegin(), norms.rend());
        });
        return shares;
    }

    /// The number of fields that include all input tokens.
    std::size_t censored_of(const std::vector<double>& fields) const {
        return static_cast<std::size_t>(std::count(fields.begin(), fields.end(), static_cast<double>(length_)));
    }

    static std::string seeds_text(std::size_t censored, std::size_t seeds) {
        return std::to_string(censored) + " of " + std::to_string(seeds) + (seeds == 1 ? " seed" : " seeds");
    }

    static core::Cell cell_of(const Mean& mean, std::size_t seeds) {
        return mean.censored > 0 ? core::Cell::at_least(mean.value, seeds_text(mean.censored, seeds))
                                 : core::Cell::of(mean.value);
    }

    /// Like set_over_seeds(), except that for censored fields only a lower bound is known, and no deviation.
    void tell_fields(core::Result& result, const Alive& models, const std::vector<double>& fields) const {
        const std::size_t censored = censored_of(fields);
        set_over_seeds(result, "erf", "", models, fields);
        result.set("censored", core::Cell::exact(static_cast<double>(censored)));
        if (censored == 0) return;
        result.set("erf", cell_of({numerics::mean(fields), censored}, fields.size()));
        if (fields.size() > 1) result.set("erf_sd", core::Cell::missing());
        for (std::size_t i = 0; models.has_seeds && i < fields.size(); ++i) {
            if (fields[i] == static_cast<double>(length_))
                result.set("erf[seed=" + std::to_string(models.seeds[i]) + "]", cell_of({fields[i], 1}, 1));
        }
    }

    double share_of(const std::vector<double>& c, const Inputs& inputs) const {
        return c[std::min(inputs.subject.train_length(), length_) - 1];
    }

    /// Draws contexts with replacement, the same for every seed, and takes their means.
    void bootstrap(core::Result& result, const std::vector<Shares>& shares, const Inputs& inputs) const {
        std::vector<Mean> fields, parts;
        std::vector<std::size_t> drawn(contexts_);
        for (std::size_t i = 0; i < resamples && !inputs.interrupted(); ++i) {
            numerics::Random random(0, bootstrap_stream, static_cast<std::uint32_t>(i));
            for (std::size_t& context : drawn) context = random.below(contexts_);
            std::vector<double> field, part;
            for (const Shares& each : shares) {
                const std::vector<double> c = cumulative(each, drawn);
                field.push_back(field_of(c, threshold_));
                part.push_back(share_of(c, inputs));
            }
            fields.push_back({numerics::mean(field), censored_of(field)});
            parts.push_back({numerics::mean(part)});
        }
        if (inputs.interrupted()) return;
        const auto [field_lo, field_hi] = middle(fields);
        const auto [share_lo, share_hi] = middle(parts);
        result.set("erf_lo", cell_of(field_lo, shares.size()));
        result.set("erf_hi", cell_of(field_hi, shares.size()));
        result.set("share_lo", cell_of(share_lo, shares.size()));
        result.set("share_hi", cell_of(share_hi, shares.size()));
    }

    /// Means of the seeds' curves, and their deviations where there are several.
    core::Series series_of(const std::vector<std::vector<double>>& curves) const {
        core::Series series;
        series.columns = {{"n", {}, {}}, {"c", {}, {}}, {"s", {}, {}}};
        if (curves.size() > 1) series.columns.insert(series.columns.end(), {{"c_sd", {}, {}}, {"s_sd", {}, {}}});
        double before = 0;
        for (std::size_t n = 0; n < length_; ++n) {
            double c = 0;
            std::vector<double> sums, shares;
            for (const std::vector<double>& curve : curves) {
                c += curve[n] / static_cast<double>(curves.size());
                sums.push_back(curve[n]);
                shares.push_back(curve[n] - (n > 0 ? curve[n - 1] : 0));
            }
            std::vector<double> row = {static_cast<double>(n), c, c - before};
            if (curves.size() > 1)
                row.insert(row.end(), {numerics::sample_deviation(sums), numerics::sample_deviation(shares)});
            for (std::size_t column = 0; column < row.size(); ++column)
                series.columns[column].values.push_back(row[column]);
            before = c;
        }
        return series;
    }

    Feed feed_;
    std::size_t length_;
    double threshold_;
    Layer layer_;
    std::size_t contexts_;
};

std::unique_ptr<Prepared> prepare_gradient_field(const core::Entries& settings, core::Problems& problems) {
    const long long length = core::read_integer(settings, "length").value_or(0);
    if (length < 1) return nullptr;  // check_keys reports it
    const auto contexts = core::Settings(settings, gradient_field_keys).count("contexts");
    Layer layer;
    if (const core::Entry* const given = settings.find("layer")) {
        const long long number = core::read_integer(settings, "layer").value_or(0);
        if (number < 1) return nullptr;  // check_keys reports it
        layer = {static_cast<std::size_t>(number), given->value.place};
    }
    require_between(settings, "threshold", problems);
    return std::make_unique<GradientField>(read_feed(settings, "contexts", contexts),
                                           core::Settings(settings, gradient_field_keys).number("threshold"), layer);
}

}  // namespace

const Kind& gradient_field_kind() {
    static const Kind kind = {"gradient-field",
                              "effective receptive field of trained models, by gradients",
                              gradient_field_keys,
                              true,
                              prepare_gradient_field,
                              false,
                              true,
                              false,
                              {"share >= 0 and share <= 1 and erf >= 0 and erf_hi >= erf_lo and share_hi >= share_lo "
                               "and erf_sd >= 0 and share_sd >= 0 and censored >= 0 and censored == floor(censored)"}};
    return kind;
}

}  // namespace farfield::measure
