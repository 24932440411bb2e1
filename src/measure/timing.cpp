// Time and memory of a training step, alternating between two schemes; time of a generated token with and without a
// cache.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <farfield/model/generation.hpp>
#include <farfield/train/memory.hpp>
#include <optional>

#include "measure/kinds.hpp"
#include "measure/seeds.hpp"
#include "measure/whole_numbers.hpp"

namespace farfield::measure {
namespace {

using core::Key;
using core::KeyType;

constexpr std::array<Key, 5> timing_keys = {
    of_training_key,
    Key{.name = "lengths",
        .type = KeyType::list,
        .unit = "tokens",
        .required = true,
        .meaning = "L of each value; the batch has as many tokens as in the training, and at least one row"},
    Key{.name = "against",
        .type = KeyType::text,
        .meaning = "another [train.NAME], whose steps are timed alternately with these"},
    Key{.name = "repeats",
        .type = KeyType::integer,
        .fallback = "20",
        .meaning = "number of timed steps",
        .least = 1,
        .most = most_repeats},
    Key{.name = "window",
        .type = KeyType::integer,
        .unit = "tokens",
        .meaning =
            "also times a token generated from a sliding cache of this size, alternately with one from all L tokens",
        .least = 1,
        .most = most_length},
};

template <class Work>
double seconds_of(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The training at another length, with about the same number of tokens per step.
train::Training at_length(train::Training training, std::size_t length) {
    const std::size_t tokens = training.batch * training.config.train_length;
    training.batch = std::max<std::size_t>(tokens / length, 1);
    training.accumulate = 1;
    training.config.train_length = length;
    return training;
}

/// Steps of one training.
class Stepper {
public:
    Stepper(const train::Training& training, std::size_t processors)
        : training_(training),
          model_(training_.config, training_.scheme, training_.seed),
          optimiser_(model_.layout(), training_.optimiser),
          workspace_(processors),
          gradient_(model_.layout().size(), 0) {
        for (std::size_t b = 0; b < training_.batch; ++b) {
            const train::Row row = training_.source->sample(training_.seed, 0, static_cast<std::uint32_t>(b),
                                                            training_.config.train_length);
            tokens_.insert(tokens_.end(), row.tokens.begin(), row.tokens.end());
        }
    }

    /// Seconds of one step.
    double step() {
        return seconds_of([this] {
            const model::Batch batch = model::windows(tokens_, training_.batch, training_.config.train_length);
            model_.forward_backward(batch, workspace_, gradient_);
            const double norm = model::gradient_norm<float>(gradient_, workspace_);
            optimiser_.step(model_.parameters(), gradient_, training_.schedule.rate(0),
                            model::clip_factor(norm, training_.clip), workspace_);
        });
    }

private:
    const train::Training& training_;
    model::Model<float> model_;
    model::AdamW<float> optimiser_;
    model::Workspace<float> workspace_;
    std::vector<float> gradient_;
    std::vector<train::Token> tokens_;
};

/// The value below which this share of the values lies, between two of them by linear interpolation.
double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    const double at = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

void tell(core::Result& result, const std::string& name, const std::string& index, const std::vector<double>& values) {
    result.set(value_name(name, index), core::Cell::of(quantile(values, 0.5)));
    result.set(value_name(name + "_lo", index), core::Cell::of(quantile(values, 0.25)));
    result.set(value_name(name + "_hi", index), core::Cell::of(quantile(values, 0.75)));
}

class Timing : public Prepared {
public:
    Timing(std::vector<std::size_t> lengths, std::size_t repeats, std::size_t window, Feed feed, core::Place place)
        : lengths_(std::move(lengths)),
          repeats_(repeats),
          window_(window),
          feed_(std::move(feed)),
          window_place_(std::move(place)) {}

    Feed feed() const override { return feed_; }

    void check(const scheme::Scheme& scheme, core::Problems& problems) const override {
        if (window_ == 0 || scheme.causal) return;
        problems.add(window_place_, "a sliding cache with the scheme '" + scheme.name + "', which is not causal",
                     "a causal scheme, or no 'window'");
    }

    /// A step takes three passes. The batch is that of the training; a thousand tokens stand for it, or one row.
    double operations(const Pass& pass) const override {
        double sum = 0;
        for (const std::size_t length : lengths_) sum += std::max(1., 1e3 / static_cast<double>(length)) * pass(length);
        return 3 * sum * static_cast<double>(repeats_);
    }

    core::Result run(const Inputs& inputs) const override {
        core::Result result;
        for (const std::size_t length : lengths_) {
            if (!inputs.interrupted()) time(result, length, inputs);
            if (window_ > 0 && !inputs.interrupted()) time_token(result, length, inputs);
        }
        result.notes.emplace_back("method", "median and quartiles of " + std::to_string(repeats_) +
                                                " training steps on " + std::to_string(inputs.processors) +
                                                " threads, after one that is not counted" +
                                                (inputs.against ? ", in turn with those of '" + inputs.against->name +
                                                                      "'; ratio is that of two neighbours"
                                                                : std::string()));
        return result;
    }

    core::Result outline(const Inputs& inputs) const override {
        core::Result result;
        for (const std::size_t length : lengths_) {
            const std::string index = std::to_string(length);
            for (const char* name : {"step", "against", "ratio"})
                if (inputs.against || std::string_view(name) == "step") tell(result, name, index, {0});
            for (const char* name : {"bytes", "peak", "against_bytes"})
                result.set(value_name(name, index), core::Cell::missing());
            if (window_ == 0) continue;
            for (const char* name : {"token", "full_token"}) tell(result, name, index, {0});
        }
        return result;
    }

private:
    void time(core::Result& result, std::size_t length, const Inputs& inputs) const {
        const train::Training training = at_length(inputs.subject.trainings.front(), length);
        std::vector<train::MemoryPart> parts = train::parts_of(training, inputs.processors);
        const double bytes = train::total_bytes(parts);
        std::optional<train::Training> second;
        std::optional<double> other_bytes;
        if (inputs.against) {
            second = at_length(inputs.against->trainings.front(), length);
            other_bytes = train::total_bytes(train::parts_of(*second, inputs.processors));
            parts.push_back({"'" + inputs.against->name + "'", *other_bytes});
        }
        train::require_memory(parts, "a step of '" + inputs.subject.name + "' at length " + std::to_string(length));
        Stepper own(training, inputs.processors);
        std::optional<Stepper> other;
        if (second) other.emplace(*second, inputs.processors);
        own.step();
        if (other) other->step();
        std::vector<double> seconds, others, ratios;
        for (std::size_t i = 0; i < repeats_ && !inputs.interrupted(); ++i) {
            seconds.push_back(own.step());
            if (!other) continue;
            others.push_back(other->step());
            ratios.push_back(seconds.back() / others.back());
        }
        if (seconds.empty()) return;
        const std::string index = std::to_string(length);
        tell(result, "step", index, seconds);
        result.set(value_name("bytes", index), core::Cell::of(bytes));
        result.set(value_name("peak", index), core::Cell::of(train::peak_bytes()));
        if (!other) return;
        tell(result, "against", index, others);
        tell(result, "ratio", index, ratios);
        result.set(value_name("against_bytes", index), core::Cell::of(*other_bytes));
    }

    /// Times the last tokens of L, each with the cache and with a pass over L tokens; both use one thread.
    void time_token(core::Result& result, std::size_t length, const Inputs& inputs) const {
        const train::Training& training = inputs.subject.trainings.front();
        const model::Model<float> model(training.config, training.scheme, training.seed);
        const train::Row row = training.source->sample(training.seed, 0, 0, length);
        const std::span<const train::Token> tokens = std::span(row.tokens).first(length);
        model::Generator<float> generator(model, window_, length);
        model::Workspace<float> workspace(1);
        std::vector<float> logits(training.config.vocabulary);
        std::vector<double> cached, full;
        model.last_logits(tokens, workspace, logits);  // the first one allocates
        for (std::size_t t = 0; t < length && !inputs.interrupted(); ++t) {
            const double seconds = seconds_of([&] { generator.step(tokens[t]); });
            if (t + std::min(repeats_, length) < length) continue;
            cached.push_back(seconds);
            full.push_back(seconds_of([&] { model.last_logits(tokens, workspace, logits); }));
        }
        if (full.empty()) return;
        const std::string index = std::to_string(length);
        tell(result, "token", index, cached);
        tell(result, "full_token", index, full);
    }

    std::vector<std::size_t> lengths_;
    std::size_t repeats_;
    std::size_t window_;  ///< 0: no token is generated
    Feed feed_;
    core::Place window_place_;
};

std::unique_ptr<Prepared> prepare_timing(const core::Entries& settings, core::Problems& problems) {
    const std::size_t before = problems.reports();
    std::vector<std::size_t> lengths = read_lengths(settings, problems);
    require_window_within(lengths, settings, problems);
    if (problems.reports() != before) return nullptr;
    Feed feed = read_feed(settings, {}, 1);
    feed.part = train::Part::training;
    const core::Entry* window = settings.find("window");
    return std::make_unique<Timing>(std::move(lengths), core::Settings(settings, timing_keys).count("repeats"),
                                    static_cast<std::size_t>(core::read_integer(settings, "window").value_or(0)),
                                    std::move(feed), window ? window->value.place : core::Place{});
}

}  // namespace

const Kind& timing_kind() {
    static const Kind kind = {
        "timing",
        "time and memory of a training step",
        timing_keys,
        false,
        prepare_timing,
        true,
        false,
        false,
        {"step > 0 and step_hi >= step and step >= step_lo and ratio > 0 and bytes >= 0 and peak >= 0"}};
    return kind;
}

}  // namespace farfield::measure
