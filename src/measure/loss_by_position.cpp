// Loss of a model by the position of the predicted token, which is the number of tokens of its context.
#include <array>
#include <cmath>
#include <farfield/numerics/statistics.hpp>

#include "measure/kinds.hpp"
#include "measure/losses.hpp"
#include "measure/seeds.hpp"
#include "measure/tasks.hpp"
#include "measure/whole_numbers.hpp"

namespace farfield::measure {
namespace {

using core::Key;
using core::KeyType;

constexpr std::array<Key, 4> loss_by_position_keys = {
    of_key,
    Key{.name = "length",
        .type = KeyType::integer,
        .unit = "tokens",
        .required = true,
        .meaning = "N, the length",
        .least = 1,
        .most = most_length},
    Key{.name = "bin",
        .type = KeyType::integer,
        .unit = "tokens",
        .fallback = "a sixteenth of N, at least 1",
        .meaning = "neighbouring positions that are averaged",
        .least = 1},
    Key{.name = "segments",
        .type = KeyType::integer,
        .fallback = "16",
        .meaning = "held-out segments, the same for every scheme",
        .least = 1,
        .most = most_repeats},
};

/// Means of the losses of one model by segment and bin.
using Bins = std::vector<std::vector<double>>;

class LossByPosition : public Prepared {
public:
    LossByPosition(Feed feed, std::size_t bin)
        : feed_(std::move(feed)), length_(feed_.lengths.front().tokens), segments_(feed_.rows), bin_(bin) {}

    Feed feed() const override { return feed_; }
    double operations(const Pass& pass) const override { return static_cast<double>(segments_) * pass(length_); }
    Memory memory(const Measured& of) const override {
        return memory_of_losses({{length_}, Protocol::pieces, 1, segments_, 0}, of);
    }

    core::Result run(const Inputs& inputs) const override {
        const Alive models = alive(inputs.subject);
        require_memory(inputs);
        std::vector<Bins> found(models.models.size(), Bins(segments_));
        in_parallel(found.size() * segments_, inputs, [&](std::size_t i, model::Workspace<float>& workspace) {
            const std::size_t segment = i % segments_;
            const train::Row row = inputs.subject.source().held_out(segment, segments_, length_);
            const std::span<const train::Token> tokens = row.tokens;
            std::vector<float> losses(length_);
            models.models[i / segments_]->losses({tokens.first(length_), tokens.subspan(1), 1, length_, length_},
                                                 length_, workspace, losses);
            found[i / segments_][segment] = binned(losses);
        });
        core::Result result;
        if (inputs.interrupted()) return result;
        for (const Bins& bins : found)
            for (const std::vector<double>& each : bins) require_finite(each, inputs.subject, length_);
        tell(result, models, found);
        result.notes.emplace_back("order", "the mean over " + std::to_string(segments_) + " held-out segments and " +
                                               std::to_string(bin_) + " positions, from the named position on");
        return result;
    }

    core::Result outline(const Inputs& inputs) const override {
        const Alive models = untrained(inputs.subject);
        core::Result result;
        tell(result, models,
             std::vector<Bins>(models.seeds.size(), Bins(segments_, std::vector<double>(bins_count()))));
        return result;
    }

private:
    std::size_t bins_count() const { return (length_ + bin_ - 1) / bin_; }

    std::vector<double> binned(const std::vector<float>& losses) const {
        std::vector<double> means;
        for (std::size_t begin = 0; begin < length_; begin += bin_) {
            const std::size_t count = std::min(bin_, length_ - begin);
            double sum = 0;
            for (std::size_t i = 0; i < count; ++i) sum += losses[begin + i];
            means.push_back(sum / static_cast<double>(count));
        }
        return means;
    }

    void tell(core::Result& result, const Alive& models, const std::vector<Bins>& found) const {
        core::Series series;
        series.columns = {{"position", {}, {}}, {"nll", {}, {}}};
        const bool has_error = segments_ > 1;
        if (has_error) series.columns.push_back({"se", {}, {}});
        for (std::size_t bin = 0; bin < bins_count(); ++bin) {
            std::vector<double> means;
            std::vector<double> over_models(segments_, 0);
            for (const Bins& bins : found) {
                std::vector<double> here;
                for (std::size_t s = 0; s < segments_; ++s) {
                    here.push_back(bins[s][bin]);
                    over_models[s] += bins[s][bin] / static_cast<double>(found.size());
                }
                means.push_back(numerics::mean(here));
            }
            const std::string index = std::to_string(bin * bin_);
            set_over_seeds(result, "nll", index, models, means);
            series.columns[0].values.push_back(static_cast<double>(bin * bin_));
            series.columns[1].values.push_back(numerics::mean(means));
            if (!has_error) continue;
            const double error = numerics::sample_deviation(over_models) / std::sqrt(static_cast<double>(segments_));
            result.set(value_name("se", index), core::Cell::of(error));
            series.columns[2].values.push_back(error);
        }
        result.series = series;
    }

    Feed feed_;
    std::size_t length_;
    std::size_t segments_;
    std::size_t bin_;
};

std::unique_ptr<Prepared> prepare_loss_by_position(const core::Entries& settings, core::Problems& problems) {
    const long long length = core::read_integer(settings, "length").value_or(0);
    if (length < 1) return nullptr;  // check_keys reports it
    const auto segments = core::Settings(settings, loss_by_position_keys).count("segments");
    const long long bin = core::read_integer(settings, "bin").value_or(std::max(1LL, length / 16));
    if (bin > length) {
        const core::Entry& entry = *settings.find("bin");
        problems.add(entry.value.place, "'bin' is " + std::to_string(bin),
                     "at most the length, " + std::to_string(length));
        return nullptr;
    }
    Feed feed = read_feed(settings, "segments", segments);
    feed.choices = {{"loss-by-position", settings.find("length")->value.place}};  // every token is scored
    return std::make_unique<LossByPosition>(std::move(feed), static_cast<std::size_t>(bin));
}

}  // namespace

const Kind& loss_by_position_kind() {
    static const Kind kind = {"loss-by-position",
                              "loss by the number of preceding tokens",
                              loss_by_position_keys,
                              true,
                              prepare_loss_by_position,
                              false,
                              true,
                              false,
                              {"nll >= 0 and nll_sd >= 0 and se >= 0"}};
    return kind;
}

}  // namespace farfield::measure
